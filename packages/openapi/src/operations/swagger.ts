import { getMediaTypeName } from "@toolweave/core/adapter";
import { getChild, withValue, type Location } from "../document/references/location.ts";
import type {
  Parameter,
  ParameterLocation,
  ParameterStyle,
  Encoding,
  MediaDescription,
  RequestBody,
} from "../document/operation.ts";
import { isRecord, ownString, setOwn, ownValue, type JsonRecord } from "../document/record.ts";
import type { SchemaLibrary } from "../schema/schema-library.ts";
import { getKeywordTranslation } from "../schema/schema-keywords.ts";
import type { OperationReading } from "./operation-reading.ts";

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
    ...readUnencoded(node, place),
    ...(node["allowEmptyValue"] === true ? { allowEmptyValue: true } : {}),
    schema: schemas.getSchema(toSwaggerSchema(location), "request"),
  };
}

/**
 * Returns the members that concern the encoding of a value. `x-ms-skip-url-encoding` of autorest: the value is encoded
 * already, and in a path it may be several segments.
 */
export function readUnencoded(
  node: JsonRecord,
  place: ParameterLocation,
): Pick<Parameter, "allowReserved" | "multiSegment"> {
  if (node["x-ms-skip-url-encoding"] !== true) {
    return { allowReserved: node["allowReserved"] === true };
  }
  return { allowReserved: true, ...(place === "path" ? { multiSegment: true } : {}) };
}

/** Creates the schema from the keywords of a Swagger 2.0 parameter. */
function toSwaggerSchema(location: Location): Location {
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
function getCollectionStyle(node: JsonRecord, place: ParameterLocation): CollectionStyle {
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

const urlencoded = "application/x-www-form-urlencoded";
const multipart = "multipart/form-data";

/** Reads the body that Swagger 2.0 declares as parameters: one `in: body`, or any number of `in: formData`. */
export function readSwaggerBody(
  reading: OperationReading,
  parameters: readonly Location[],
): RequestBody {
  const body = parameters.find(({ value }) => ownValue(value, "in") === "body");
  return body === undefined ? readFormBody(reading, parameters) : readFullBody(reading, body);
}

/** Returns the media types of `consumes` or `produces`: the operation's, else the document's (section 5.2.3). */
export function readSwaggerMediaTypes(
  reading: OperationReading,
  key: "consumes" | "produces",
): readonly string[] {
  const own = reading.getMember(key).value;
  const types = own ?? ownValue(reading.context.root.root, key);
  // A list by the specification; some documents have a single text.
  const names = [types].flat().filter((type): type is string => typeof type === "string");
  return [...new Set(names)];
}

function readFullBody(reading: OperationReading, parameter: Location): RequestBody {
  const declared = readSwaggerMediaTypes(reading, "consumes");
  const types = declared.length === 0 ? ["application/json"] : declared;
  const schema = reading.context.schemas.getSchema(getChild(parameter, "schema"), "request");
  const description = ownString(parameter.value, "description");
  return {
    required: ownValue(parameter.value, "required") === true,
    ...(description === undefined ? {} : { description }),
    media: types.map((mediaType) => ({ mediaType, schema })),
  };
}

function readFormBody(reading: OperationReading, parameters: readonly Location[]): RequestBody {
  const properties: Record<string, unknown> = {};
  const required: string[] = [];
  const encoding: Record<string, Encoding> = {};
  let hasFile = false;
  for (const parameter of parameters) {
    const name = String(ownValue(parameter.value, "name"));
    const schema = toSwaggerSchema(parameter).value as Record<string, unknown>;
    const description = ownString(parameter.value, "description");
    setOwn(properties, name, description === undefined ? schema : { ...schema, description });
    if (ownValue(parameter.value, "required") === true) required.push(name);
    if (isFile(schema)) hasFile = true;
    else if (schema["type"] === "array") {
      setOwn(
        encoding,
        name,
        getCollectionStyle(parameter.value as Record<string, unknown>, "query"),
      );
    }
  }
  const [first] = parameters as [Location];
  const value = { type: "object", properties, ...(required.length === 0 ? {} : { required }) };
  const schema = reading.context.schemas.getSchema(withValue(first, value), "request");
  const hasEncoding = Object.keys(encoding).length > 0;
  const media = getFormTypes(reading, hasFile).map((mediaType): MediaDescription => ({
    mediaType,
    schema,
    ...(hasEncoding ? { encoding } : {}),
  }));
  return { required: required.length > 0, media };
}

/** Returns true for a file or a list of files, which `format: binary` of later versions means too. */
function isFile(schema: unknown): boolean {
  return (
    ownValue(schema, "type") === "file" ||
    ownValue(schema, "format") === "binary" ||
    (isRecord(schema) && isFile(schema["items"]))
  );
}

/** Returns multipart for files; for other forms, the types that the operation consumes, url-encoded by default. */
function getFormTypes(reading: OperationReading, hasFile: boolean): readonly string[] {
  const consumes = readSwaggerMediaTypes(reading, "consumes");
  const forms = consumes.filter((type) => [urlencoded, multipart].includes(getMediaTypeName(type)));
  if (hasFile) return [multipart];
  return forms.length === 0 ? [urlencoded] : forms;
}
