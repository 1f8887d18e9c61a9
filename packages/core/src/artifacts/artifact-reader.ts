import { truncateUtf8, utf8Length } from "../text/utf8.ts";
import { decodeUtf8, findText, readTextPage, type TextPage } from "./text-page.ts";
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
    const decoded = isText ? decodeUtf8(await this.#artifacts.read(this.#ref)) : undefined;
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
    const maxBytes = Math.min(this.#room, this.#limit ?? Infinity);
    const page = await readTextPage(read, { size, offset, maxBytes, isText });
    return this.#output(page.text, this.#pageNote(page, size, what));
  }

  #pageNote({ start, end, isBase64 }: TextPage, size: number, what: string): string {
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

/** Finds a text, with line, byte offset and surrounding text. */
function searchText(text: string, { wanted, offset, limit, most }: Search): SearchResult {
  const lines: string[] = [];
  let left = most;
  for (const match of findText(text, wanted, offset)) {
    const foundLine = `line ${match.line}, offset ${match.offset}: ${match.text}`;
    const entry = lines.length === 0 ? truncateUtf8(foundLine, left) : foundLine;
    left -= utf8Length(entry) + 1;
    if (lines.length === (limit ?? maxMatches) || (left < 0 && lines.length > 0)) {
      return { text: lines.join("\n"), count: lines.length, next: match.offset };
    }
    lines.push(entry);
  }
  return { text: lines.join("\n"), count: lines.length, next: undefined };
}
