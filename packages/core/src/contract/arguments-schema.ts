import type { JsonSchema } from "../json/json.ts";
import type { Tool } from "./tool.ts";

/** The whole schema of a tool's arguments: what they are validated against, be it what a model sees or more. */
export function argumentsSchemaOf({ argumentsSchema, spec }: Tool): JsonSchema {
  return argumentsSchema ?? spec.inputSchema;
}
