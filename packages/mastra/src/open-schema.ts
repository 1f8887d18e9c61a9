import type { StandardSchemaWithJSON } from "@mastra/core/schema";
import type { ToolSpec } from "@toolweave/core";

/**
 * A tool's schema, unchanged, with a validator that accepts everything: the executor's error about invalid arguments
 * helps a model more.
 */
export function openSchema({ inputSchema }: ToolSpec): StandardSchemaWithJSON<unknown> {
  const json = (): Record<string, unknown> => inputSchema as Record<string, unknown>;
  return {
    "~standard": {
      version: 1,
      vendor: "toolweave",
      validate: (value) => ({ value }),
      jsonSchema: { input: json, output: json },
    },
  };
}
