import type { JsonObject, JsonSchema, JsonValue } from "@toolweave/core";

const byFormat: Readonly<Record<string, string>> = {
  date: "2026-11-20",
  "date-time": "2026-11-20T10:00:00Z",
  uuid: "123e4567-e89b-42d3-a456-426614174000",
  email: "a@example.com",
  uri: "https://example.com/a",
};

/** A small value that a schema accepts, for schemas of the ordinary kind: only what is required. */
export function sampleValue(schema: JsonValue | undefined, root: JsonSchema, depth = 0): JsonValue {
  if (typeof schema !== "object" || schema === null || depth > 12) return "x";
  const given = schema as JsonSchema;
  const reference = given["$ref"];
  if (typeof reference === "string") {
    const target = (root["$defs"] as JsonObject | undefined)?.[reference.replace("#/$defs/", "")];
    return sampleValue(target, root, depth + 1);
  }
  if (given["const"] !== undefined) return given["const"] as JsonValue;
  if (Array.isArray(given["enum"])) return given["enum"][0] as JsonValue;
  for (const keyword of ["oneOf", "anyOf"]) {
    const branches = given[keyword];
    if (!Array.isArray(branches)) continue;
    const branch = branches.find(
      (one: JsonValue) => (one as JsonObject)["type"] !== "null",
    ) as JsonValue;
    const value = sampleValue(branch, root, depth + 1);
    return isObject(value) ? { ...members(given, root, depth), ...value } : value;
  }
  if (Array.isArray(given["allOf"])) {
    const parts = given["allOf"].map((part: JsonValue) => sampleValue(part, root, depth + 1));
    return parts.every(isObject)
      ? (Object.assign({}, members(given, root, depth), ...parts) as JsonObject)
      : (parts[0] as JsonValue);
  }
  const { type } = given;
  switch (Array.isArray(type) ? type.find((one) => one !== "null") : type) {
    case "integer":
    case "number":
      return Math.max(typeof given["minimum"] === "number" ? given["minimum"] : 1, 0);
    case "boolean":
      return true;
    case "array":
      return [sampleValue(given["items"] as JsonValue, root, depth + 1)];
    case "null":
      return null;
    case "string":
      if (given["contentEncoding"] === "base64") return "AAEC";
      return byFormat[String(given["format"])] ?? "x".repeat(Number(given["minLength"] ?? 3));
    default:
      return members(given, root, depth);
  }
}

function members(schema: JsonSchema, root: JsonSchema, depth: number): JsonObject {
  const properties = (schema["properties"] ?? {}) as JsonObject;
  const required = (schema["required"] ?? []) as readonly string[];
  return Object.fromEntries(
    required.map((name) => [name, sampleValue(properties[name], root, depth + 1)]),
  );
}

function isObject(value: JsonValue): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
