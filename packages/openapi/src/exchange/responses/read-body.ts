import {
  getMediaTypeName,
  isJsonMediaType,
  isReadableMediaType,
  sniffMediaType,
} from "@toolweave/core/adapter";
import { isUtf8 } from "node:buffer";
import { decodeText } from "@toolweave/http";
import type { MediaDescription } from "../../document/operation.ts";
import { isBinaryMediaType, isInRange } from "../../document/media-type.ts";
import { collectInPlaceSchemas, getSchemaTypes } from "../../schema/resolve-schema.ts";
import { describeJsonError } from "../streams/json-items.ts";
import { parseJsonTexts, type JsonText } from "../streams/json-texts.ts";
import { isHtml } from "./html-page.ts";

/** A body, its label, and what the document declares. */
export interface ReceivedBody {
  readonly bytes: Uint8Array;
  /** The `Content-Type`, as sent. */
  readonly contentType: string | undefined;
  /** True if the server sends the body as a file to be saved. */
  readonly isAttachment?: boolean;
  /** The declared contents of this answer. */
  readonly declared: () => readonly MediaDescription[];
  /** Redacts secrets. */
  readonly clean: (text: string) => string;
}

/** A body as that which it is. */
export type BodyContent =
  | ({ readonly kind: "json" } & JsonText)
  | { readonly kind: "text"; readonly text: string }
  /** Not the declared or labelled JSON; `fault` continues "The answer". */
  | { readonly kind: "invalid"; readonly text: string; readonly fault: string }
  /** `mediaType` is that of the bytes if they contradict their label. */
  | { readonly kind: "bytes"; readonly mediaType?: string };

/** The values that a body may be parsed as: none, objects and lists, or all. */
type Expected = "no JSON" | "structures" | "JSON";

/**
 * Decides what a body is: from its label, its bytes and its declaration together.
 *
 * - With a JSON label, and without a label, it is JSON (or bytes that begin like a known type of file).
 * - With another label, it is JSON if it is valid JSON, and if JSON is declared and the label is not, or if nothing is
 *   declared, or if the declared schema is that of an object or a list.
 * - A page in place of declared JSON is invalid.
 */
export function readBody(body: ReceivedBody): BodyContent {
  const { bytes, contentType = "", clean } = body;
  const label = getMediaTypeName(contentType);
  const isLabelled = isJsonMediaType(label);
  const isText = isLabelled || isReadableMediaType(label);
  const sniffed = isLabelled ? sniffMediaType(bytes) : undefined;
  if (sniffed !== undefined) return { kind: "bytes", mediaType: sniffed };
  const expected = isLabelled ? "JSON" : getExpected(label, body);
  if (!isText && label !== "" && (expected === "no JSON" || !beginsLikeJson(bytes))) {
    return { kind: "bytes" };
  }
  const text = clean(decodeText(bytes, contentType));
  const json = expected === "no JSON" ? undefined : parseJsonTexts(text, isLabelled);
  const isStructure = typeof json?.value === "object" && json.value !== null;
  if (json !== undefined && (isStructure || expected === "JSON")) return { kind: "json", ...json };
  if (isLabelled) {
    return { kind: "invalid", text, fault: `is not valid JSON (${describeJsonError(text)})` };
  }
  const isPageLabel = label === "text/html" || label === "application/xhtml+xml";
  if (isPageLabel && expected === "JSON" && isHtml(label, text)) {
    return { kind: "invalid", text, fault: "is an HTML page instead of JSON" };
  }
  const isGarbled = label === "" && text.includes("\uFFFD");
  return isGarbled || (!isText && label !== "") ? { kind: "bytes" } : { kind: "text", text };
}

function getExpected(label: string, { declared, isAttachment = false }: ReceivedBody): Expected {
  const all = declared();
  const own =
    all.find(({ mediaType }) => getMediaTypeName(mediaType) === label) ??
    all.find(({ mediaType }) => isInRange(label, mediaType));
  if (own === undefined && all.length > 0) return all.some(isDeclaredJson) ? "JSON" : "no JSON";
  const types = own === undefined ? [] : getTypes(own);
  const isAnything = types.length === 0 && (own === undefined || own.mediaType.startsWith("*"));
  if (!isAnything) return isStructured(types) ? "structures" : "no JSON";
  if (label === "") return "JSON";
  return isAttachment ? "no JSON" : "structures";
}

function isDeclaredJson(media: MediaDescription): boolean {
  const { mediaType } = media;
  if (isJsonMediaType(mediaType)) return true;
  const isOther = isReadableMediaType(mediaType) || isBinaryMediaType(mediaType);
  return (!isOther || mediaType.includes("*")) && isStructured(getTypes(media));
}

/** Returns the types that a schema and its parts name; `object` also for properties without a type. */
function getTypes({ schema: { schema, defs } }: MediaDescription): readonly string[] {
  return collectInPlaceSchemas([schema], defs).flatMap((part) => {
    const types = getSchemaTypes(part);
    return types.length === 0 && part["properties"] !== undefined ? ["object"] : types;
  });
}

/** Returns true for objects and lists, which no text and no file is. */
function isStructured(types: readonly string[]): boolean {
  return !types.includes("string") && (types.includes("object") || types.includes("array"));
}

/** Returns false for most bytes that are no JSON. */
function beginsLikeJson(bytes: Uint8Array): boolean {
  const first = bytes.find((byte) => byte !== 32 && byte !== 9 && byte !== 10 && byte !== 13);
  return (
    first !== undefined && /[{["\d\-tfn\u00ef]/.test(String.fromCharCode(first)) && isUtf8(bytes)
  );
}

/** Returns the text of an error's body, whatever its label; `undefined` for other bytes. */
export function readErrorText(
  bytes: Uint8Array,
  contentType: string | undefined,
): string | undefined {
  const label = getMediaTypeName(contentType ?? "");
  if (label === "" || isReadableMediaType(label)) return decodeText(bytes, contentType);
  if (!isUtf8(bytes) || bytes.includes(0) || sniffMediaType(bytes) !== undefined) return undefined;
  const isNamed = isBinaryMediaType(label) && !label.endsWith("/octet-stream");
  return isNamed && !beginsLikeJson(bytes) ? undefined : decodeText(bytes, contentType);
}
