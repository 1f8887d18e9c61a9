import type { ContentBlock, ArtifactRef } from "@toolweave/core";
import {
  getMediaTypeName,
  sniffMediaType,
  isJsonMediaType,
  isObject,
} from "@toolweave/core/adapter";

/** Finds a problem with the data of an image or audio block, as the end of a sentence. */
export function findMediaFault(block: ContentBlock): string | undefined {
  if (block.type !== "image" && block.type !== "audio") return undefined;
  if (!isBase64(block.data)) {
    return "has data that is not base64: encode the bytes in base64, without a data: prefix";
  }
  return isMediaType(block.mimeType) ? undefined : "has no media type such as image/png";
}

/** Finds a problem with the contents of a resource. */
export function findResourceFault(block: ContentBlock): string | undefined {
  if (block.type !== "resource") return undefined;
  const { text, blob } = block.resource;
  if (text !== undefined && blob !== undefined) return "has both a text and a blob";
  if (text === undefined && blob === undefined) return "has neither a text nor a blob";
  return blob === undefined || isBase64(blob) ? undefined : "has a blob that is not base64";
}

/** Finds a problem with the URI of a link or a resource. */
export function findUriFault(block: ContentBlock): string | undefined {
  const uri = getUri(block);
  return uri === undefined || URL.canParse(uri)
    ? undefined
    : "has a uri that is not an absolute URI, such as file:///notes.txt or https://example.com/a";
}

function getUri(block: ContentBlock): string | undefined {
  if (block.type === "resource_link") return block.uri;
  return block.type === "resource" ? block.resource.uri : undefined;
}

/** Finds a problem with the annotations of a block (MCP: audience, priority, lastModified). */
export function findAnnotationsFault({ annotations }: ContentBlock): string | undefined {
  if (annotations === undefined) return undefined;
  if (!isObject(annotations)) return "has annotations that are not an object";
  const { audience, priority, lastModified } = annotations as Readonly<Record<string, unknown>>;
  if (audience !== undefined && !(Array.isArray(audience) && audience.every(isAudience))) {
    return `has an audience that is not a list of "user" and "assistant"`;
  }
  if (priority !== undefined && !(typeof priority === "number" && priority >= 0 && priority <= 1)) {
    return "has a priority that is not a number from 0 to 1";
  }
  return lastModified === undefined || isDate(lastModified)
    ? undefined
    : "has a lastModified that is not an ISO 8601 date";
}

/** Finds a media type that the bytes of a block do not have. */
export function findMediaTypeFault(block: ContentBlock): string | undefined {
  const [data, type] = getBytes(block);
  if (data === undefined || type === undefined || !isBase64(data)) return undefined;
  const other = findActualType(type, readFirstBytes(data));
  return other === undefined ? undefined : `declares the media type ${type} but is ${other}`;
}

function getBytes(block: ContentBlock): readonly [data?: string, type?: string] {
  switch (block.type) {
    case "image":
    case "audio":
      return [block.data, block.mimeType];
    case "resource": {
      const { blob, mimeType } = block.resource;
      return blob === undefined || mimeType === undefined ? [] : [blob, mimeType];
    }
    default:
      return [];
  }
}

function isAudience(value: unknown): boolean {
  return value === "user" || value === "assistant";
}

function isDate(value: unknown): boolean {
  return (
    typeof value === "string" &&
    /^\d{4}-\d{2}-\d{2}/.test(value) &&
    !Number.isNaN(Date.parse(value))
  );
}

/** The file types that are recognized by their first bytes. */
const recognized: ReadonlySet<string | undefined> = new Set([
  "image/png",
  "image/jpeg",
  "image/gif",
  "image/webp",
  "application/pdf",
]);

/** Other names of media types. */
const aliases: Readonly<Record<string, string>> = {
  "application/x-pdf": "application/pdf",
  // It has the same signature as PNG.
  "image/apng": "image/png",
  "image/jpg": "image/jpeg",
  "image/pjpeg": "image/jpeg",
  "image/x-png": "image/png",
};

/** The number of bytes that are enough to recognize a file type. */
const signatureBytes = 16;

/**
 * True for standard base64 with its padding. @see https://www.rfc-editor.org/rfc/rfc4648#section-4
 */
function isBase64(data: string): boolean {
  return data.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(data);
}

/** True for a media type with type and subtype, with or without parameters. */
function isMediaType(type: string): boolean {
  return /^[\w.+-]+\/[\w.+-]+/.test(type);
}

/** The media type in lower case, without parameters. */
function normalizeMediaType(mediaType: string): string {
  const name = getMediaTypeName(mediaType);
  return aliases[name] ?? name;
}

/**
 * The media type that bytes have instead of the declared one; `undefined` if the declared type is
 * right or cannot be checked.
 *
 * @param bytes the beginning is enough.
 */
function findActualType(mediaType: string, bytes: Uint8Array): string | undefined {
  const called = normalizeMediaType(mediaType);
  const sniffed = sniffMediaType(bytes);
  const type = recognized.has(sniffed) ? sniffed : undefined;
  if (type === called) return undefined;
  const isKnown = recognized.has(called);
  if (type === undefined) return isKnown ? "something else" : undefined;
  // Of a type without a known signature only this can be said: it is not the declared one.
  return isKnown || /^(?:image|audio|text)\//.test(called) ? type : undefined;
}

/** The first bytes of a base64 text. */
function readFirstBytes(base64: string): Uint8Array {
  const binary = atob(base64.slice(0, Math.ceil(signatureBytes / 3) * 4));
  return Uint8Array.from(binary, (unit) => unit.charCodeAt(0));
}

/**
 * Finds an artifact that does not have its declared media type, as the end of a sentence.
 *
 * @param bytes `undefined` if they cannot be read.
 */
export function findArtifactTypeFault(
  bytes: Uint8Array | undefined,
  { mediaType, truncated }: ArtifactRef,
): string | undefined {
  if (bytes === undefined) return "names an artifact that cannot be read";
  const other = findActualType(mediaType, bytes);
  if (other !== undefined) return `stores an artifact as ${mediaType} that is ${other}`;
  const type = normalizeMediaType(mediaType);
  const hasJsonType = isJsonMediaType(type);
  // Another character set cannot be checked.
  if (truncated === true || mediaType.includes("charset")) return undefined;
  if (!hasJsonType && !type.startsWith("text/")) return undefined;
  const text = decodeText(bytes);
  if (text === undefined) {
    return `stores an artifact as ${mediaType} that is not UTF-8: declare its charset or another type`;
  }
  return hasJsonType && !isJson(text)
    ? `stores an artifact as ${mediaType} that cannot be parsed`
    : undefined;
}

function decodeText(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
