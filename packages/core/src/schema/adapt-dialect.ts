import type { JsonSchema, JsonValue } from "../json/json.ts";
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
 */
export function adaptDialect(schema: JsonSchema, $schema: unknown, text?: string): JsonSchema {
  const dialect = getDialect($schema);
  const isAdapted = isOld(dialect) || text === undefined || foreign.test(text);
  return isAdapted ? adapt(schema, dialect) : schema;
}

function adapt(node: JsonSchema, dialect: Dialect): JsonSchema {
  const isReference = isOld(dialect) && typeof node["$ref"] === "string";
  const isRead = (keyword: string): boolean =>
    // Definitions constrain nothing, and references lead to them.
    isReference ? /^(?:\$ref|\$defs|definitions)$/.test(keyword) : isConstraint(keyword, dialect);
  const below = mapSubschemas(
    Object.fromEntries(Object.entries(node).filter(([keyword]) => isRead(keyword))),
    (part) => (typeof part === "boolean" ? part : adapt(part, dialect)),
    true,
  );
  if (dialect !== "draft-04") return below;
  const adapted: Record<string, JsonValue> = { ...below };
  const { id } = node;
  if (typeof id === "string" && !isReference) adapted["$id"] = id;
  for (const end of ["Minimum", "Maximum"]) {
    const exclusive = `exclusive${end}`;
    // The flag that makes the bound beside it exclusive (draft-04 validation, section 5.1.2).
    const isExclusive = adapted[exclusive];
    if (typeof isExclusive !== "boolean") continue;
    const bound = end.toLowerCase();
    delete adapted[exclusive];
    if (!isExclusive || adapted[bound] === undefined) continue;
    adapted[exclusive] = adapted[bound];
    delete adapted[bound];
  }
  return adapted;
}

function isOld(dialect: Dialect): boolean {
  return dialect.startsWith("draft");
}

/** Keywords without a constraint, to which references in earlier dialects may lead. */
const harmless = /^(?:\$anchor|\$defs|contentSchema|deprecated)$/;

function isConstraint(keyword: string, dialect: Dialect): boolean {
  // `nullable` is Ajv's extension of `type`. `id` is an identifier in draft-04 alone, and is `$id` for libraries.
  if (keyword === "nullable" || keyword === "id") return false;
  if (keyword === "$id") return dialect !== "draft-04";
  if (keyword.startsWith("$recursive")) return dialect === "2019-09";
  return harmless.test(keyword) || hasKeyword(dialect, keyword);
}
