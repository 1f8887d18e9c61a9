import { getChild, withValue } from "../document/references/location.ts";
import type { Location } from "../document/references/location.ts";
import type { Parameter, ParameterLocation, ParameterStyle } from "../document/operation.ts";
import { isRecord, ownString, setOwn } from "../document/record.ts";
import type { JsonRecord } from "../document/record.ts";
import type { SchemaLibrary } from "../schema/schema-library.ts";
import { getKeywordTranslation } from "../schema/schema-keywords.ts";

/** Keywords with a different meaning on a parameter than in a schema. */
const parameterWords: ReadonlySet<string> = new Set([
  "description",
  "required",
  "deprecated",
  "title",
]);

/** Reads a parameter of Swagger 2.0, whose schema keywords are on the parameter itself (section 5.2.4). */
export function readSwaggerParameter(
  location: Location,
  place: ParameterLocation,
  schemas: SchemaLibrary,
): Parameter {
  const node = location.value as JsonRecord;
  const description = ownString(node, "description");
  return {
    name: String(node["name"]),
    in: place,
    required: place === "path" || node["required"] === true,
    ...(description === undefined ? {} : { description }),
    deprecated: node["deprecated"] === true,
    ...getCollectionStyle(node, place),
    allowReserved: false,
    ...(node["allowEmptyValue"] === true ? { allowEmptyValue: true } : {}),
    schema: schemas.getSchema(toSwaggerSchema(location), "request"),
  };
}

/** Creates the schema from the keywords of a Swagger 2.0 parameter. */
export function toSwaggerSchema(location: Location): Location {
  const node = location.value as JsonRecord;
  const schema = getChild(location, "schema");
  if (schema.value !== undefined) return schema;
  const value: Record<string, unknown> = {};
  for (const key of Object.keys(node)) {
    if (getKeywordTranslation(key) !== undefined && !parameterWords.has(key))
      setOwn(value, key, node[key]);
  }
  return withValue(location, value);
}

const delimiters: Readonly<Record<string, string>> = { ssv: " ", tsv: "\t", pipes: "|" };

/** The members of a parameter that define the format of a list. */
type CollectionStyle = Pick<Parameter, "style" | "explode" | "delimiter" | "itemDelimiters">;

const deepestLists = 8;

/**
 * Returns the delimiters of nested lists: the `collectionFormat` of each Items Object, commas by default (section
 * 5.2.9).
 */
function getItemDelimiters(node: JsonRecord): readonly string[] {
  const found: string[] = [];
  let { items } = node;
  while (isRecord(items) && items["type"] === "array" && found.length < deepestLists) {
    const format = ownString(items, "collectionFormat") ?? "csv";
    found.push(ownString(delimiters, format) ?? ",");
    items = items["items"];
  }
  return found;
}

/** Converts the format of a Swagger 2.0 array to a style of OpenAPI 3. */
export function getCollectionStyle(node: JsonRecord, place: ParameterLocation): CollectionStyle {
  const inQuery = place === "query";
  const style: ParameterStyle = inQuery || place === "cookie" ? "form" : "simple";
  if (node["type"] !== "array") return { style, explode: style === "form" };
  const inner = getItemDelimiters(node);
  const outer = getOuterStyle(node, inQuery, style);
  return inner.length === 0 ? outer : { ...outer, itemDelimiters: inner };
}

function getOuterStyle(node: JsonRecord, inQuery: boolean, style: ParameterStyle): CollectionStyle {
  const format = ownString(node, "collectionFormat") ?? "csv";
  if (format === "multi") return { style, explode: style === "form" };
  if (inQuery && format === "ssv") return { style: "spaceDelimited", explode: false };
  if (inQuery && format === "pipes") return { style: "pipeDelimited", explode: false };
  const delimiter = Object.hasOwn(delimiters, format) ? delimiters[format] : undefined;
  return { style, explode: false, ...(delimiter === undefined ? {} : { delimiter }) };
}
