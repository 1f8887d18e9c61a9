import { toJsonSchema } from "@langchain/core/utils/json_schema";
import type { JsonSchema } from "@toolweave/core";

/**
 * The schema of what a model may send, as JSON Schema: what has a default may be left out.
 *
 * @throws Error for what JSON Schema cannot say, and for arguments that are no object.
 */
export function inputSchemaOf(schema: unknown): JsonSchema {
  const given: unknown = toJsonSchema(schema as Parameters<typeof toJsonSchema>[0], {
    io: "input",
  });
  if (typeof given !== "object" || given === null || Array.isArray(given)) {
    throw new TypeError("Its schema is none.");
  }
  // A copy: what JSON cannot say of it is not kept.
  const plain = JSON.parse(JSON.stringify(given)) as JsonSchema;
  if (plain["type"] === undefined) return { ...plain, type: "object" };
  if (plain["type"] === "object") return plain;
  throw new TypeError("Its arguments are no object.");
}
