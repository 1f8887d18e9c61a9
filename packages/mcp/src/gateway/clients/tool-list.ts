import type { JsonObject, Toolset, ToolSpec } from "@toolweave/core";
import { isObject } from "../../schema/schema-keywords.ts";
import { taskSupport } from "./task-support.ts";

const hints = [
  "title",
  "readOnlyHint",
  "destructiveHint",
  "idempotentHint",
  "openWorldHint",
] as const;

/** The tools of a toolset as the protocol lists them, in order of name. Made once for each toolset. */
export class ToolList {
  readonly #made = new WeakMap<Toolset, readonly JsonObject[]>();
  readonly #forModel: boolean;

  /** @param forModel results have no structured content: no schema may promise any. */
  constructor(forModel: boolean) {
    this.#forModel = forModel;
  }

  of(toolset: Toolset): readonly JsonObject[] {
    let list = this.#made.get(toolset);
    if (list === undefined) {
      list = toolset.specs().map(this.#forModel ? definitionForModel : definitionOf);
      this.#made.set(toolset, list);
    }
    return list;
  }
}

/**
 * A spec as a client sees it: title, description, schemas and hints as they are, icons and `_meta` of an MCP server's
 * tool, and whether it can be run as a task, which the SDK leaves out for clients of 2026-07-28.
 */
function definitionOf(spec: ToolSpec): JsonObject {
  const { name, title, description, inputSchema, outputSchema, annotations, metadata } = spec;
  const shown = hints.flatMap((hint) => {
    const value = annotations[hint];
    return value === undefined ? [] : [[hint, value] as const];
  });
  const support = taskSupport(spec);
  const { icons, _meta } = spec.provenance.adapter === "mcp" ? (metadata ?? {}) : {};
  return {
    name,
    ...(title === undefined ? {} : { title }),
    description,
    inputSchema,
    ...(outputSchema === undefined ? {} : { outputSchema }),
    ...(shown.length === 0 ? {} : { annotations: Object.fromEntries(shown) }),
    ...(support === undefined ? {} : { execution: { taskSupport: support } }),
    ...(Array.isArray(icons) ? { icons } : {}),
    ...(isObject(_meta) ? { _meta } : {}),
  };
}

function definitionForModel(spec: ToolSpec): JsonObject {
  const { outputSchema: _promised, ...definition } = definitionOf(spec);
  return definition;
}
