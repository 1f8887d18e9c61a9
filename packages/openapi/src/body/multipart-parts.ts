import type { JsonObject, JsonSchema, JsonValue } from "@toolweave/core";
import { getMediaTypeName, isCheckablePattern, isJsonMediaType } from "@toolweave/core/adapter";
import { isJsonObject } from "../document/record.ts";
import type { Encoding, Encodings, SelfContainedSchema } from "../document/operation.ts";
import {
  getRequiredNames,
  getSchemaTypes,
  isNullable,
  resolveSchema,
  toAlternatives,
  toPlainSchema,
} from "../schema/resolve-schema.ts";
import {
  toBase64Schema,
  isBinarySchema,
  isEncodedSchema,
  isMediaType,
  isPlainBinary,
} from "./binary-content.ts";
import { createArtifactFiller } from "./artifact-body-fields.ts";
import { toStyledProperty } from "../parameters/form-text.ts";
import type { MultipartPart, MultipartParts } from "./multipart-plan.ts";
import { planHeaders, type PlannedHeaders } from "./part-headers.ts";

type Schema = JsonSchema | boolean;

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

const deepest = 8;
/** Maximum number of schemas of which a body is composed: a few levels of repeated choices can expand to billions. */
const maxRoots = 1000;

/** Compiles the parts of a multipart body (OpenAPI 3.2, "Encoding Usage and Restrictions"). */
export function planParts(parts: Parts): PlannedParts {
  const byName = new Map<string, MultipartPart>();
  const prefix: MultipartPart[] = [];
  const names = new Set<string>();
  const found: Found = {
    byName,
    names,
    prefix,
    byPattern: [],
    rest: plainPart,
    additional: plainPart,
    others: anything,
    left: maxRoots,
  };
  const schema = planRoot(parts.schema, parts, found, 0);
  // An encoding may define a property that the schema does not name.
  for (const [name, encoding] of Object.entries(parts.encoding ?? {})) {
    if (!byName.has(name)) byName.set(name, planPart(found.others, encoding, parts, name).plan);
  }
  const required = getRequiredNames(parts.schema, parts.defs);
  const { mediaType } = parts;
  const { byPattern, rest, additional } = found;
  return {
    schema,
    plans: { mediaType, byName, names, required, prefix, byPattern, rest, additional },
  };
}

interface Found {
  readonly byName: Map<string, MultipartPart>;
  readonly names: Set<string>;
  readonly prefix: MultipartPart[];
  readonly byPattern: (readonly [RegExp, MultipartPart])[];
  rest: MultipartPart;
  additional: MultipartPart;
  /** The schema of properties that the body does not name. */
  others: Schema;
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
  const { additionalProperties, patternProperties } = root;
  if (isJsonObject(additionalProperties)) {
    const { plan, schema } = planPart(additionalProperties, {}, parts, "");
    found.additional = plan;
    found.others = additionalProperties;
    if (schema !== undefined) changes["additionalProperties"] = schema as JsonValue;
  }
  if (isJsonObject(patternProperties)) {
    changes["patternProperties"] = Object.fromEntries(
      (Object.entries(patternProperties) as [string, Schema][]).map(([pattern, property]) => {
        const { plan, schema = property } = planPart(property, {}, parts, "");
        if (isCheckablePattern(pattern)) found.byPattern.push([RegExp(pattern, "u"), plan]);
        return [pattern, schema as JsonValue];
      }),
    );
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
  const { $ref, ...own } = root;
  const body =
    $ref === undefined
      ? root
      : { ...own, allOf: [{ $ref }, ...((root["allOf"] ?? []) as JsonValue[])] };
  for (const keyword of ["allOf", "anyOf", "oneOf"]) {
    const branches = body[keyword];
    if (!Array.isArray(branches)) continue;
    let changed = false;
    const planned = (branches as Schema[]).map((branch) => {
      const inner = planRoot(branch, parts, found, depth + 1);
      changed ||= inner !== branch;
      return inner;
    });
    if (changed) changes[keyword] = planned as JsonValue;
  }
  return Object.keys(changes).length === 0 ? given : ({ ...body, ...changes } as JsonSchema);
}

function planProperties(
  properties: JsonObject,
  parts: Parts,
  findEncoding: (name: string) => Encoding,
  { byName, names }: Found,
): JsonObject | undefined {
  let changed: Record<string, JsonValue> | undefined;
  for (const [name, property] of Object.entries(properties) as [string, Schema][]) {
    const { plan, schema } = withNull(planPart(property, findEncoding(name), parts, name), () =>
      isNullable(property, parts.defs),
    );
    names.add(name);
    if (plan !== plainPart) byName.set(name, plan);
    if (schema === undefined) continue;
    changed ??= { ...properties };
    changed[name] = schema as JsonValue;
  }
  return changed;
}

/** Accepts null for a part that need not be sent. */
function withNull(planned: PlannedPart, isOptional: () => boolean): PlannedPart {
  const { plan, schema } = planned;
  if (typeof schema !== "object" || plan.headers.length > 0 || !isOptional()) return planned;
  const { type, anyOf } = schema;
  if (typeof type === "string") return { plan, schema: { ...schema, type: [type, "null"] } };
  if (!Array.isArray(anyOf)) return planned;
  return { plan, schema: { ...schema, anyOf: [...anyOf, { type: "null" }] as JsonValue } };
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
  const { defs } = parts;
  const isForm = isFormData(parts);
  const alternatives = toAlternatives(given, defs);
  const styled = isForm && name !== undefined ? toStyledProperty(name, encoding) : undefined;
  if (styled !== undefined && !isFile(alternatives, defs)) {
    return { plan: { ...plainPart, styled } };
  }
  const types = parseContentTypes(encoding);
  const nestedType = types.find((type) => type.startsWith("multipart/"));
  if (alternatives.length > 1 && nestedType === undefined) {
    const planned = planFiles(alternatives, encoding, parts, name);
    if (planned !== undefined) return planned;
  }
  const schema = toPlainSchema(given, defs);
  const list = name !== undefined && typeof schema === "object" && isList(schema);
  if (list && !(nestedType !== undefined && !isComplex(schema, defs))) {
    const { items } = schema;
    const inner = planPart((items ?? { type: "string" }) as Schema, encoding, parts);
    return inner.schema === undefined
      ? inner
      : { plan: inner.plan, schema: { ...schema, items: inner.schema as JsonValue } };
  }
  const headers = planHeaders(encoding.headers);
  if (nestedType !== undefined) {
    const nested = planParts({ ...encoding, mediaType: nestedType, schema, defs });
    const plan = { ...plainPart, whole: true, nested: nested.plans };
    return withHeaders({ plan, schema: nested.schema }, headers, schema);
  }
  const mediaType = typeof schema === "object" ? schema["contentMediaType"] : undefined;
  if (isBinarySchema(schema, defs, encoding.contentType) || isUnconstrainedSchema(schema, types)) {
    const declared = types.length > 0 || typeof mediaType !== "string" ? types : [mediaType];
    const plan = { ...plainPart, file: true, types: declared };
    const ranges = declared.some((type) => type.includes("*")) ? 2 : declared.length;
    return withHeaders({ plan, schema: toBase64Schema(schema, ranges) }, headers, schema);
  }
  const encoded = isEncodedSchema(schema) ? { encoded: schema as JsonSchema } : {};
  // A text that already is JSON is sent unchanged.
  const isJsonText = typeof mediaType === "string" && isJsonMediaType(mediaType);
  const json = types[0] !== undefined && isJsonMediaType(types[0]) && !isJsonText;
  const fill = alternatives.some(isStructured)
    ? createArtifactFiller({ schema: given, defs })
    : undefined;
  const isPlain =
    !json &&
    types.length === 0 &&
    encoding.headers === undefined &&
    !isEncodedSchema(schema) &&
    !fill;
  if (isPlain) return { plan: plainPart };
  const filled = fill === undefined ? {} : { fill };
  return withHeaders(
    { plan: { ...plainPart, json, types, ...encoded, ...filled } },
    headers,
    schema,
  );
}

/**
 * Plans a part that is a file in some of its alternatives: a file or a list of files, a file or a text. `undefined`: in
 * none of them.
 */
function planFiles(
  alternatives: readonly JsonSchema[],
  encoding: Encoding,
  parts: Parts,
  name: string | undefined,
): PlannedPart | undefined {
  const planned = alternatives.map((given) => ({
    given,
    ...planPart(given, encoding, parts, name),
  }));
  const [first] = planned.filter(({ plan }) => plan.file);
  if (first === undefined) return undefined;
  const others = planned.filter(({ plan }) => !plan.file);
  const types = new Set(planned.flatMap(({ plan }) => (plan.file ? plan.types : [])));
  const schemas = planned.map(({ schema, given }) => schema ?? given);
  const distinct = [...new Map(schemas.map((one) => [JSON.stringify(one), one])).values()];
  const [only, another] = distinct;
  const other = others.find(({ plan }) => plan !== plainPart)?.plan ?? plainPart;
  const acceptsText = others.some(({ given }) => {
    const found = getSchemaTypes(given);
    return found.length === 0 || found.includes("string");
  });
  return {
    plan: {
      ...first.plan,
      types: [...types],
      ...(others.length === 0 ? {} : { other, acceptsText }),
    },
    schema: another === undefined ? (only as Schema) : { anyOf: distinct as JsonValue },
  };
}

function withHeaders(
  { plan, schema }: PlannedPart,
  { wrap, ...headers }: PlannedHeaders,
  given: Schema,
): PlannedPart {
  const planned = { ...plan, ...headers };
  if (wrap !== undefined) return { plan: planned, schema: wrap(schema ?? given) };
  return schema === undefined ? { plan: planned } : { plan: planned, schema };
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

/** Returns true for a file or a list of files. No style of a parameter can write bytes (RFC 6570 section 2.3). */
function isFile(alternatives: readonly JsonSchema[], defs: Parts["defs"]): boolean {
  return (
    alternatives.length > 0 &&
    alternatives.every((one) =>
      isList(one) ? isBinarySchema((one["items"] ?? true) as Schema, defs) : isPlainBinary(one),
    )
  );
}

/** Returns true for an object, whose properties may contain bytes. */
function isStructured(schema: JsonSchema): boolean {
  return getSchemaTypes(schema).includes("object") || isJsonObject(schema["properties"]);
}

function isList(schema: JsonSchema): boolean {
  return getSchemaTypes(schema).includes("array");
}

/** Returns true for a list whose items are lists or objects. */
function isComplex({ items }: JsonSchema, defs: SelfContainedSchema["defs"]): boolean {
  if (items === undefined) return false;
  return toAlternatives(items as Schema, defs).some((one) => isList(one) || isStructured(one));
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
