import {
  findExpressions,
  getNamesIn,
  resolveExpression,
  splitTemplate,
} from "../document/path-expressions.ts";
import { getChild, getItems, withValue } from "../document/references/location.ts";
import type { Location } from "../document/references/location.ts";
import { DanglingReference } from "../document/operation.ts";
import type {
  Parameter,
  ParameterLocation,
  ParameterStyle,
  SelfContainedSchema,
} from "../document/operation.ts";
import type { OperationReading } from "./operation-reading.ts";
import { mediaTypeAt, readEncodings } from "./read-body.ts";
import { sharedParameters } from "./read-operations.ts";
import { isRecord, ownString, ownText, ownValue } from "../document/record.ts";
import type { JsonRecord } from "../document/record.ts";
import { referenceError } from "../document/references/resolve-reference.ts";
import type { ReferenceResolver } from "../document/references/resolve-reference.ts";
import { readSwaggerParameter, readUnencoded } from "./swagger.ts";

/** The parameters of an operation, and those that Swagger 2.0 puts into the body. */
export interface ReadParameters {
  readonly parameters: readonly Parameter[];
  /** `in: body` and `in: formData`, references resolved. */
  readonly legacyBody: readonly Location[];
  /** A header `Authorization` was declared as a parameter, and ignored. */
  readonly declaresAuthorization: boolean;
}

// The sender of a request sets the media type, the accepted types and credentials (OpenAPI 3.2, "Parameter Object"); in
// all versions, a model must never set credentials.
const ignoredHeaders: ReadonlySet<string> = new Set(["accept", "content-type", "authorization"]);

/**
 * Merges the parameters of path item and operation; those of the operation replace those of the same name and location.
 *
 * A parameter that is a dangling reference is omitted with a warning, except for DELETE, which might delete more
 * without it.
 *
 * @throws {OperationError} a parameter is invalid.
 */
export function readParameters(reading: OperationReading): ReadParameters {
  const declared = new Map<string, DeclaredParameter>();
  const lists = [...sharedParameters(reading.found), getItems(reading.getMember("parameters"))];
  for (const list of lists) declareAll(declared, list, reading);
  const parameters: Parameter[] = [];
  const legacyBody: Location[] = [];
  for (const { name, place, location } of declared.values()) {
    if (place === "body" || place === "formData") {
      legacyBody.push(location);
    } else if (place !== "header" || !ignoredHeaders.has(name.toLowerCase())) {
      parameters.push(readParameter(location, place, reading));
    }
  }
  const declaresAuthorization = declared.has("header authorization");
  applyTemplate(parameters, reading);
  return { parameters, legacyBody, declaresAuthorization };
}

interface DeclaredParameter {
  readonly name: string;
  readonly place: string;
  readonly location: Location;
  /** The list in which it is declared. */
  readonly list: readonly Location[];
}

/** Declares the parameters of one list, which replace those of earlier lists, and must not be in it twice. */
function declareAll(
  declared: Map<string, DeclaredParameter>,
  list: readonly Location[],
  reading: OperationReading,
): void {
  for (const written of list) {
    const parameter = toDeclared(written, list, reading);
    if (parameter === undefined) continue;
    const { name, place } = parameter;
    // The names of headers are case-insensitive (RFC 9110 section 5.1).
    const key = `${place} ${place === "header" ? name.toLowerCase() : name}`;
    const other = declared.get(key);
    if (other?.list === list) {
      const before = other.name === name ? "" : ` (before as ${JSON.stringify(other.name)})`;
      reading.warn(
        `The ${place} parameter ${JSON.stringify(name)} is declared twice${before}: the last declaration is used.`,
        written,
      );
    }
    declared.set(key, parameter);
  }
}

/** Resolves a parameter; `undefined` if it is omitted. */
function toDeclared(
  written: Location,
  list: readonly Location[],
  reading: OperationReading,
): DeclaredParameter | undefined {
  let location: Location;
  try {
    location = parameterAt(written, reading.context.resolver);
  } catch (error) {
    // The parameter may restrict what is deleted.
    if (!(error instanceof DanglingReference) || reading.found.method === "DELETE") throw error;
    reading.warnOfOmission("A parameter", error);
    return undefined;
  }
  const name = ownText(location.value, "name");
  const place = toPlace(ownString(location.value, "in"));
  if (name === undefined) throw referenceError(written, "the parameter has no `name`");
  if (place === undefined) {
    throw referenceError(
      written,
      `the parameter ${JSON.stringify(name.slice(0, 100))} has no \`in\``,
    );
  }
  return { name, place, location, list };
}

/** Returns the place in the spelling of the specification, if only its case differs. */
function toPlace(written: string | undefined): string | undefined {
  return written === undefined ? undefined : (places.get(written.toLowerCase()) ?? written);
}

/** Resolves references, except one that replaces the schema of a parameter, as in some documents. */
function parameterAt(declared: Location, resolver: ReferenceResolver): Location {
  const location = resolver.follow(declared);
  const { value } = declared;
  if (location === declared || !isRecord(value) || ownValue(location.value, "in") !== undefined) {
    return location;
  }
  const { $ref, ...rest } = value;
  return withValue(declared, { ...rest, schema: { $ref } });
}

/**
 * Applies the path template: adds required texts for names that no parameter declares, and finds the parameters whose
 * value may be several segments.
 */
function applyTemplate(parameters: Parameter[], reading: OperationReading): void {
  const { found } = reading;
  if (!found.path.includes("{")) return;
  const { path, query } = splitTemplate(found.path);
  const inPath = getNamesIn(["path"], parameters);
  for (const text of findExpressions(path)) {
    const { name, isGreedy } = resolveExpression(text, inPath);
    if (!inPath.has(name)) addUndeclared(name, parameters, reading);
    inPath.add(name);
    if (!isGreedy) continue;
    const index = parameters.findIndex((known) => known.in === "path" && known.name === name);
    parameters[index] = { ...(parameters[index] as Parameter), multiSegment: true };
  }
  if (query === "") return;
  const sent = getNamesIn(["path", "query"], parameters);
  for (const text of findExpressions(query)) {
    const { name } = resolveExpression(text, sent);
    if (!sent.has(name)) addUndeclared(name, parameters, reading);
    sent.add(name);
  }
}

function addUndeclared(name: string, parameters: Parameter[], reading: OperationReading): void {
  parameters.push({
    name,
    in: "path",
    required: true,
    deprecated: false,
    style: "simple",
    explode: false,
    allowReserved: false,
    schema: anyString,
  });
  reading.warn(
    `The path parameter ${JSON.stringify(name)} is not declared; it is treated as a required string.`,
    reading.found.location,
  );
}

const anyString: SelfContainedSchema = { schema: { type: "string" }, defs: new Map() };

function readParameter(location: Location, place: string, reading: OperationReading): Parameter {
  const { context } = reading;
  const node = location.value as JsonRecord;
  const known = context.parameters.get(node);
  if (known !== undefined) return known;
  if (!isPlace(place)) {
    throw referenceError(
      location,
      `the parameter's \`in\` is ${JSON.stringify(place.slice(0, 40))}`,
    );
  }
  const legacy = node["schema"] === undefined && node["content"] === undefined;
  const parameter =
    legacy && (context.version === "2.0" || node["type"] !== undefined)
      ? readSwaggerParameter(location, place, context.schemas)
      : modernParameter(location, place, reading);
  context.parameters.set(node, parameter);
  return parameter;
}

function modernParameter(
  location: Location,
  place: ParameterLocation,
  reading: OperationReading,
): Parameter {
  const { schemas } = reading.context;
  const node = location.value as JsonRecord;
  const style = readStyle(node["style"], place);
  const explode = node["explode"];
  const description = ownString(node, "description");
  const common = {
    name: parameterKey(location),
    in: place,
    required: place === "path" || node["required"] === true,
    ...(description === undefined ? {} : { description }),
    deprecated: node["deprecated"] === true,
    style,
    explode: typeof explode === "boolean" ? explode : style === "form" || style === "cookie",
    ...readUnencoded(node, place),
    ...(node["allowEmptyValue"] === true ? { allowEmptyValue: true } : {}),
  };
  // Its own `example` and `examples` are not used: a model sees those of the schema, if there is room for them.
  const content = getChild(location, "content");
  const [mediaType] = isRecord(content.value) ? Object.keys(content.value) : [];
  if (mediaType === undefined) {
    const schema = schemas.getSchema(getChild(location, "schema"), "request");
    return { ...common, schema: withSecretMark(schema, node) };
  }
  const media = mediaTypeAt(getChild(content, mediaType), reading.context);
  if (!isRecord(media.value)) throw referenceError(media, "the media type is not an object");
  const { encoding } = readEncodings(media, reading.context);
  return {
    ...common,
    mediaType,
    ...(encoding === undefined ? {} : { encoding }),
    schema: withSecretMark(schemas.getSchema(getChild(media, "schema"), "request"), node),
  };
}

/** Applies the `x-secret` of a parameter to its value. */
function withSecretMark(
  schema: SelfContainedSchema,
  { "x-secret": secret }: JsonRecord,
): SelfContainedSchema {
  const { schema: value, defs, cleaned = false, endless = false, dangling = [] } = schema;
  if (secret !== true || value === false) return schema;
  const marked = { ...(value === true ? {} : value), "x-secret": true };
  return { schema: marked, defs, cleaned, endless, dangling };
}

const styles: Readonly<Record<ParameterLocation, readonly ParameterStyle[]>> = {
  path: ["simple", "label", "matrix"],
  query: ["form", "spaceDelimited", "pipeDelimited", "deepObject"],
  header: ["simple"],
  cookie: ["form", "cookie"],
  querystring: ["form"],
};

/** Returns the declared style if the location allows it, else the default (OpenAPI 3.2, "Style Values"). */
function readStyle(declared: unknown, place: ParameterLocation): ParameterStyle {
  const possible = styles[place];
  return possible.find((style) => style === declared) ?? (possible[0] as ParameterStyle);
}

/** The places in the spelling of the specification, by their names in lower case. */
const places: ReadonlyMap<string, string> = new Map(
  [...Object.keys(styles), "body", "formData"].map((place) => [place.toLowerCase(), place]),
);

function isPlace(place: string): place is ParameterLocation {
  return Object.hasOwn(styles, place);
}

function parameterKey(location: Location): string {
  return String(ownValue(location.value, "name"));
}
