import { toJsonSchema } from "@langchain/core/utils/json_schema";
import type { JsonSchema } from "@toolweave/core";

/**
 * The schema of a model's arguments, as JSON Schema: a property with a default may be absent.
 *
 * @throws Error for a schema that JSON Schema cannot express, and for arguments that are no object.
 */
export function inputSchemaOf(schema: unknown): JsonSchema {
  const given: unknown = toJsonSchema(schema as Parameters<typeof toJsonSchema>[0], {
    io: "input",
  });
  if (typeof given !== "object" || given === null || Array.isArray(given)) {
    throw new TypeError("Its schema is none.");
  }
  // A copy: properties that JSON cannot represent are lost.
  const plain = JSON.parse(JSON.stringify(given)) as JsonSchema;
  if (plain["type"] === undefined) return { ...plain, type: "object" };
  if (plain["type"] === "object") return plain;
  throw new TypeError("Its arguments are no object.");
}
