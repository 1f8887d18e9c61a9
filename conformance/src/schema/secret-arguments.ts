import type { JsonObject, JsonValue } from "@toolweave/core";
import { isObject } from "@toolweave/core/adapter";
import { References } from "./references.ts";

/**
 * Replaces each text argument that the schema marks as secret with `mark`: `format: "password"`,
 * `writeOnly` or `x-secret`. `undefined` if there is none.
 */
export function markSecrets(
  args: JsonObject,
  schema: JsonObject,
  mark: string,
): JsonObject | undefined {
  const references = new References(schema);
  let isMarked = false;
  const resolved = (given: JsonValue | undefined): JsonObject | undefined => {
    const target =
      isObject(given) && typeof given["$ref"] === "string"
        ? references.resolve(given["$ref"])
        : given;
    return isObject(target) ? target : undefined;
  };
  const marked = (value: JsonObject, given: JsonObject): JsonObject => {
    const result: Record<string, JsonValue> = { ...value };
    for (const [name, one] of Object.entries(given["properties"] ?? {}) as [string, JsonValue][]) {
      const own = resolved(one);
      if (own === undefined) continue;
      const inner = value[name];
      if (isSecret(own) && (own["type"] ?? "string") === "string") {
        result[name] = mark;
        isMarked = true;
      } else if (isObject(inner)) result[name] = marked(inner, own);
    }
    return result;
  };
  const all = marked(args, schema);
  return isMarked ? all : undefined;
}

function isSecret(schema: JsonObject): boolean {
  return (
    schema["format"] === "password" || schema["writeOnly"] === true || schema["x-secret"] === true
  );
}
