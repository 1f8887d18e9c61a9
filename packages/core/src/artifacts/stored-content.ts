import { text, type ContentBlock, type ResourceBlock } from "../contract/content-block.ts";
import type { JsonValue } from "../json/json.ts";
import type { ArtifactRef } from "../contract/tool-result.ts";
import { utf8Length, truncateUtf8, wellFormed } from "../text/utf8.ts";
import { toJson } from "../json/to-json.ts";
import { base64ToBytes } from "../text/base64.ts";
import { isJsonMediaType, isTextMediaType } from "../results/media-type.ts";
import { previewJson, previewText } from "../json/preview-json.ts";
import { mediaSize, textSize, isBinary, maxBlocks, type ContentLimits } from "./clip-content.ts";

/** Maximum number of artifacts of one output; the rest is stored as one. */
const maxArtifacts = 16;
/** Maximum UTF-16 units of a text that is parsed for a JSON preview. */
const maxParsed = 5_000_000;

/** Content that is stored instead of being shown. */
interface Storable {
  readonly data: string | Uint8Array;
  readonly mediaType: string;
  readonly name?: string | undefined;
  /** The source of the preview: a text, or a JSON value. Absent: there is no preview. */
  readonly preview?: { readonly text: string } | { readonly json: JsonValue };
  /** Its name in the note. */
  readonly about?: string;
}

/** A block that stays, or its replacement by a stored artifact. */
export type Part = ContentBlock | { readonly type: "stored"; readonly storable: Storable };

/**
 * Divides content into blocks that stay and blocks that are stored: binary that is neither image nor sound, images and
 * sound beyond their limit, texts that are larger than the limit, and, as one JSON list, the blocks that do not fit
 * beside the others.
 *
 * @param value the output's structured value; a text may be its JSON.
 */
export function divideContent(
  content: readonly ContentBlock[],
  limits: ContentLimits,
  value: JsonValue | undefined,
): Part[] {
  // One entry for each block; `undefined` assigns the block to the rest.
  const parts: (Part | undefined)[] = [];
  let mediaLeft = limits.mediaBytes;
  let stored = 0;
  for (const block of content) {
    const media = mediaSize(block);
    // One block is left for the note about the rest.
    if (parts.length >= maxBlocks - 1 && content.length > maxBlocks) parts.push(undefined);
    else if (isTooMuch(block, media > mediaLeft, limits)) {
      stored += 1;
      const isOwn = stored <= maxArtifacts;
      parts.push(isOwn ? { type: "stored", storable: storable(block, value) } : undefined);
    } else {
      parts.push(block);
      mediaLeft -= media;
    }
  }
  return withinLimit(parts, content, limits.bytes);
}

function isTooMuch(
  block: ContentBlock,
  isTooMuchMedia: boolean,
  { bytes, binary }: ContentLimits,
): boolean {
  if (isTooMuchMedia) return true;
  return (!binary && isBinary(block)) || textSize(block) > bytes;
}

/** Assigns blocks that fit alone, but not beside the others, to the rest. */
function withinLimit(
  parts: readonly (Part | undefined)[],
  content: readonly ContentBlock[],
  limit: number,
): Part[] {
  const given = parts.filter((part) => part !== undefined);
  const stored = given.filter((part) => part.type === "stored");
  const kept = given.reduce((sum, part) => sum + storedSize(part), 0);
  const notes = stored.length * pointerBytes;
  const isAll = given.length === content.length;
  if (isAll && (kept + notes <= limit || given.length === 1)) return given;
  const room = limit - notes - pointerBytes;
  if (room < 0) return [{ type: "stored", storable: toStorableList(content, content.length) }];
  // If there are previews, half of the remaining room is for them.
  const hasPreviews = stored.some(({ storable }) => storable.preview !== undefined);
  let left = hasPreviews ? Math.ceil(room / 2) : room;
  const result: Part[] = [];
  const rest = content.filter((_, index) => {
    const part = parts[index];
    const size = part === undefined ? Infinity : storedSize(part);
    if (part === undefined || size > left) return true;
    result.push(part);
    left -= size;
    return false;
  });
  if (rest.length > 0)
    result.push({ type: "stored", storable: toStorableList(rest, content.length) });
  return result;
}

function storedSize(part: Part): number {
  return part.type === "stored" ? 0 : textSize(part);
}

function toStorableList(blocks: readonly ContentBlock[], of: number): Storable {
  const about =
    blocks.length === of
      ? `all ${of} parts of the output, as`
      : `${blocks.length} of the output's ${of} parts, as`;
  return { data: JSON.stringify(toJson(blocks)), mediaType: "application/json", about };
}

function storable(block: ContentBlock, value: JsonValue | undefined): Storable {
  switch (block.type) {
    case "text":
      return storableText(block.text, "application/json", value, undefined);
    case "image":
    case "audio":
      return { data: decodeBase64(block.data), mediaType: block.mimeType };
    case "resource":
      return storableResource(block.resource, value);
    case "resource_link": {
      const json = toJson(block);
      return { data: JSON.stringify(json), mediaType: "application/json", preview: { json } };
    }
  }
}

function storableResource(
  { uri, mimeType, text, blob }: ResourceBlock["resource"],
  value: JsonValue | undefined,
): Storable {
  const name = nameIn(uri);
  if (blob === undefined) return storableText(text ?? uri, mimeType ?? "text/plain", value, name);
  const bytes = decodeBase64(blob);
  return {
    data: bytes,
    mediaType: typeof bytes === "string" ? "text/plain" : (mimeType ?? "application/octet-stream"),
    name,
  };
}

/** A text that is JSON, of any origin, can be read by path. */
function storableText(
  given: string,
  mediaType: string,
  value: JsonValue | undefined,
  name: string | undefined,
): Storable {
  const data = wellFormed(given);
  const json = isJsonMediaType(mediaType) ? parsed(data, value) : undefined;
  if (json !== undefined) return { data, mediaType, name, preview: { json } };
  const isText = isTextMediaType(mediaType);
  return { data, mediaType: isText ? mediaType : "text/plain", name, preview: { text: data } };
}

/** The object or list of which the text is the JSON. */
function parsed(data: string, value: JsonValue | undefined): JsonValue | undefined {
  if (!/^[ \t\n\r]*[[{]/.test(data)) return undefined;
  try {
    if (typeof value === "object" && value !== null && JSON.stringify(value) === data) return value;
    return data.length > maxParsed ? undefined : (JSON.parse(data) as JsonValue);
  } catch {
    return undefined;
  }
}

/** Text that is not valid base64 is stored as text. */
function decodeBase64(base64: string): string | Uint8Array {
  return base64ToBytes(base64) ?? wellFormed(base64);
}

/** The last segment of a URI's path; a URI without slashes, such as `urn:x`, names no file. */
function nameIn(uri: string): string | undefined {
  return /\/([^/\\?#:]+)(?:[?#]|$)/.exec(uri.slice(0, 1000))?.[1];
}

/** The content for the model: blocks that stay, and for each stored block its note, after a preview if there is one. */
export function contentForModel(
  parts: readonly Part[],
  refs: readonly ArtifactRef[],
  limit: number,
  previewBytes: number,
): ContentBlock[] {
  const previewed = parts.filter((part) => part.type === "stored" && part.storable.preview);
  const kept = parts.reduce((sum, part) => sum + storedSize(part), 0);
  const room = limit - kept - refs.length * pointerBytes;
  const share = Math.min(previewBytes, Math.floor(room / Math.max(1, previewed.length)) - 1);
  const next = refs.values();
  return parts.map((part) => {
    if (part.type !== "stored") return part;
    const ref = next.next().value as ArtifactRef;
    return text(preview(part.storable, ref, share, limit));
  });
}

function preview(
  { preview, about }: Storable,
  ref: ArtifactRef,
  share: number,
  limit: number,
): string {
  const named = about === undefined ? {} : { about };
  if (preview === undefined || share < 1) return pointer(ref, limit, named);
  if ("json" in preview) {
    return `${previewJson(preview.json, share)}\n${pointer(ref, pointerBytes, { isPreview: true })}`;
  }
  const beginning = previewText(preview.text, share);
  const offset = utf8Length(beginning);
  return `${beginning}\n${pointer(ref, pointerBytes, { offset })}`;
}

/** Maximum bytes of the note about one artifact. */
export const pointerBytes = 320;

/** The note about an artifact for a model, in at most `limit` bytes: its key, type and size, and how to read it. */
export function pointer(ref: ArtifactRef, limit: number, display: PreviewedArtifact = {}): string {
  const { key, mediaType, size, name, truncated } = ref;
  const { offset = 0, isPreview, about } = display;
  const called = name === undefined ? "" : ` ${JSON.stringify(truncateUtf8(name, 40))}`;
  const cut = truncated === true ? ", cut off: the rest is lost" : "";
  const what = `${about ?? "artifact"} ${key}:${called} ${truncateUtf8(mediaType, 60)}, ${size} bytes${cut}`;
  const read = `read_artifact {"key":"${key}"${offset > 0 ? `,"offset":${offset}` : ""}}`;
  const how =
    isPreview === true
      ? `a preview is shown; read it with ${read}, or a part with "path"`
      : offset > 0
        ? `${offset} are shown; read on with ${read}`
        : `read it with ${read}`;
  const long = `[${what}; ${how}]`;
  if (utf8Length(long) <= Math.min(limit, pointerBytes)) return long;
  const short = `[stored: ${read}]`;
  return short.length <= limit ? short : truncateUtf8(key, limit);
}

/** The part of an artifact that is shown before the note. */
interface PreviewedArtifact {
  /** Number of bytes that are shown from its start. */
  readonly offset?: number;
  /** A preview of the whole is shown. */
  readonly isPreview?: boolean;
  /** Instead of "artifact". */
  readonly about?: string;
}
