import type { JsonObject, JsonSchema, JsonValue } from "@toolweave/core";
import { getMediaTypeName, isJsonMediaType } from "@toolweave/core/adapter";
import { setOwn, isJsonObject } from "../document/record.ts";
import type { Encoding, Encodings, Parameter, SelfContainedSchema } from "../document/operation.ts";
import { getRequiredNames, resolveSchema, getSchemaTypes } from "../schema/resolve-schema.ts";
import { toBase64Schema, isBinarySchema, isEncodedSchema, isMediaType } from "./binary-content.ts";
import { createArtifactFiller, type ArtifactFiller } from "./artifact-body-fields.ts";
import { toStyledProperty } from "../parameters/form-text.ts";
import { createParameterWriter } from "../parameters/serialize-parameter.ts";
import type { ParameterWriter } from "../parameters/style-writer.ts";

type Schema = JsonSchema | boolean;

/** The way in which the parts of one property, or of one position, are written. */
export interface MultipartPart {
  /** The argument is base64 text, and the part is a file. */
  readonly file: boolean;
  /** The schema of encoded bytes; the argument and the part have the same encoding. */
  readonly encoded?: JsonSchema;
  /** Replaces the keys of artifacts in a part that is an object by their bytes. */
  readonly fill?: ArtifactFiller;
  /** Text is written as a JSON string. */
  readonly json: boolean;
  /** The media types of the part; may contain wildcards, may be empty. */
  readonly types: readonly string[];
  /** The headers that every part has. */
  readonly fixedHeaders: readonly (readonly [name: string, text: string])[];
  /** The headers that the model chooses: the part is passed as `{ content, headers }`. */
  readonly headers: readonly PartHeader[];
  /** A list is one part, instead of one part for each item. */
  readonly whole: boolean;
  /** Written like a query parameter, without percent-encoding. */
  readonly styled?: Parameter;
  /** The part is itself multipart. */
  readonly nested?: MultipartParts;
}

/** A header of a part, chosen by the model. */
interface PartHeader {
  readonly name: string;
  readonly write: ParameterWriter;
}

/** The parts of a multipart body, by name and by position. */
export interface MultipartParts {
  /** The body's media type, as declared. */
  readonly mediaType: string;
  readonly byName: ReadonlyMap<string, MultipartPart>;
  /** All properties that the schema names. */
  readonly names: ReadonlySet<string>;
  /** The properties that must have a part. */
  readonly required: ReadonlySet<string>;
  readonly prefix: readonly MultipartPart[];
  /** For parts that have no plan of their own. */
  readonly rest: MultipartPart;
}

/** The plans, and the schema of the body as the model sees it. */
export interface PlannedParts {
  readonly schema: Schema;
  readonly plans: MultipartParts;
}

/** A body or a part that consists of parts. */
interface Parts extends Encodings {
  readonly mediaType: string;
  readonly schema: Schema;
  readonly defs: SelfContainedSchema["defs"];
}

interface PlannedPart {
  readonly plan: MultipartPart;
  /** The schema that the model sees; absent: that of the document. */
  readonly schema?: Schema;
}

const plainPart: MultipartPart = {
  file: false,
  json: false,
  types: [],
  fixedHeaders: [],
  headers: [],
  whole: false,
};

/** The schema of a property that the document does not name. */
const anything: JsonSchema = { type: ["string", "number", "boolean", "object", "array"] };

/** A part is sent without a coding, so these headers are never set (RFC 7578 section 4.7; RFC 9110 section 8.4). */
const codingHeaders: ReadonlySet<string> = new Set([
  "content-transfer-encoding",
  "content-encoding",
  "content-length",
  "transfer-encoding",
]);

const deepest = 8;
/** Maximum number of schemas of which a body is composed: a few levels of repeated choices can expand to billions. */
const maxRoots = 1000;

/** Compiles the parts of a multipart body (OpenAPI 3.2, "Encoding Usage and Restrictions"). */
export function planParts(parts: Parts): PlannedParts {
  const byName = new Map<string, MultipartPart>();
  const prefix: MultipartPart[] = [];
  const names = new Set<string>();
  const found = { byName, names, prefix, rest: plainPart, left: maxRoots };
  const schema = planRoot(parts.schema, parts, found, 0);
  // An encoding may define a property that the schema does not name.
  for (const [name, encoding] of Object.entries(parts.encoding ?? {})) {
    if (!byName.has(name)) byName.set(name, planPart(anything, encoding, parts, name).plan);
  }
  const required = getRequiredNames(parts.schema, parts.defs);
  const { mediaType } = parts;
  return { schema, plans: { mediaType, byName, names, required, prefix, rest: found.rest } };
}

interface Found {
  readonly byName: Map<string, MultipartPart>;
  readonly names: Set<string>;
  readonly prefix: MultipartPart[];
  rest: MultipartPart;
  /** Number of schemas that may still be processed. */
  left: number;
}

/**
 * Plans the parts that a schema describes, at its root and in the schemas of which it is composed. Returns the schema
 * that the model sees.
 */
function planRoot(given: Schema, parts: Parts, found: Found, depth: number): Schema {
  const root = resolveSchema(given, parts.defs);
  if (typeof root === "boolean" || depth > deepest || found.left-- <= 0) return given;
  const changes: Record<string, JsonValue> = {};
  const { properties, prefixItems, items } = root;
  if (isJsonObject(properties)) {
    const planned = planProperties(properties, parts, (name) => getEncoding(parts, name), found);
    if (planned !== undefined) changes["properties"] = planned;
  }
  const isForm = isFormData(parts);
  if (Array.isArray(prefixItems)) {
    changes["prefixItems"] = (prefixItems as Schema[]).map((item, index) => {
      const encoding = parts.prefixEncoding?.[index] ?? parts.itemEncoding ?? {};
      if (isForm) return planField(item, parts, encoding, found);
      const { plan, schema = item } = planPart(item, encoding, parts);
      found.prefix.push(plan);
      return schema;
    }) as JsonValue;
  } else if (!isForm) {
    for (const encoding of parts.prefixEncoding ?? []) {
      found.prefix.push(planPart((items as Schema | undefined) ?? true, encoding, parts).plan);
    }
  }
  if (items !== undefined || parts.itemEncoding !== undefined) {
    const item = (items ?? true) as Schema;
    const encoding = parts.itemEncoding ?? {};
    if (isForm) changes["items"] = planField(item, parts, encoding, found) as JsonValue;
    else {
      const { plan, schema } = planPart(item, encoding, parts);
      found.rest = plan;
      if (schema !== undefined) changes["items"] = schema as JsonValue;
    }
  }
  for (const keyword of ["allOf", "anyOf", "oneOf"]) {
    const branches = root[keyword];
    if (!Array.isArray(branches)) continue;
    let changed = false;
    const planned = (branches as Schema[]).map((branch) => {
      const inner = planRoot(branch, parts, found, depth + 1);
      changed ||= inner !== branch;
      return inner;
    });
    if (changed) changes[keyword] = planned as JsonValue;
  }
  return Object.keys(changes).length === 0 ? given : ({ ...root, ...changes } as JsonSchema);
}

function planProperties(
  properties: JsonObject,
  parts: Parts,
  findEncoding: (name: string) => Encoding,
  { byName, names }: Found,
): JsonObject | undefined {
  let changed: Record<string, JsonValue> | undefined;
  for (const [name, property] of Object.entries(properties) as [string, Schema][]) {
    const { plan, schema } = planPart(property, findEncoding(name), parts, name);
    names.add(name);
    if (plan !== plainPart) byName.set(name, plan);
    if (schema === undefined) continue;
    changed ??= { ...properties };
    changed[name] = schema as JsonValue;
  }
  return changed;
}

/** Plans an item of a form that is a list to preserve its order: an object with the field's name and value. */
function planField(given: Schema, parts: Parts, encoding: Encoding, found: Found): Schema {
  const item = resolveSchema(given, parts.defs);
  if (typeof item === "boolean" || !isJsonObject(item["properties"])) return given;
  const planned = planProperties(item["properties"], parts, () => encoding, found);
  return planned === undefined ? given : { ...item, properties: planned };
}

/** @param name of the property; absent for a position. */
function planPart(given: Schema, encoding: Encoding, parts: Parts, name?: string): PlannedPart {
  const schema = resolveSchema(given, parts.defs);
  const isForm = isFormData(parts);
  const types = parseContentTypes(encoding);
  const nestedType = types.find((type) => type.startsWith("multipart/"));
  const list = name !== undefined && typeof schema === "object" && isList(schema);
  if (list && !(nestedType !== undefined && !isComplex(schema, parts.defs))) {
    const styled = isForm ? toStyledProperty(name, encoding) : undefined;
    if (styled !== undefined) return { plan: { ...plainPart, styled } };
    const { items } = schema;
    const inner = planPart((items ?? { type: "string" }) as Schema, encoding, parts);
    return inner.schema === undefined
      ? inner
      : { plan: inner.plan, schema: { ...schema, items: inner.schema as JsonValue } };
  }
  const styled = isForm && name !== undefined ? toStyledProperty(name, encoding) : undefined;
  if (styled !== undefined) return { plan: { ...plainPart, styled } };
  const headers = (encoding.headers ?? []).filter(
    ({ name: header }) => !codingHeaders.has(header.toLowerCase()),
  );
  if (nestedType !== undefined) {
    const nested = planParts({ ...encoding, mediaType: nestedType, schema, defs: parts.defs });
    const plan = { ...plainPart, whole: true, nested: nested.plans };
    return withHeaders({ plan, schema: nested.schema }, headers, schema);
  }
  const mediaType = typeof schema === "object" ? schema["contentMediaType"] : undefined;
  if (
    isBinarySchema(schema, parts.defs, encoding.contentType) ||
    isUnconstrainedSchema(schema, types)
  ) {
    const declared = types.length > 0 || typeof mediaType !== "string" ? types : [mediaType];
    const plan = { ...plainPart, file: true, types: declared };
    const ranges = declared.some((type) => type.includes("*")) ? 2 : declared.length;
    return withHeaders({ plan, schema: toBase64Schema(schema, ranges) }, headers, schema);
  }
  const encoded = isEncodedSchema(schema) ? { encoded: schema as JsonSchema } : {};
  // A text that already is JSON is sent unchanged.
  const isJsonText = typeof mediaType === "string" && isJsonMediaType(mediaType);
  const json = types[0] !== undefined && isJsonMediaType(types[0]) && !isJsonText;
  const fill = isStructured(schema)
    ? createArtifactFiller({ schema, defs: parts.defs })
    : undefined;
  const isPlain =
    !json && types.length === 0 && headers.length === 0 && !isEncodedSchema(schema) && !fill;
  if (isPlain) return { plan: plainPart };
  const filled = fill === undefined ? {} : { fill };
  return withHeaders(
    { plan: { ...plainPart, json, types, ...encoded, ...filled } },
    headers,
    schema,
  );
}

/** Sets the headers that have only one possible value; the model chooses the others. */
function withHeaders(
  { plan, schema }: PlannedPart,
  headers: readonly Parameter[],
  given: Schema,
): PlannedPart {
  const fixedHeaders: [string, string][] = [];
  const chosen: PartHeader[] = [];
  const properties: Record<string, JsonValue> = {};
  const required: string[] = [];
  for (const header of headers) {
    const { name } = header;
    const { schema: says } = header.schema;
    const write = createParameterWriter(header, name);
    const only = getOnlyValue(resolveSchema(says, header.schema.defs));
    if (only !== undefined && only !== null) {
      const text = write(only);
      if (text !== undefined) fixedHeaders.push([name, text]);
    } else if (says !== false) {
      chosen.push({ name, write });
      setOwn(properties, name, says);
      if (header.required) required.push(name);
    }
  }
  const planned: MultipartPart = { ...plan, fixedHeaders, headers: chosen };
  if (chosen.length === 0)
    return schema === undefined ? { plan: planned } : { plan: planned, schema };
  return {
    plan: planned,
    schema: {
      type: "object",
      properties: {
        content: (schema ?? given) as JsonValue,
        headers: {
          type: "object",
          properties,
          ...(required.length === 0 ? {} : { required }),
          additionalProperties: false,
        },
      },
      required: required.length === 0 ? ["content"] : ["content", "headers"],
      additionalProperties: false,
    },
  };
}

function getOnlyValue(schema: Schema): JsonValue | undefined {
  if (typeof schema === "boolean") return undefined;
  const { const: only, enum: values } = schema;
  return (
    only ?? (Array.isArray(values) && values.length === 1 ? (values[0] as JsonValue) : undefined)
  );
}

const words = new Set(["description", "$comment", "deprecated", "writeOnly", "x-secret"]);

/**
 * Returns true for a schema without constraints: it means bytes, unless a content type defines something else (OpenAPI
 * 3.2, "Encoding Object").
 */
function isUnconstrainedSchema(schema: Schema, types: readonly string[]): boolean {
  if (types.length > 0 || schema === false) return false;
  return schema === true || Object.keys(schema).every((keyword) => words.has(keyword));
}

/** Returns true for an object, whose properties may contain bytes. */
function isStructured(schema: Schema): boolean {
  if (typeof schema === "boolean") return false;
  return getSchemaTypes(schema).includes("object") || isJsonObject(schema["properties"]);
}

function isList(schema: JsonSchema): boolean {
  return getSchemaTypes(schema).includes("array");
}

/** Returns true for a list whose items are lists or objects. */
function isComplex({ items }: JsonSchema, defs: SelfContainedSchema["defs"]): boolean {
  const types = items === undefined ? [] : getSchemaTypes(resolveSchema(items as Schema, defs));
  return types.includes("array") || types.includes("object");
}

function parseContentTypes({ contentType }: Encoding): readonly string[] {
  const types = contentType?.split(",").map((type) => type.trim()) ?? [];
  return types.filter((type) => isMediaType(type.replaceAll("*", "x")));
}

function getEncoding({ encoding }: Parts, name: string): Encoding {
  return encoding !== undefined && Object.hasOwn(encoding, name)
    ? (encoding[name] as Encoding)
    : {};
}

/** Returns true for the multipart type with named parts. */
export function isFormData({ mediaType }: Pick<Parts, "mediaType">): boolean {
  return getMediaTypeName(mediaType) === "multipart/form-data";
}
