import type { JsonObject, Toolset, ToolSpec } from "@toolweave/core";
import { isObject } from "../../schema/schema-keywords.ts";
import { getTaskSupport } from "./task-support.ts";

const hints = [
  "title",
  "readOnlyHint",
  "destructiveHint",
  "idempotentHint",
  "openWorldHint",
] as const;

/** The tools of a toolset in the protocol's form, by name. Cached by toolset. */
export class ToolList {
  readonly #cache = new WeakMap<Toolset, readonly JsonObject[]>();
  readonly #forModel: boolean;

  /** @param forModel Results have no structured content, so output schemas are omitted. */
  constructor(forModel: boolean) {
    this.#forModel = forModel;
  }

  forToolset(toolset: Toolset): readonly JsonObject[] {
    let list = this.#cache.get(toolset);
    if (list === undefined) {
      list = toolset.specs().map(this.#forModel ? toModelDefinition : toDefinition);
      this.#cache.set(toolset, list);
    }
    return list;
  }
}

/**
 * Converts a spec for a client: title, description, schemas and annotations, icons and `_meta` of an MCP server's
 * tool, and its task support, which the SDK omits for clients of 2026-07-28.
 */
function toDefinition(spec: ToolSpec): JsonObject {
  const { name, title, description, inputSchema, outputSchema, annotations, metadata } = spec;
  const presentHints = hints.flatMap((hint) => {
    const value = annotations[hint];
    return value === undefined ? [] : [[hint, value] as const];
  });
  const support = getTaskSupport(spec);
  const { icons, _meta } = spec.provenance.adapter === "mcp" ? (metadata ?? {}) : {};
  return {
    name,
    ...(title === undefined ? {} : { title }),
    description,
    inputSchema,
    ...(outputSchema === undefined ? {} : { outputSchema }),
    ...(presentHints.length === 0 ? {} : { annotations: Object.fromEntries(presentHints) }),
    ...(support === undefined ? {} : { execution: { taskSupport: support } }),
    ...(Array.isArray(icons) ? { icons } : {}),
    ...(isObject(_meta) ? { _meta } : {}),
  };
}

function toModelDefinition(spec: ToolSpec): JsonObject {
  const { outputSchema: _omitted, ...definition } = toDefinition(spec);
  return definition;
}
