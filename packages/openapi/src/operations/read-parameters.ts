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
import { readSwaggerParameter } from "./swagger.ts";

/** The parameters of an operation, and those that Swagger 2.0 puts into the body. */
export interface ReadParameters {
  readonly parameters: readonly Parameter[];
  /** `in: body` and `in: formData`, references resolved. */
  readonly legacyBody: readonly Location[];
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
  for (const location of sharedParameters(reading.found)) declare(declared, location, reading);
  for (const location of getItems(reading.getMember("parameters"))) {
    declare(declared, location, reading);
  }
  const parameters: Parameter[] = [];
  const legacyBody: Location[] = [];
  for (const { name, place, location } of declared.values()) {
    if (place === "body" || place === "formData") {
      legacyBody.push(location);
    } else if (place !== "header" || !ignoredHeaders.has(name.toLowerCase())) {
      parameters.push(readParameter(location, place, reading));
    }
  }
  addUndeclared(parameters, reading);
  return { parameters, legacyBody };
}

interface DeclaredParameter {
  readonly name: string;
  readonly place: string;
  readonly location: Location;
}

function declare(
  declared: Map<string, DeclaredParameter>,
  written: Location,
  reading: OperationReading,
): void {
  let location: Location;
  try {
    location = parameterAt(written, reading.context.resolver);
  } catch (error) {
    // The parameter may restrict what is deleted.
    if (!(error instanceof DanglingReference) || reading.found.method === "DELETE") throw error;
    reading.warnOfOmission("A parameter", error);
    return;
  }
  const name = ownText(location.value, "name");
  const place = ownString(location.value, "in");
  if (name === undefined) throw referenceError(written, "the parameter has no `name`");
  if (place === undefined) {
    throw referenceError(
      written,
      `the parameter ${JSON.stringify(name.slice(0, 100))} has no \`in\``,
    );
  }
  declared.set(`${place} ${name}`, { name, place, location });
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

/** Adds required strings for names in the path that no parameter declares. */
function addUndeclared(parameters: Parameter[], reading: OperationReading): void {
  const { found } = reading;
  const names = new Set(parseTemplateNames(found.path));
  for (const known of parameters) if (known.in === "path") names.delete(known.name);
  for (const name of names) {
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
      found.location,
    );
  }
}

const anyString: SelfContainedSchema = { schema: { type: "string" }, defs: new Map() };

/** Returns the names in a path template; a query or fragment after the path is ignored. */
export function parseTemplateNames(path: string): readonly string[] {
  const names: string[] = [];
  for (let index = 0; index < path.length; index++) {
    const character = path.charAt(index);
    if (character === "?" || character === "#") break;
    if (character !== "{") continue;
    const close = path.indexOf("}", index);
    if (close === -1) break;
    if (close > index + 1) names.push(path.slice(index + 1, close));
    index = close;
  }
  return names;
}

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
    allowReserved: node["allowReserved"] === true,
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

function isPlace(place: string): place is ParameterLocation {
  return Object.hasOwn(styles, place);
}

function parameterKey(location: Location): string {
  return String(ownValue(location.value, "name"));
}
