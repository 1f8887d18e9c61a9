import type { JsonObject, Tool } from "@toolweave/core";
import { isObject } from "../schema/subschemas.ts";

/** The schema that a tool's arguments are checked against, where a model is shown another one. */
export function ownArgumentsSchema(tool: Tool): JsonObject | undefined {
  try {
    const { argumentsSchema } = tool;
    return isObject(argumentsSchema) && argumentsSchema !== tool.spec.inputSchema
      ? argumentsSchema
      : undefined;
  } catch {
    // What cannot be read is for TW-LIFE-018 to say.
    return undefined;
  }
}
