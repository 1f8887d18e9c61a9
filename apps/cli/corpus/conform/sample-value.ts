import type { JsonObject, JsonSchema, JsonValue } from "@toolweave/core";

const maxDepth = 12;

const formats: Readonly<Record<string, string>> = {
  date: "2026-01-31",
  "date-time": "2026-01-31T12:00:00Z",
  email: "someone@example.com",
  uri: "https://example.com/",
  url: "https://example.com/",
  uuid: "123e4567-e89b-42d3-a456-426614174000",
  ipv4: "192.0.2.1",
};

/** The plainest value that a schema is likely to accept: what is required, and little else. */
export function sampleValue(schema: JsonValue | undefined, root: JsonSchema, depth = 0): JsonValue {
  if (!isObject(schema) || depth > maxDepth) return null;
  const { $ref, allOf, anyOf, oneOf, const: constant, enum: members } = schema;
  if (constant !== undefined) return constant;
  if (Array.isArray(members)) return members[0] as JsonValue;
  if (typeof $ref === "string") return sampleValue(resolved($ref, root), root, depth + 1);
  const parts = [allOf, anyOf, oneOf].flatMap((choice, index) => {
    if (!Array.isArray(choice)) return [];
    return index === 0 ? (choice as JsonValue[]) : [choice[0] as JsonValue];
  });
  const values = parts.map((part) => sampleValue(part, root, depth + 1));
  const own = ofType(schema, root, depth);
  const objects = [own, ...values].filter(isObject);
  if (objects.length > 1) return Object.assign({}, ...objects) as JsonObject;
  return own ?? values.find((value) => value !== null) ?? null;
}

function ofType(schema: JsonObject, root: JsonSchema, depth: number): JsonValue {
  const { type } = schema;
  const [first] = (Array.isArray(type) ? type : [type]) as readonly (string | undefined)[];
  switch (first ?? (isObject(schema["properties"]) ? "object" : undefined)) {
    case "string":
      return text(schema);
    case "integer":
    case "number":
      return number(schema, first === "integer");
    case "boolean":
      return true;
    case "array":
      return Array.from({ length: Number(schema["minItems"] ?? 1) }, () =>
        sampleValue(schema["items"], root, depth + 1),
      );
    case "object":
      return object(schema, root, depth);
    default:
      return null;
  }
}

function object(schema: JsonObject, root: JsonSchema, depth: number): JsonObject {
  const { properties, required } = schema;
  const names = Array.isArray(required) ? (required as string[]) : [];
  return Object.fromEntries(
    names.map((name) => [
      name,
      sampleValue(isObject(properties) ? properties[name] : undefined, root, depth + 1),
    ]),
  );
}

function text({ format, minLength = 0, maxLength = 100, pattern }: JsonObject): string {
  const known = typeof format === "string" ? formats[format] : undefined;
  if (known !== undefined) return known;
  if (typeof pattern === "string") {
    const tries = ["a", "1", "abc", "123", "A1", "a-b", "2026-01-31"];
    return tries.find((value) => new RegExp(pattern, "u").test(value)) ?? "a";
  }
  return "some text".padEnd(Number(minLength), ".").slice(0, Number(maxLength));
}

function number(
  { minimum, exclusiveMinimum, multipleOf, maximum }: JsonObject,
  whole: boolean,
): number {
  const step = Number(multipleOf ?? (whole ? 1 : 0.5));
  const least = Number(minimum ?? exclusiveMinimum ?? Math.min(1, Number(maximum ?? 1)));
  const value = Math.ceil(least / step) * step;
  return typeof exclusiveMinimum === "number" && value <= exclusiveMinimum ? value + step : value;
}

function resolved(reference: string, root: JsonSchema): JsonValue | undefined {
  let place: JsonValue | undefined = root;
  for (const part of reference.split("/").slice(1)) {
    const key = decodeURIComponent(part).replaceAll("~1", "/").replaceAll("~0", "~");
    place = isObject(place) || Array.isArray(place) ? (place as JsonObject)[key] : undefined;
  }
  return place;
}

/** True for what a schema, or a part of one, is. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
