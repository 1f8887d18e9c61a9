import { truncateUtf8, utf8Length, wellFormed } from "../text/utf8.ts";
import { jsonPath } from "../json-path/json-path.ts";
import { bytesToBase64 } from "../text/base64.ts";
import { isReadableMediaType } from "../results/media-type.ts";
import { previewJson } from "../json/preview-json.ts";
import { text } from "../contract/content-block.ts";
import type { JsonObject, JsonValue } from "../json/json.ts";
import type { ArtifactRef, ToolOutput } from "../contract/tool-result.ts";
import { ToolError } from "../contract/tool-error.ts";
import type { Artifacts } from "./artifacts.ts";
import type { LargeOutputs } from "./large-outputs.ts";

/** The parts of an executor that `read_artifact` uses. */
export interface ArtifactReading {
  readonly artifacts: Artifacts;
  readonly maxOutputBytes: number;
  readonly largeOutputs: Required<LargeOutputs>;
}

/** Bytes reserved for the note after the content. */
const noteBytes = 200;
/** Maximum bytes that are loaded at once, for a search. */
const maxHeldBytes = 268_435_456;
/** Maximum number of values that a path may select. */
const maxSelected = 10_000;

/** One answer of `read_artifact`. */
export class ArtifactReader {
  readonly #artifacts: Artifacts;
  readonly #maxMediaBytes: number;
  readonly #ref: ArtifactRef;
  readonly #offset: number | undefined;
  readonly #limit: number | undefined;
  readonly #search: string | undefined;
  readonly #path: string | undefined;
  /** Bytes for the content. */
  readonly #room: number;
  readonly #hasNotes: boolean;

  constructor(reading: ArtifactReading, ref: ArtifactRef, args: JsonObject) {
    const { artifacts, maxOutputBytes, largeOutputs } = reading;
    const { offset, limit, search, path } = args;
    this.#artifacts = artifacts;
    this.#maxMediaBytes = largeOutputs.maxMediaBytes;
    this.#ref = ref;
    this.#offset = typeof offset === "number" ? offset : undefined;
    this.#limit = typeof limit === "number" ? limit : undefined;
    this.#search = typeof search === "string" ? search : undefined;
    this.#path = typeof path === "string" ? path : undefined;
    // A note that would take most of the limit is omitted.
    this.#hasNotes = maxOutputBytes >= 2 * noteBytes;
    this.#room = this.#hasNotes ? maxOutputBytes - noteBytes : maxOutputBytes;
  }

  async read(): Promise<ToolOutput> {
    const { mediaType, size } = this.#ref;
    if (this.#search !== undefined) return this.#found(await this.#text("searched"), this.#search);
    if (this.#path !== undefined) return this.#part(await this.#text("read by path"), this.#path);
    const kind = /^(image|audio)\//.exec(mediaType)?.[1] as "image" | "audio" | undefined;
    const isWhole = this.#offset === undefined && this.#limit === undefined;
    if (kind !== undefined && isWhole && size <= this.#maxMediaBytes) {
      const data = bytesToBase64(await this.#artifacts.read(this.#ref));
      return { content: [{ type: kind, data, mimeType: mediaType }] };
    }
    return this.#page(
      size,
      isReadableMediaType(mediaType),
      truncateUtf8(mediaType, 60),
      (at, length) => this.#artifacts.read(this.#ref, at, length),
    );
  }

  async #text(done: string): Promise<string> {
    const { mediaType, key, size } = this.#ref;
    if (size > maxHeldBytes) {
      throw wrong(`${key} is too large to be ${done}: ${size} bytes; read it by offset.`);
    }
    const isText = isReadableMediaType(mediaType);
    const decoded = isText ? decodeText(await this.#artifacts.read(this.#ref)) : undefined;
    if (decoded !== undefined) return decoded;
    throw wrong(`${key} is ${mediaType}, which cannot be ${done}; read it by offset.`);
  }

  async #page(
    size: number,
    isText: boolean,
    what: string,
    read: (offset: number, length: number) => Promise<Uint8Array> | Uint8Array,
  ): Promise<ToolOutput> {
    const offset = this.#offset ?? 0;
    if (offset > size) throw wrong(`offset ${offset} is beyond the end: it is ${size} bytes long.`);
    const most = Math.min(this.#room, this.#limit ?? Infinity);
    const page = await readPage(read, { size, offset, most, isText });
    return this.#output(page.text, this.#pageNote(page, size, what));
  }

  #pageNote({ start, end, isBase64 }: Page, size: number, what: string): string {
    const form = isBase64 ? ", in base64" : "";
    const lost = this.#ref.truncated === true ? " of what was kept, the rest is lost" : "";
    const next = end < size ? `read on with "offset":${end}` : `the end${lost}`;
    return `[bytes ${start} to ${end} of ${size}, ${what}${form}; ${next}]`;
  }

  #found(whole: string, wanted: string): ToolOutput {
    const { text, count, next } = searchText(whole, {
      wanted,
      offset: this.#offset ?? 0,
      limit: this.#limit,
      most: this.#room,
    });
    const matches = `${count === 0 ? "no" : count} ${count === 1 ? "match" : "matches"}`;
    const more = next === undefined ? "no more" : `more with "offset":${next}`;
    return this.#output(text, `[${matches}, ${more}; read around one by its offset]`);
  }

  #part(whole: string, path: string): Promise<ToolOutput> | ToolOutput {
    const compiledPath = compiled(path);
    const document = parsed(whole, this.#ref.key);
    const found = compiledPath.select(document, maxSelected + 1);
    const [first] = found;
    if (first === undefined) {
      const preview = previewJson(document, Math.min(1000, this.#room));
      return this.#output(preview, `[nothing is there; this is a preview of the whole]`);
    }
    const { json, count } = joined(found, whole.length);
    const isMany = count < found.length;
    const what = isMany ? `the first ${count} parts of more` : `${count} of its parts`;
    const part = found.length === 1 ? first : found.slice(0, count);
    const bytes = new TextEncoder().encode(typeof part === "string" ? part : json);
    const isPreview = typeof part === "object" && this.#offset === undefined;
    if (isPreview && bytes.length > Math.min(this.#room, this.#limit ?? Infinity)) {
      const preview = previewJson(part, Math.min(this.#room, this.#limit ?? Infinity));
      const how = `take a longer path, or read its JSON with "offset":0`;
      return this.#output(preview, `[a preview of ${bytes.length} bytes, ${what}; ${how}]`);
    }
    return this.#page(bytes.length, true, what, (at, length) => bytes.subarray(at, at + length));
  }

  #output(content: string, note: string): ToolOutput {
    const blocks = content === "" && this.#hasNotes ? [] : [text(content)];
    if (this.#hasNotes) blocks.push(text(truncateUtf8(note, noteBytes)));
    return { content: blocks };
  }
}

/**
 * The JSON of the selected values. They may contain one another: together they are limited to about twice the document.
 */
function joined(found: readonly JsonValue[], length: number): { json: string; count: number } {
  const parts: string[] = [];
  let left = Math.max(length * 2, 1000);
  for (const part of found.slice(0, maxSelected)) {
    const json = written(part);
    left -= json.length + 1;
    if (left < 0 && parts.length > 0) break;
    parts.push(json);
  }
  const [only = ""] = parts;
  return { json: found.length === 1 ? only : `[${parts.join(",")}]`, count: parts.length };
}

function written(part: JsonValue): string {
  try {
    return JSON.stringify(part);
  } catch {
    throw wrong("What is there is too deep to be shown; read it by offset.");
  }
}

function parsed(json: string, key: string): JsonValue {
  try {
    return JSON.parse(json) as JsonValue;
  } catch {
    throw wrong(`${key} is no JSON, so it has no paths; use search or offset.`);
  }
}

/** An error in the path is returned to the model, which can correct it. */
function compiled(path: string): ReturnType<typeof jsonPath> {
  try {
    return jsonPath(path);
  } catch (error) {
    throw wrong(ToolError.is(error) ? error.message : "The path cannot be read.");
  }
}

function wrong(message: string): ToolError {
  return new ToolError("invalid_arguments", message);
}

const maxMatches = 20;
/** UTF-16 units before and after a match. */
const around = 60;

/** The text to find, and the limits of the result. */
interface Search {
  readonly wanted: string;
  /** Bytes: only matches that begin here or later. */
  readonly offset: number;
  /** Matches. Default: 20. */
  readonly limit: number | undefined;
  /** Bytes of the answer. */
  readonly most: number;
}

/** The matches, one per line. */
interface SearchResult {
  readonly text: string;
  readonly count: number;
  /** Bytes: the position of the next match, when there is one that is not shown. */
  readonly next: number | undefined;
}

/** Finds a text literally and case-insensitively, with line, byte offset and surrounding text. */
function searchText(text: string, { wanted, offset, limit, most }: Search): SearchResult {
  const pattern = new RegExp(wellFormed(wanted).replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&"), "giu");
  const lines: string[] = [];
  let left = most;
  let [seen, line, byte] = [0, 1, 0];
  for (const { 0: found, index } of text.matchAll(pattern)) {
    const between = text.slice(seen, index);
    line += newLines(between);
    byte += utf8Length(between);
    seen = index;
    if (byte < offset) continue;
    const foundLine = `line ${line}, offset ${byte}: ${excerpt(text, index, found.length)}`;
    const entry = lines.length === 0 ? truncateUtf8(foundLine, left) : foundLine;
    left -= utf8Length(entry) + 1;
    if (lines.length === (limit ?? maxMatches) || (left < 0 && lines.length > 0)) {
      return { text: lines.join("\n"), count: lines.length, next: byte };
    }
    lines.push(entry);
  }
  return { text: lines.join("\n"), count: lines.length, next: undefined };
}

function newLines(text: string): number {
  let count = 0;
  for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) count += 1;
  return count;
}

function excerpt(text: string, index: number, length: number): string {
  const start = Math.max(0, index - around);
  const end = Math.min(text.length, index + Math.min(length, 200) + around);
  const within = wellFormed(text.slice(start, end)).replace(/\s+/g, " ");
  return `${start > 0 ? "…" : ""}${within}${end < text.length ? "…" : ""}`;
}

/** A page of a longer content, as a model reads it. */
interface Page {
  readonly text: string;
  /** Its start and end, in bytes of the whole. */
  readonly start: number;
  readonly end: number;
  readonly isBase64: boolean;
}

/** The page to read. */
interface PageRequest {
  /** Bytes of the whole. */
  readonly size: number;
  readonly offset: number;
  /** Maximum bytes of the page's text; at least one character is read. */
  readonly most: number;
  /** The content may be decoded as UTF-8. */
  readonly isText: boolean;
}

/**
 * Reads a page of text without splitting characters: an offset within one moves to its start. Content that is not text,
 * or not UTF-8, is returned as base64.
 *
 * @param read returns the bytes from an offset on; fewer only at the end.
 */
async function readPage(
  read: (offset: number, length: number) => Promise<Uint8Array> | Uint8Array,
  { size, offset, most, isText }: PageRequest,
): Promise<Page> {
  if (isText) {
    const from = Math.max(0, offset - 3);
    const bytes = await read(from, offset - from + most + 4);
    const start = characterAt(bytes, offset - from);
    const end = Math.max(characterAt(bytes, start + most), nextCharacter(bytes, start));
    const text = decodeText(bytes.subarray(start, end));
    if (text !== undefined) return { text, start: from + start, end: from + end, isBase64: false };
  }
  const bytes = await read(offset, Math.max(1, Math.floor(most / 4)) * 3);
  const end = Math.min(size, offset + bytes.byteLength);
  return { text: bytesToBase64(bytes), start: offset, end, isBase64: true };
}

/** Decodes UTF-8 completely; `undefined`: the bytes are not UTF-8. */
function decodeText(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

/** The start of the character that the byte at `index` belongs to. */
function characterAt(bytes: Uint8Array, index: number): number {
  if (index >= bytes.length) return bytes.length;
  let at = index;
  while (at > 0 && at > index - 3 && isContinuation(bytes[at])) at -= 1;
  return at;
}

function nextCharacter(bytes: Uint8Array, index: number): number {
  let at = Math.min(index + 1, bytes.length);
  while (at < bytes.length && at < index + 4 && isContinuation(bytes[at])) at += 1;
  return at;
}

function isContinuation(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0xc0) === 0x80;
}
