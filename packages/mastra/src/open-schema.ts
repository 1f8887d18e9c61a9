import type { StandardSchemaWithJSON } from "@mastra/core/schema";
import type { ToolSpec } from "@toolweave/core";

/**
 * A tool's schema as it is, which accepts everything: what the executor says of invalid arguments is
 * what helps.
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
