import type { JsonObject, ToolRegistry, ToolSpec } from "@toolweave/core";
import { isObject } from "@toolweave/core/adapter";
import { toListableInput, toListableOutput } from "../../schema/listable-schema.ts";
import type { ProviderProblem } from "../providers/provider-calls.ts";
import { getTaskSupport } from "../clients/task-support.ts";

const hints = [
  "title",
  "readOnlyHint",
  "destructiveHint",
  "idempotentHint",
  "openWorldHint",
] as const;

/**
 * Converts a tool to the definition that clients of the gateway receive (`Tool` of the Model Context Protocol): title,
 * description, schemas and annotations, icons and `_meta` of an MCP server's tool, and its task support, which the SDK
 * omits for clients of 2026-07-28.
 */
export function toMcpTool(spec: ToolSpec): JsonObject {
  const { name, title, description, inputSchema, annotations, metadata } = spec;
  const { schema: outputSchema } = toListableOutput(spec);
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
    inputSchema: toListableInput(inputSchema),
    ...(outputSchema === undefined ? {} : { outputSchema }),
    ...(presentHints.length === 0 ? {} : { annotations: Object.fromEntries(presentHints) }),
    ...(support === undefined ? {} : { execution: { taskSupport: support } }),
    ...(Array.isArray(icons) ? { icons } : {}),
    ...(isObject(_meta) ? { _meta } : {}),
  };
}

/** Finds the tools that are listed without their output schema. */
export function findUnlistableOutputs(registry: ToolRegistry): readonly ProviderProblem[] {
  return registry
    .toolset()
    .specs()
    .flatMap((spec) => {
      const { fault } = toListableOutput(spec);
      if (fault === undefined) return [];
      const { source, adapter } = spec.provenance;
      const message = `${spec.name} is listed without its output schema: ${fault}.`;
      return [{ provider: source ?? adapter, subject: spec.name, message }];
    });
}
