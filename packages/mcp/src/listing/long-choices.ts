import type { JsonSchema, JsonValue } from "@toolweave/core";
import { digitsWithin, exactDigits, mapSubschemas } from "@toolweave/core/adapter";

/**
 * Returns the schema for a model: integers of `enum`, `const` and `default` that JavaScript would print with other digits
 * are texts of their own digits, which the executor accepts. The same schema if there are none.
 *
 * @param schema as `parseExact` has read it.
 */
export function withLongChoices(schema: JsonSchema): JsonSchema {
  const [digits] = digitsWithin(schema);
  return digits === undefined ? schema : toModelNode(schema);
}

function toModelNode(schema: JsonSchema): JsonSchema {
  const node: Record<string, JsonValue> = {
    ...mapSubschemas(schema, (inner) => (typeof inner === "boolean" ? inner : toModelNode(inner))),
  };
  const { enum: choices, type } = schema;
  let hasTexts = false;
  for (const keyword of ["const", "default"]) {
    const text = exactDigits(schema, keyword, schema[keyword]);
    if (text === undefined) continue;
    node[keyword] = text;
    hasTexts = true;
  }
  if (Array.isArray(choices)) {
    const texts = choices.map(
      (choice: JsonValue, index) => exactDigits(choices, `${index}`, choice) ?? choice,
    );
    hasTexts ||= texts.some((text, index) => text !== choices[index]);
    node["enum"] = texts;
  }
  if (hasTexts && type !== undefined) node["type"] = [...new Set(["string", ...[type].flat()])];
  return node;
}
