import type {
  JsonSchema,
  Tool,
  ToolExecutor,
  ToolOutcome,
  ToolRun,
  Toolset,
} from "@toolweave/core";
import { lazyProperty } from "@toolweave/core/adapter";
import { call, foreignTool, tool } from "../support/executor-for.ts";
import { completed, textFor } from "../support/outcomes.ts";

const nouns = ["pet", "order", "invoice", "customer", "shelf"];
const verbs = { get: "Get", list: "List all of", add: "Add", delete: "Delete" } as const;

/** Twenty tools of a shop: get_pet, list_order, … */
export const shop: readonly Tool[] = nouns.flatMap((noun) =>
  Object.entries(verbs).map(([verb, does]) =>
    tool(`${verb}_${noun}`, ({ id }) => `${verb} ${noun} ${String(id)}`, {
      description: `${does} one ${noun} of the shop.`,
      annotations: { readOnlyHint: verb === "get" || verb === "list" },
      input: {
        type: "object",
        properties: { id: { type: "integer" }, note: { type: "string" } },
        required: ["id"],
      },
    }),
  ),
);

/** The tools that a model sees. */
export function listNames(toolset: Toolset): string[] {
  return [...toolset.names()];
}

/** The answer of `search_tools`, for the model and for the host. */
export async function searched(
  run: ToolRun | ToolExecutor,
  query: string,
  limit?: number,
): Promise<{ readonly text: string; readonly names: readonly string[] }> {
  const args = { query, ...(limit === undefined ? {} : { limit }) };
  const outcome: ToolOutcome = await run.execute(call("search_tools", args));
  const value = completed(outcome).result.value as { tools: { name: string }[] };
  return { text: textFor(outcome), names: value.tools.map(({ name }) => name) };
}

/** A tool of a source whose schema is created when it is read. */
export function lazyTool(name: string, description: string, schema: () => JsonSchema): Tool {
  const made = foreignTool(name, { spec: { description } });
  return { ...made, spec: lazyProperty({ ...made.spec }, "inputSchema", schema) };
}
