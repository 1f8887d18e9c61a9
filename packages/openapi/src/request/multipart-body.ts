import type { JsonObject, JsonSchema, JsonValue } from "@toolweave/core";
import type { ArtifactFiles } from "./artifact-files.ts";
import { base64Schema, fileOf, isBinarySchema } from "./binary-content.ts";
import { formObject, listOf } from "./form-body.ts";
import type { MediaDescription, SelfContainedSchema } from "../document/operation.ts";
import type { BodyWriter } from "./request-body.ts";
import { resolveSchema } from "../schema/resolve-schema.ts";
import { scalarText } from "./serialize-parameter.ts";

/** How the parts of one property are written. */
interface PartPlan {
  /** The argument is base64, the part a file. */
  readonly file: boolean;
  readonly contentType?: string;
  /** A list is one part, with this between its items (`explode: false`). */
  readonly delimiter?: string;
}

/**
 * What the model passes for a `multipart/form-data` body: the document's schema, with base64 text where it has files.
 */
export function multipartArgumentSchema(media: MediaDescription): JsonSchema | boolean {
  return withBase64(media.schema.schema, media, 0).schema;
}

/**
 * Writes `multipart/form-data` (RFC 7578; OpenAPI 3.1.1, "Encoding multipart Media Types"): a part for each
 * property, and for each item of a list; text is text, an object is JSON, a file is bytes with a file name.
 */
export function multipartBodyWriter(media: MediaDescription, argument: string): BodyWriter {
  const found = withBase64(media.schema.schema, media, 0).files;
  const plans = new Map<string, PartPlan>();
  for (const [name, contentType] of found) {
    plans.set(name, { file: true, ...concreteType(encodedType(media, name) ?? contentType) });
  }
  for (const name of Object.keys(media.encoding ?? {})) {
    if (plans.has(name)) continue;
    plans.set(name, {
      file: false,
      ...concreteType(encodedType(media, name)),
      ...listDelimiter(encodingOf(media, name)),
    });
  }
  return (value, files) => {
    const boundary = `toolweave-${crypto.randomUUID()}`;
    const chunks: (string | Uint8Array)[] = [];
    for (const [name, member] of Object.entries(formObject(value, argument))) {
      if (member === null) continue;
      const plan = plans.get(name);
      const items = listOf(member);
      const parts =
        plan?.delimiter === undefined ? items : [items.map(scalarText).join(plan.delimiter)];
      for (const item of parts) {
        chunks.push(`--${boundary}\r\n`, ...part(name, item, plan, files), "\r\n");
      }
    }
    chunks.push(`--${boundary}--\r\n`);
    return {
      contentType: `multipart/form-data; boundary=${boundary}`,
      body: Buffer.concat(
        chunks.map((chunk) => (typeof chunk === "string" ? Buffer.from(chunk) : chunk)),
      ),
    };
  };
}

function part(
  name: string,
  value: JsonValue,
  plan: PartPlan | undefined,
  files: ArtifactFiles,
): (string | Uint8Array)[] {
  const file = plan?.file === true ? fileOf(value, name, files) : undefined;
  const contentType =
    plan?.contentType ??
    (file !== undefined
      ? (file.mediaType ?? "application/octet-stream")
      : typeof value === "object"
        ? "application/json"
        : undefined);
  const label = partLabel(name);
  const disposition = `content-disposition: form-data; name="${label}"`;
  const type = contentType === undefined ? "" : `content-type: ${contentType}\r\n`;
  return [
    `${disposition}${file === undefined ? "" : `; filename="${partLabel(file.name ?? name)}"`}\r\n${type}\r\n`,
    file?.bytes ?? scalarText(value),
  ];
}

/** A name within quotes, as browsers write it (WHATWG HTML, "multipart/form-data"). */
function partLabel(name: string): string {
  return name.replaceAll('"', "%22").replaceAll("\r", "%0D").replaceAll("\n", "%0A");
}

/** The first of the declared types that a part can really have. */
function concreteType(declared: string | undefined): Pick<PartPlan, "contentType"> {
  const concrete = declared
    ?.split(",")
    .map((type) => type.trim())
    .find((type) => /^[\w.+-]+\/[\w.+-]+(?:\s*;[^\r\n]*)?$/.test(type));
  return concrete === undefined ? {} : { contentType: concrete };
}

function listDelimiter({ style, explode, delimiter }: JsonObject): Pick<PartPlan, "delimiter"> {
  if (typeof delimiter === "string") return { delimiter };
  if (style === "spaceDelimited") return { delimiter: " " };
  if (style === "pipeDelimited") return { delimiter: "|" };
  return explode === false ? { delimiter: "," } : {};
}

function encodedType(media: MediaDescription, name: string): string | undefined {
  const { contentType } = encodingOf(media, name);
  return typeof contentType === "string" ? contentType : undefined;
}

function encodingOf({ encoding }: MediaDescription, name: string): JsonObject {
  const declared =
    encoding !== undefined && Object.hasOwn(encoding, name) ? encoding[name] : undefined;
  return isObject(declared) ? declared : {};
}

const deepest = 8;

/**
 * The schema with base64 text in place of files, at the root and in what the root is composed of, and the files'
 * names and declared media types.
 */
function withBase64(
  given: JsonSchema | boolean,
  media: MediaDescription,
  depth: number,
): { schema: JsonSchema | boolean; files: ReadonlyMap<string, string | undefined> } {
  const { defs } = media.schema;
  const root = resolveSchema(given, defs);
  const files = new Map<string, string | undefined>();
  if (typeof root === "boolean" || depth > deepest) return { schema: given, files };
  const changed: Record<string, JsonSchema[string]> = { ...root };
  const { properties } = root;
  if (isObject(properties)) {
    const rewritten: Record<string, JsonValue> = { ...properties };
    for (const [name, property] of Object.entries(properties) as [string, JsonSchema][]) {
      const replaced = fileSchema(property, defs, encodedType(media, name));
      if (replaced === undefined) continue;
      const { contentMediaType } = (replaced["items"] ?? replaced) as JsonSchema;
      files.set(name, contentMediaType as string | undefined);
      rewritten[name] = replaced as JsonObject;
    }
    changed["properties"] = rewritten;
  }
  for (const keyword of ["allOf", "anyOf", "oneOf"]) {
    const branches = root[keyword];
    if (!Array.isArray(branches)) continue;
    changed[keyword] = (branches as (JsonSchema | boolean)[]).map((branch) => {
      const inner = withBase64(branch, media, depth + 1);
      for (const [name, type] of inner.files) files.set(name, type);
      return inner.schema as JsonValue;
    });
  }
  return { schema: files.size === 0 ? given : (changed as JsonSchema), files };
}

function fileSchema(
  given: JsonSchema | boolean,
  defs: SelfContainedSchema["defs"],
  contentType: string | undefined,
): JsonSchema | undefined {
  const property = resolveSchema(given, defs);
  if (typeof property === "object" && property["type"] === "array") {
    const items = property["items"] as JsonSchema | boolean | undefined;
    if (items === undefined || !isBinarySchema(items, defs, contentType)) return undefined;
    return { ...property, items: base64Schema(resolveSchema(items, defs)) as JsonObject };
  }
  return isBinarySchema(property, defs, contentType) ? base64Schema(property) : undefined;
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
