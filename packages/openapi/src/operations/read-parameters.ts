import { childLocation, itemLocations, withValue } from "../document/references/location.ts";
import type { Location } from "../document/references/location.ts";
import { DanglingReference } from "../document/operation.ts";
import type {
  Parameter,
  ParameterLocation,
  ParameterStyle,
  SelfContainedSchema,
} from "../document/operation.ts";
import type { OperationReading } from "./operation-reading.ts";
import { mediaTypeAt } from "./read-body.ts";
import { readEncodings } from "./read-encoding.ts";
import { sharedParameters } from "./read-operations.ts";
import { isRecord, ownString, ownValue } from "../document/record.ts";
import type { JsonRecord } from "../document/record.ts";
import { fault } from "../document/references/resolve-reference.ts";
import type { ReferenceResolver } from "../document/references/resolve-reference.ts";
import { swaggerParameter } from "./swagger-parameter.ts";

/** The parameters of an operation, and those that Swagger 2.0 puts into the body. */
export interface ReadParameters {
  readonly parameters: readonly Parameter[];
  /** `in: body` and `in: formData`, references followed. */
  readonly legacyBody: readonly Location[];
}

// The media type, the accepted types and credentials are set by whoever sends the request
// (OpenAPI 3.2, "Parameter Object"); a model must never set credentials, whatever the version.
const ignoredHeaders: ReadonlySet<string> = new Set(["accept", "content-type", "authorization"]);

/**
 * Merges the parameters of path item and operation; the operation's replace those of the same name
 * and place.
 *
 * A parameter that is a reference to nothing is left out with a warning; not of a deletion, which might delete more without it.
 *
 * @throws {OperationError} a parameter is none.
 */
export function readParameters(reading: OperationReading): ReadParameters {
  const declared = new Map<string, DeclaredParameter>();
  for (const location of sharedParameters(reading.found)) declare(declared, location, reading);
  for (const location of itemLocations(reading.member("parameters"))) {
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
    // It may say what is deleted.
    if (!(error instanceof DanglingReference) || reading.found.method === "DELETE") throw error;
    reading.leaveOut("A parameter", error);
    return;
  }
  const name = ownString(location.value, "name");
  const place = ownString(location.value, "in");
  if (name === undefined || place === undefined) {
    throw fault(written, "the parameter has no `name` or no `in`");
  }
  declared.set(`${place} ${name}`, { name, place, location });
}

/** Follows references, but not one that stands for the schema of a parameter: some documents do that. */
function parameterAt(declared: Location, resolver: ReferenceResolver): Location {
  const location = resolver.follow(declared);
  const { value } = declared;
  if (location === declared || !isRecord(value) || ownValue(location.value, "in") !== undefined) {
    return location;
  }
  const { $ref, ...rest } = value;
  return withValue(declared, { ...rest, schema: { $ref } });
}

/** Names in the path that no parameter declares are required strings: nothing else could be meant. */
function addUndeclared(parameters: Parameter[], reading: OperationReading): void {
  const { found } = reading;
  const names = new Set(templateNames(found.path));
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
      `The path parameter ${JSON.stringify(name)} is not declared; it is taken as a required string.`,
      found.location,
    );
  }
}

const anyString: SelfContainedSchema = { schema: { type: "string" }, defs: new Map() };

/** The names in a path template; a query or fragment behind the path is none of it. */
export function templateNames(path: string): readonly string[] {
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
    throw fault(location, `the parameter's \`in\` is ${JSON.stringify(place.slice(0, 40))}`);
  }
  const legacy = node["schema"] === undefined && node["content"] === undefined;
  const parameter =
    legacy && (context.version === "2.0" || node["type"] !== undefined)
      ? swaggerParameter(location, place, context.schemas)
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
  // Its own `example` and `examples` are for people: a model reads those of the schema, where there is room for any.
  const content = childLocation(location, "content");
  const [mediaType] = isRecord(content.value) ? Object.keys(content.value) : [];
  if (mediaType === undefined) {
    const schema = schemas.schemaAt(childLocation(location, "schema"), "request");
    return { ...common, schema: withSecrecy(schema, node) };
  }
  const media = mediaTypeAt(childLocation(content, mediaType), reading.context);
  if (!isRecord(media.value)) throw fault(media, "the media type is not an object");
  const { encoding } = readEncodings(media, reading.context);
  return {
    ...common,
    mediaType,
    ...(encoding === undefined ? {} : { encoding }),
    schema: withSecrecy(schemas.schemaAt(childLocation(media, "schema"), "request"), node),
  };
}

/** `x-secret` of a parameter is that of its value. */
function withSecrecy(
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

/** The declared style when it exists for the place, else the default (OpenAPI 3.2, "Style Values"). */
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
