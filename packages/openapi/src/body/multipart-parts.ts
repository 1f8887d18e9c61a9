import { setOwn, isJsonObject } from "../document/record.ts";
import type { JsonObject, JsonSchema, JsonValue } from "@toolweave/core";
import type { Encoding, Encodings, Parameter, SelfContainedSchema } from "../document/operation.ts";
import { requiredNames, resolveSchema, schemaTypes } from "../schema/resolve-schema.ts";
import { base64Schema, isBinarySchema, isEncodedSchema, isMediaType } from "./binary-content.ts";
import { artifactFiller, type ArtifactFiller } from "./artifact-body-fields.ts";
import { styledProperty } from "../parameters/form-text.ts";
import { isJsonMediaType, mediaTypeName } from "../document/media-type.ts";
import { parameterWriter } from "../parameters/serialize-parameter.ts";
import type { ParameterWriter } from "../parameters/style-writer.ts";

type Schema = JsonSchema | boolean;

/** How the parts of one property, or of one position, are written. */
export interface MultipartPart {
  /** The argument is base64, the part a file. */
  readonly file: boolean;
  /** The argument and the part are encoded bytes: their schema. */
  readonly encoded?: JsonSchema;
  /** Puts the bytes of artifacts where the part, which is an object, has their keys. */
  readonly fill?: ArtifactFiller;
  /** Text becomes a JSON string. */
  readonly json: boolean;
  /** What the part may be; may have wildcards, may be empty. */
  readonly types: readonly string[];
  /** The same on every part. */
  readonly fixedHeaders: readonly (readonly [name: string, text: string])[];
  /** Chosen by the model: the part is passed as `{ content, headers }`. */
  readonly headers: readonly PartHeader[];
  /** A list is one part, not a part for each item. */
  readonly whole: boolean;
  /** Written like a query parameter, without percent-encoding. */
  readonly styled?: Parameter;
  /** The part has parts itself. */
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
  /** Every property that the schema names. */
  readonly names: ReadonlySet<string>;
  /** Those of which a part must be there. */
  readonly required: ReadonlySet<string>;
  readonly prefix: readonly MultipartPart[];
  /** What has no other plan. */
  readonly rest: MultipartPart;
}

/** Plans, and what the model passes for the body. */
export interface PlannedParts {
  readonly schema: Schema;
  readonly plans: MultipartParts;
}

/** A body or a part that has parts. */
interface Parts extends Encodings {
  readonly mediaType: string;
  readonly schema: Schema;
  readonly defs: SelfContainedSchema["defs"];
}

interface PlannedPart {
  readonly plan: MultipartPart;
  /** What the model passes; absent: what the document says. */
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

/** What is known of a property that the schema does not name. */
const anything: JsonSchema = { type: ["string", "number", "boolean", "object", "array"] };

/** A part is sent as it is: nobody chooses how it is coded (RFC 7578 section 4.7; RFC 9110 section 8.4). */
const codingHeaders: ReadonlySet<string> = new Set([
  "content-transfer-encoding",
  "content-encoding",
  "content-length",
  "transfer-encoding",
]);

const deepest = 8;
/** What a body is composed of, written out: a few layers of choices among the same can be billions. */
const maxRoots = 1000;

/** Compiles the parts of a multipart body (OpenAPI 3.2, "Encoding Usage and Restrictions"). */
export function planParts(parts: Parts): PlannedParts {
  const byName = new Map<string, MultipartPart>();
  const prefix: MultipartPart[] = [];
  const names = new Set<string>();
  const found = { byName, names, prefix, rest: plainPart, left: maxRoots };
  const schema = planRoot(parts.schema, parts, found, 0);
  // An encoding says how a property is written that the schema does not name.
  for (const [name, encoding] of Object.entries(parts.encoding ?? {})) {
    if (!byName.has(name)) byName.set(name, planPart(anything, encoding, parts, name).plan);
  }
  const required = requiredNames(parts.schema, parts.defs);
  const { mediaType } = parts;
  return { schema, plans: { mediaType, byName, names, required, prefix, rest: found.rest } };
}

interface Found {
  readonly byName: Map<string, MultipartPart>;
  readonly names: Set<string>;
  readonly prefix: MultipartPart[];
  rest: MultipartPart;
  /** How many schemas may still be looked at. */
  left: number;
}

/** Plans what a schema says of the parts, at its root and in what the root is composed of. Returns it as the model fills it in. */
function planRoot(given: Schema, parts: Parts, found: Found, depth: number): Schema {
  const root = resolveSchema(given, parts.defs);
  if (typeof root === "boolean" || depth > deepest || found.left-- <= 0) return given;
  const changes: Record<string, JsonValue> = {};
  const { properties, prefixItems, items } = root;
  if (isJsonObject(properties)) {
    const planned = planProperties(
      properties,
      parts,
      (name) => explicitEncoding(parts, name),
      found,
    );
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
  encodingOf: (name: string) => Encoding,
  { byName, names }: Found,
): JsonObject | undefined {
  let changed: Record<string, JsonValue> | undefined;
  for (const [name, property] of Object.entries(properties) as [string, Schema][]) {
    const { plan, schema } = planPart(property, encodingOf(name), parts, name);
    names.add(name);
    if (plan !== plainPart) byName.set(name, plan);
    if (schema === undefined) continue;
    changed ??= { ...properties };
    changed[name] = schema as JsonValue;
  }
  return changed;
}

/** An item of a form that is a list, so that its order is kept: an object with the field's name and value. */
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
  const types = contentTypes(encoding);
  const nestedType = types.find((type) => type.startsWith("multipart/"));
  const list = name !== undefined && typeof schema === "object" && isList(schema);
  if (list && !(nestedType !== undefined && !isComplex(schema, parts.defs))) {
    const styled = isForm ? styledProperty(name, encoding) : undefined;
    if (styled !== undefined) return { plan: { ...plainPart, styled } };
    const { items } = schema;
    const inner = planPart((items ?? { type: "string" }) as Schema, encoding, parts);
    return inner.schema === undefined
      ? inner
      : { plan: inner.plan, schema: { ...schema, items: inner.schema as JsonValue } };
  }
  const styled = isForm && name !== undefined ? styledProperty(name, encoding) : undefined;
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
  if (isBinarySchema(schema, parts.defs, encoding.contentType) || isUnsaid(schema, types)) {
    const declared = types.length > 0 || typeof mediaType !== "string" ? types : [mediaType];
    const plan = { ...plainPart, file: true, types: declared };
    const ranges = declared.some((type) => type.includes("*")) ? 2 : declared.length;
    return withHeaders({ plan, schema: base64Schema(schema, ranges) }, headers, schema);
  }
  const encoded = isEncodedSchema(schema) ? { encoded: schema as JsonSchema } : {};
  // A text that is JSON already is sent as it is.
  const isJsonText = typeof mediaType === "string" && isJsonMediaType(mediaType);
  const json = types[0] !== undefined && isJsonMediaType(types[0]) && !isJsonText;
  const fill = isStructured(schema) ? artifactFiller({ schema, defs: parts.defs }) : undefined;
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

/** Headers that can have one value have it; the model chooses the others. */
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
    const write = parameterWriter(header, name);
    const only = onlyValue(resolveSchema(says, header.schema.defs));
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

function onlyValue(schema: Schema): JsonValue | undefined {
  if (typeof schema === "boolean") return undefined;
  const { const: only, enum: values } = schema;
  return (
    only ?? (Array.isArray(values) && values.length === 1 ? (values[0] as JsonValue) : undefined)
  );
}

const words = new Set(["description", "$comment", "deprecated", "writeOnly", "x-secret"]);

/** A schema that says nothing of its value means bytes, unless a content type says otherwise (OpenAPI 3.2, "Encoding Object"). */
function isUnsaid(schema: Schema, types: readonly string[]): boolean {
  if (types.length > 0 || schema === false) return false;
  return schema === true || Object.keys(schema).every((keyword) => words.has(keyword));
}

/** True for an object, in which bytes may have places of their own. */
function isStructured(schema: Schema): boolean {
  if (typeof schema === "boolean") return false;
  return schemaTypes(schema).includes("object") || isJsonObject(schema["properties"]);
}

function isList(schema: JsonSchema): boolean {
  return schemaTypes(schema).includes("array");
}

/** A list whose items are lists or objects themselves. */
function isComplex({ items }: JsonSchema, defs: SelfContainedSchema["defs"]): boolean {
  const types = items === undefined ? [] : schemaTypes(resolveSchema(items as Schema, defs));
  return types.includes("array") || types.includes("object");
}

function contentTypes({ contentType }: Encoding): readonly string[] {
  const types = contentType?.split(",").map((type) => type.trim()) ?? [];
  return types.filter((type) => isMediaType(type.replaceAll("*", "x")));
}

function explicitEncoding({ encoding }: Parts, name: string): Encoding {
  return encoding !== undefined && Object.hasOwn(encoding, name)
    ? (encoding[name] as Encoding)
    : {};
}

/** True for the multipart type whose parts have names. */
export function isFormData({ mediaType }: Pick<Parts, "mediaType">): boolean {
  return mediaTypeName(mediaType) === "multipart/form-data";
}
