import type { JsonSchema, JsonValue } from "@toolweave/core";
import { setOwn } from "../document/record.ts";

/**
 * A schema whose `oneOf` has become `anyOf`. What is sent may have several of the shapes: documents have branches that
 * overlap, and a value that more than one of them allows is not wrong for that.
 */
export function withOpenChoice(schema: JsonSchema): JsonSchema {
  const { oneOf, anyOf, allOf } = schema;
  const open: Record<string, JsonValue> = {};
  for (const [key, value] of Object.entries(schema)) {
    if (key !== "oneOf") setOwn(open, key, value);
    else if (anyOf === undefined) open["anyOf"] = value;
  }
  if (anyOf !== undefined) {
    open["allOf"] = [...((allOf ?? []) as JsonValue[]), { anyOf: oneOf as JsonValue }];
  }
  return open;
}
