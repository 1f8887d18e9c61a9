import type { JsonValue } from "@toolweave/core";
import { InexactNumber, parseLossless, toExactNumber } from "@toolweave/core/adapter";
import { UsageError } from "../process/exit-code.ts";
import { getJsonType, type JsonType, type SchemaView } from "./schema-view.ts";

/**
 * Reads the text of one argument as its schema wants it: numbers, booleans, null, JSON for arrays
 * and objects; a text that may be a string stays one.
 *
 * @param path what errors call the argument.
 * @throws UsageError
 */
export function parseArgumentValue(text: string, schema: SchemaView, path: string): JsonValue {
  const { types, values } = schema;
  const named =
    values.find((value) => value === text) ??
    values.find((value) => (value === null || typeof value !== "object") && String(value) === text);
  if (named !== undefined) return named;
  if (types === undefined) return parseUntypedValue(text);

  if (types.has("number") && !types.has("string") && isNumber(text)) return parseNumber(text, path);
  if (types.has("boolean") && (text === "true" || text === "false") && !types.has("string")) {
    return text === "true";
  }
  if (types.has("null") && text === "null" && !types.has("string")) return null;
  const structure = parseStructure(text, types);
  if (structure !== undefined) return structure;
  if (types.has("string")) return text;
  // Such as a list whose quotes the shell has removed: PowerShell 5 does.
  if (types.has("array") && !/^\s*\[/.test(text)) {
    return [parseArgumentValue(text, schema.items, path)];
  }
  throw new UsageError(
    `${path} must be ${describeTypes(types)}, not ${JSON.stringify(text.slice(0, 60))}${jsonErrorHint(text, types)}.`,
  );
}

/**
 * The value of an argument that was given several times: an array.
 *
 * @throws UsageError
 */
export function parseRepeatedValue(
  texts: readonly string[],
  schema: SchemaView,
  path: string,
): JsonValue {
  const { types } = schema;
  if (types !== undefined && !types.has("array")) {
    throw new UsageError(`${path} is set ${texts.length} times, but takes one value.`);
  }
  return texts.map((text) => parseArgumentValue(text, schema.items, path));
}

/** Without a type, what reads as JSON is JSON. */
function parseUntypedValue(text: string): JsonValue {
  const value = tryParseJson(text);
  // A number that would lose digits is better sent as it was written.
  if (typeof value === "number" && String(value) !== text) return text;
  if (typeof value === "bigint" || (value as unknown) instanceof InexactNumber) return text;
  return value === undefined ? text : value;
}

function isNumber(text: string): boolean {
  return /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/.test(text);
}

/** The executor accepts a `bigint` for an integer that no number holds. */
function parseNumber(text: string, path: string): JsonValue {
  const value = toExactNumber(text);
  if (value instanceof InexactNumber) {
    throw new UsageError(
      `${path} is ${text.slice(0, 60)}, which has more digits than a number can: use ${Number(text)} instead.`,
    );
  }
  if (typeof value === "number" && !Number.isFinite(value)) {
    throw new UsageError(
      `${path} is too large: ${text.slice(0, 60)} cannot be represented exactly.`,
    );
  }
  return value as JsonValue;
}

/** An array or an object written as JSON, where the schema has room for one. */
function parseStructure(text: string, types: ReadonlySet<JsonType>): JsonValue | undefined {
  if (!/^\s*[[{]/.test(text)) return undefined;
  const value = tryParseJson(text);
  return value !== undefined && types.has(getJsonType(value)) ? value : undefined;
}

function tryParseJson(text: string): JsonValue | undefined {
  try {
    return parseLossless(text) as JsonValue;
  } catch {
    return undefined;
  }
}

const descriptions: Readonly<Record<JsonType, string>> = {
  string: "a text",
  number: "a number",
  boolean: "true or false",
  null: "null",
  array: 'a list such as ["one", "two"]',
  object: `JSON such as {"key": "value"}`,
};

function describeTypes(types: ReadonlySet<JsonType>): string {
  return [...types].map((type) => descriptions[type]).join(", or ");
}

function jsonErrorHint(text: string, types: ReadonlySet<JsonType>): string {
  const [first = ""] = text.trimStart();
  if (!(first === "{" && types.has("object")) && !(first === "[" && types.has("array"))) return "";
  try {
    JSON.parse(text);
    return "";
  } catch (error) {
    return ` (${(error as Error).message.replace(/^"?.*?"? is not valid JSON$/s, "not valid JSON").slice(0, 120)})`;
  }
}
