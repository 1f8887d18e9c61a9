import type { JsonObject, JsonSchema, JsonValue } from "@toolweave/core";
import { getMediaTypeName, stringifyExact } from "@toolweave/core/adapter";
import {
  methodOnly,
  getOtherFields,
  createReservedKeyCheck,
} from "../parameters/reserved-names.ts";
import type { MediaDescription, Parameter, SelfContainedSchema } from "../document/operation.ts";
import { mayBe, toPlainSchema } from "../schema/resolve-schema.ts";
import type { ArtifactFiles, BodyFile, BodyWriter } from "./body-writer.ts";
import { toEncodedText, toBodyFile, getTypeInRanges, isFileValue } from "./binary-content.ts";
import { mayContainArtifact } from "./artifact-body-fields.ts";
import { toFormObject, toList } from "../parameters/form-text.ts";
import { formatFieldValue, parseFieldValue } from "@toolweave/http/fields";
import { isInRange, getMediaTypeParameter } from "../document/media-type.ts";
import { isFormData, planParts, type PlannedParts } from "./multipart-parts.ts";
import type { MultipartPart, MultipartParts } from "./multipart-plan.ts";
import {
  forEachLeaf,
  getDelimiter,
  toItemText,
  toText,
  delimiterError,
} from "../parameters/style-writer.ts";
import { getTextEncoding } from "./text-charset.ts";
import {
  isWellFormed,
  emptyValueError,
  fieldName,
  unrepresentableValueError,
  type FieldArgument,
} from "../parameters/unrepresentable.ts";

/**
 * Returns true if the schema allows parts: named ones, or a list of them. In a form each item of a list consists of
 * named parts.
 */
export function hasParts(media: MediaDescription): boolean {
  const { schema, itemSchema } = media;
  const isPart = (item: SelfContainedSchema): boolean =>
    !isFormData(media) || mayBe(item.schema, item.defs, ["object"]);
  if (itemSchema !== undefined) return isPart(itemSchema);
  if (mayBe(schema.schema, schema.defs, ["object"])) return true;
  const list = toPlainSchema(schema.schema, schema.defs);
  if (typeof list === "boolean" || !mayBe(list, schema.defs, ["array"])) return false;
  const items = (list["items"] ?? true) as JsonSchema | boolean;
  return list["prefixItems"] !== undefined || isPart({ schema: items, defs: schema.defs });
}

/** Returns true for a multipart body with a file among its parts. */
export function hasFileParts(media: MediaDescription): boolean {
  return containsFile(plannedParts(media).plans);
}

function containsFile({ byName, byPattern, prefix, rest, additional }: MultipartParts): boolean {
  const patterns = byPattern.map(([, plan]) => plan);
  return [...byName.values(), ...patterns, ...prefix, rest, additional].some(
    ({ file, nested }) => file || (nested !== undefined && containsFile(nested)),
  );
}

/**
 * Returns the schema of a multipart body as the model sees it: the document's schema, with base64 text for files, and
 * `{ content, headers }` for a part whose headers the model chooses.
 */
export function toMultipartSchema(media: MediaDescription): JsonSchema | boolean {
  return plannedParts(media).schema;
}

function plannedParts(media: MediaDescription): PlannedParts {
  const { schema, itemSchema } = media;
  const root: JsonSchema | boolean =
    itemSchema === undefined
      ? schema.schema
      : { type: "array", items: itemSchema.schema as JsonSchema };
  const defs =
    itemSchema === undefined ? schema.defs : new Map([...schema.defs, ...itemSchema.defs]);
  return planParts({ ...media, schema: root, defs });
}

/**
 * Creates a writer of `multipart/form-data` (RFC 7578): a part for each property, and for each item of a list; text is
 * written as text, an object as JSON, a file as bytes with a file name. Other multipart types (RFC 2046) have a part
 * for each item of a list (OpenAPI 3.2, "Encoding By Position"), or named parts if the body is an object.
 */
export function createMultipartWriter(
  media: MediaDescription,
  argument: string,
  toArgument: FieldArgument = fieldName,
): BodyWriter {
  const { plans } = plannedParts(media);
  const checkName = createReservedKeyCheck(argument, methodOnly);
  return (value, files) => {
    const writer = new PartWriter(argument, checkName, files);
    const { contentType, chunks } = writer.body(plans, value, toArgument);
    return { contentType, body: Buffer.concat(chunks) };
  };
}

interface Multipart {
  readonly contentType: string;
  readonly chunks: readonly Uint8Array[];
}

/** Writes the parts of one body and of the bodies nested in it. */
class PartWriter {
  readonly #argument: string;
  readonly #checkName: (name: string) => void;
  readonly #files: ArtifactFiles;

  constructor(argument: string, checkName: (name: string) => void, files: ArtifactFiles) {
    this.#argument = argument;
    this.#checkName = checkName;
    this.#files = files;
  }

  /** @param toArgument returns the name of a named part in errors. */
  body(plans: MultipartParts, value: JsonValue, toArgument: FieldArgument = fieldName): Multipart {
    const parts = Array.isArray(value)
      ? this.#byPosition(plans, value as readonly JsonValue[])
      : this.#byName(plans, toFormObject(value, this.#argument), toArgument);
    const boundary = `toolweave-${crypto.randomUUID()}`;
    const chunks: Uint8Array[] = [];
    for (const { head, body } of parts) {
      chunks.push(Buffer.from(`--${boundary}\r\n${head}\r\n`, "latin1"), ...body, lineEnd);
    }
    chunks.push(Buffer.from(`--${boundary}--\r\n`));
    return { contentType: toMultipartType(plans, boundary, parts[0]), chunks };
  }

  #byName(
    plans: MultipartParts,
    fields: JsonObject,
    toArgument: FieldArgument = fieldName,
  ): Part[] {
    return Object.entries(fields).flatMap(([name, value]) => {
      const argument = toArgument(name);
      const parts = this.#field(plans, name, value, argument);
      if (parts.length === 0 && plans.required.has(name)) throw emptyValueError(argument);
      return parts;
    });
  }

  #byPosition(plans: MultipartParts, items: readonly JsonValue[]): Part[] {
    if (items.length === 0) {
      throw unrepresentableValueError(
        this.#argument,
        "must not be empty: a multipart body has at least one part.",
      );
    }
    if (isFormData(plans)) {
      return items.flatMap((item) => this.#byName(plans, toFormObject(item, this.#argument)));
    }
    return items.map((item, index) =>
      this.#part(plans.prefix[index] ?? plans.rest, item, this.#argument),
    );
  }

  #field(plans: MultipartParts, name: string, value: JsonValue, argument: string): Part[] {
    if (value === null) return [];
    this.#checkName(name);
    const plan = findPart(plans, name);
    if (plan?.styled !== undefined) {
      const checkField = createReservedKeyCheck(argument, getOtherFields(plans.names, name));
      return toStyledFields(plan.styled, value, argument).map(([field, text]) => {
        checkField(field);
        return this.#part(undefined, text, argument, field);
      });
    }
    const items = plan?.whole === true && !isListOfLists(value) ? [value] : toList(value);
    return items.map((item) => this.#part(plan, item, argument, name));
  }

  /**
   * @param argument the argument's name, for errors.
   * @param name of the part, if its parts are named; also the default name of a file.
   */
  #part(
    declared: MultipartPart | undefined,
    given: JsonValue,
    argument: string,
    name?: string,
  ): Part {
    const disposition = name === undefined ? "" : contentDisposition(name, argument);
    const { content, headers } = readChosenHeaders(declared, given, argument);
    const plan = isOtherValue(declared, content) ? declared.other : declared;
    let filename = "";
    let type: string | undefined;
    let body: readonly Uint8Array[];
    let encoding = "";
    if (plan?.nested !== undefined) {
      ({ contentType: type, chunks: body } = this.body(plan.nested, content));
    } else if (plan?.file === true) {
      const file = toBodyFile(content, argument, this.#files);
      type = getFileType(plan.types, file, argument);
      body = [file.bytes];
      if (name !== undefined)
        filename = `; filename="${partLabel((file.name ?? name).replace(allAmbiguous, "_"))}"`;
    } else {
      const value =
        plan?.encoded === undefined ? content : toEncodedText(content, plan.encoded, this.#files);
      type = getTextType(plan, value);
      const writeText = (one: JsonValue): string =>
        plan?.json === true ? stringifyExact(one) : toItemText(one, argument);
      let text = writeText(value);
      if (plan?.fill !== undefined && mayContainArtifact(text)) {
        text = writeText(plan.fill(value, this.#files, argument));
      }
      const bytes = getTextEncoding(type ?? "")(text, argument);
      body = [typeof bytes === "string" ? Buffer.from(bytes) : bytes];
      // Forms have no transfer encodings (RFC 7578 section 4.7).
      if (name === undefined && plan?.encoded?.["contentEncoding"] === "base64") {
        encoding = "Content-Transfer-Encoding: base64\r\n";
      }
    }
    const typeLine = type === undefined ? "" : `Content-Type: ${type}\r\n`;
    const named = disposition === "" ? "" : `${disposition}${filename}\r\n`;
    return {
      head: Buffer.from(named).toString("latin1") + typeLine + encoding + headers,
      body,
      type: type ?? "text/plain",
    };
  }
}

function findPart(
  { byName, names, byPattern, additional }: MultipartParts,
  name: string,
): MultipartPart | undefined {
  const own = byName.get(name);
  if (own !== undefined || names.has(name)) return own;
  return byPattern.find(([pattern]) => pattern.test(name))?.[1] ?? additional;
}

/** Returns true for a value that is not a file, in a part that may be a file or something else. */
function isOtherValue(
  plan: MultipartPart | undefined,
  value: JsonValue,
): plan is MultipartPart & { readonly other: MultipartPart } {
  if (plan?.other === undefined) return false;
  return typeof value !== "string" || (plan.acceptsText === true && !isFileValue(value));
}

/** A part; its head has one character for each byte. */
interface Part {
  readonly head: string;
  readonly body: readonly Uint8Array[];
  readonly type: string;
}

const lineEnd = Buffer.from("\r\n");

function toMultipartType(
  { mediaType }: MultipartParts,
  boundary: string,
  first: Part | undefined,
): string {
  const name = getMediaTypeName(mediaType);
  const declared = name.includes("*") ? "multipart/mixed" : withoutBoundary(mediaType);
  // The required parameter: the type of the first part (RFC 2387 section 3.1).
  const root =
    name === "multipart/related" &&
    getMediaTypeParameter(mediaType, "type") === undefined &&
    first !== undefined
      ? `; type="${getMediaTypeName(first.type)}"`
      : "";
  return `${declared}${root}; boundary=${boundary}`;
}

function withoutBoundary(mediaType: string): string {
  const { value, parameters } = parseFieldValue(mediaType);
  if (!parameters.has("boundary")) return mediaType;
  const others = Array.from(parameters).filter(([name]) => name !== "boundary");
  return formatFieldValue({ value, parameters: new Map(others) });
}

function readChosenHeaders(
  plan: MultipartPart | undefined,
  given: JsonValue,
  argument: string,
): { content: JsonValue; headers: string } {
  if (plan === undefined) return { content: given, headers: "" };
  let headers = "";
  for (const [name, text] of plan.fixedHeaders) headers += `${name}: ${text}\r\n`;
  if (plan.headers.length === 0) return { content: given, headers };
  const wrapped = toFormObject(given, argument);
  if (!Object.hasOwn(wrapped, "content")) {
    throw unrepresentableValueError(argument, "needs headers: pass { content, headers }.");
  }
  const chosen = wrapped["headers"] ?? {};
  for (const { name, write } of plan.headers) {
    if (!Object.hasOwn(chosen as JsonObject, name)) continue;
    const text = write((chosen as JsonObject)[name] as JsonValue);
    if (text !== undefined) headers += `${name}: ${text}\r\n`;
  }
  return { content: wrapped["content"] as JsonValue, headers };
}

/**
 * Returns the first declared type that matches the file: its own type if it is one of them. Throws `ToolError`
 * `invalid_arguments` for a file whose type is unknown or not declared.
 */
function getFileType(declared: readonly string[], file: BodyFile, argument: string): string {
  const { mediaType } = file;
  if (mediaType !== undefined && declared.some((range) => isInRange(mediaType, range))) {
    return mediaType;
  }
  const concrete = declared.find((type) => !type.includes("*"));
  if (concrete !== undefined) return concrete;
  return declared.length === 0
    ? (mediaType ?? "application/octet-stream")
    : getTypeInRanges(declared, file, argument);
}

function getTextType(plan: MultipartPart | undefined, value: JsonValue): string | undefined {
  const declared = plan?.types.find((type) => !type.includes("*"));
  if (declared !== undefined) return declared;
  if (plan?.encoded?.["contentEncoding"] !== undefined) return "application/octet-stream";
  return typeof value === "object" ? "application/json" : undefined;
}

/** Throws `ToolError` `invalid_arguments` for a name that the head of a part cannot contain. */
function contentDisposition(name: string, argument: string): string {
  if (isWellFormed(name) && !ambiguous.test(name)) {
    return `Content-Disposition: form-data; name="${partLabel(name)}"`;
  }
  throw unrepresentableValueError(
    argument,
    `cannot be sent as the field ${JSON.stringify(name.slice(0, 100))}: its name must not contain backslashes, control characters or unpaired surrogates.`,
  );
}

// A backslash is an escape for some parsers (RFC 822) and not for others (WHATWG HTML).
const ambiguous = /[\\\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/;
const allAmbiguous = new RegExp(ambiguous, "g");

/** Escapes a name within quotes, as browsers do (WHATWG HTML, "multipart/form-data"). */
function partLabel(name: string): string {
  return name.replaceAll('"', "%22").replaceAll("\r", "%0D").replaceAll("\n", "%0A");
}

function isListOfLists(value: JsonValue): boolean {
  return (
    Array.isArray(value) && value.length > 0 && value.every((item) => typeof item === "object")
  );
}

/**
 * Returns the names and texts to which a style converts a property (OpenAPI 3.2, appendix C), without percent-encoding.
 */
function toStyledFields(
  property: Parameter,
  value: JsonValue,
  argument: string,
): [name: string, text: string][] {
  const { name, style, explode } = property;
  if (style === "deepObject") {
    const fields: [string, string][] = [];
    forEachLeaf(value, argument, (path, text) =>
      fields.push([name + path.map((key) => `[${key}]`).join(""), text]),
    );
    return fields;
  }
  if (typeof value !== "object" || value === null) return [[name, String(value)]];
  const isList = Array.isArray(value);
  const members = Object.entries(value as JsonObject).filter(([, one]) => isList || one !== null);
  const texts = members.map(([key, one]): [string, string] => [
    isList ? name : key,
    isList ? toItemText(one, argument, property.itemDelimiters) : toText(one),
  ]);
  if (explode) return texts;
  if (texts.length === 0) return [];
  const delimiter = getDelimiter(property);
  const all = isList ? texts.map(([, text]) => text) : texts.flat();
  for (const text of all) if (text.includes(delimiter)) throw delimiterError(argument, delimiter);
  return [[name, all.join(delimiter)]];
}
