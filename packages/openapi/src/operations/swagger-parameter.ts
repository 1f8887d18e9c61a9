import { childLocation, withValue } from "../document/references/location.ts";
import type { Location } from "../document/references/location.ts";
import type { Parameter, ParameterLocation, ParameterStyle } from "../document/operation.ts";
import { isRecord, ownString, setOwn } from "../document/record.ts";
import type { JsonRecord } from "../document/record.ts";
import type { SchemaLibrary } from "../schema/schema-library.ts";
import { keywordTranslation } from "../schema/schema-keywords.ts";

/** Keywords that mean something else on a parameter than in a schema. */
const parameterWords: ReadonlySet<string> = new Set([
  "description",
  "required",
  "deprecated",
  "title",
]);

/** A parameter of Swagger 2.0, whose schema keywords stand on the parameter itself (section 5.2.4). */
export function swaggerParameter(
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
    ...collectionStyle(node, place),
    allowReserved: false,
    ...(node["allowEmptyValue"] === true ? { allowEmptyValue: true } : {}),
    schema: schemas.schemaAt(swaggerSchema(location), "request"),
  };
}

/** The schema that the keywords of a Swagger 2.0 parameter make. */
export function swaggerSchema(location: Location): Location {
  const node = location.value as JsonRecord;
  const schema = childLocation(location, "schema");
  if (schema.value !== undefined) return schema;
  const value: Record<string, unknown> = {};
  for (const key of Object.keys(node)) {
    if (keywordTranslation(key) !== undefined && !parameterWords.has(key))
      setOwn(value, key, node[key]);
  }
  return withValue(location, value);
}

const delimiters: Readonly<Record<string, string>> = { ssv: " ", tsv: "\t", pipes: "|" };

/** What of a parameter says how a list is written. */
type CollectionStyle = Pick<Parameter, "style" | "explode" | "delimiter" | "itemDelimiters">;

const deepestLists = 8;

/** The delimiters of the lists within a list: `collectionFormat` of each Items Object, commas by default (section 5.2.9). */
function itemDelimiters(node: JsonRecord): readonly string[] {
  const found: string[] = [];
  let { items } = node;
  while (isRecord(items) && items["type"] === "array" && found.length < deepestLists) {
    const format = ownString(items, "collectionFormat") ?? "csv";
    found.push(ownString(delimiters, format) ?? ",");
    items = items["items"];
  }
  return found;
}

/** How a Swagger 2.0 array is written, in the words of OpenAPI 3. */
export function collectionStyle(node: JsonRecord, place: ParameterLocation): CollectionStyle {
  const inQuery = place === "query";
  const style: ParameterStyle = inQuery || place === "cookie" ? "form" : "simple";
  if (node["type"] !== "array") return { style, explode: style === "form" };
  const inner = itemDelimiters(node);
  const outer = outerStyle(node, inQuery, style);
  return inner.length === 0 ? outer : { ...outer, itemDelimiters: inner };
}

function outerStyle(node: JsonRecord, inQuery: boolean, style: ParameterStyle): CollectionStyle {
  const format = ownString(node, "collectionFormat") ?? "csv";
  if (format === "multi") return { style, explode: style === "form" };
  if (inQuery && format === "ssv") return { style: "spaceDelimited", explode: false };
  if (inQuery && format === "pipes") return { style: "pipeDelimited", explode: false };
  const delimiter = Object.hasOwn(delimiters, format) ? delimiters[format] : undefined;
  return { style, explode: false, ...(delimiter === undefined ? {} : { delimiter }) };
}
