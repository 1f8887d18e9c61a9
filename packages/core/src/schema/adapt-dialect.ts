import { isObject, type JsonSchema, type JsonValue } from "../json/json.ts";
import { getDialect, hasKeyword, type Dialect } from "../json-schema/keywords.ts";
import { mapSubschemas } from "../json-schema/subschemas.ts";

/**
 * Matches the JSON of schemas of recent dialects that Ajv reads in another way than their dialect. Older ones are always
 * adapted.
 */
const foreign = /"(?:nullable|\$(?:dynamic|recursive)(?:Ref|Anchor))":/;

/**
 * Writes a schema so that a library reads it as its dialect does: without constraints that the dialect does not have,
 * which are annotations there, and without those beside a reference of draft-07 or earlier, which are ignored (draft-07
 * core, section 8.3). The keywords of draft-04 become those of draft-07.
 *
 * For schemas of a bounded size.
 *
 * @param text the JSON of the schema, to leave out what Ajv does not need. Default: everything is adapted.
 * @returns the same object if nothing changes.
 */
export function adaptDialect(schema: JsonSchema, $schema: unknown, text?: string): JsonSchema {
  const dialect = getDialect($schema);
  const isRecent = dialect === "2019-09" || dialect === "2020-12";
  return isRecent && text !== undefined && !foreign.test(text) ? schema : adapt(schema, dialect);
}

function adapt(node: JsonSchema, dialect: Dialect): JsonSchema {
  const below = mapSubschemas(
    node,
    (part) => (typeof part === "boolean" ? part : adapt(part, dialect)),
    true,
  );
  const isReference = dialect.startsWith("draft") && typeof node["$ref"] === "string";
  const adapted: [string, JsonValue][] = [];
  let isSame = true;
  for (const [keyword, value] of Object.entries(below)) {
    const isRead = isReference
      ? isKeptBesideReference(keyword, value)
      : isConstraint(keyword, dialect);
    const entry = isRead ? adaptKeyword(keyword, value, node, dialect) : undefined;
    isSame &&= entry?.[0] === keyword && entry[1] === value;
    if (entry !== undefined) adapted.push(entry);
  }
  return isSame ? below : Object.fromEntries(adapted);
}

/** Objects may hold the targets of references. Only those of unknown keywords and definitions constrain nothing. */
function isKeptBesideReference(keyword: string, value: JsonValue): boolean {
  return (
    keyword === "$ref" || ((keyword === "definitions" || keyword === "$defs") && isObject(value))
  );
}

/** Keywords without a constraint, to which references in earlier dialects may lead. */
const harmless: ReadonlySet<string> = new Set(["$anchor", "$defs", "contentSchema", "deprecated"]);
/** Keywords of 2019-09 alone. */
const recursive: ReadonlySet<string> = new Set(["$recursiveAnchor", "$recursiveRef"]);

function isConstraint(keyword: string, dialect: Dialect): boolean {
  // Ajv's extension of `type`.
  if (keyword === "nullable") return false;
  if (recursive.has(keyword)) return dialect === "2019-09";
  return harmless.has(keyword) || hasKeyword(dialect, keyword);
}

function adaptKeyword(
  keyword: string,
  value: JsonValue,
  node: JsonSchema,
  dialect: Dialect,
): [string, JsonValue] | undefined {
  if (keyword === "id") {
    return dialect === "draft-04" && typeof value === "string" ? ["$id", value] : undefined;
  }
  if (dialect !== "draft-04") return [keyword, value];
  switch (keyword) {
    case "$id":
      return undefined;
    case "minimum":
      return node["exclusiveMinimum"] === true ? undefined : [keyword, value];
    case "maximum":
      return node["exclusiveMaximum"] === true ? undefined : [keyword, value];
    case "exclusiveMinimum":
      return toExclusive(keyword, value, node["minimum"]);
    case "exclusiveMaximum":
      return toExclusive(keyword, value, node["maximum"]);
    default:
      return [keyword, value];
  }
}

/** Replaces the flag of draft-04 that makes the bound beside it exclusive (draft-04 validation, section 5.1.2). */
function toExclusive(
  keyword: string,
  value: JsonValue,
  bound: JsonValue | undefined,
): [string, JsonValue] | undefined {
  if (typeof value !== "boolean") return [keyword, value];
  return value && typeof bound === "number" ? [keyword, bound] : undefined;
}
