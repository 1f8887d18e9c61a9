import { parseExact, visibleText, truncate } from "@toolweave/core/adapter";
import { maxMessageBytes, type ChannelReceiver } from "./channel.ts";
import { readErrorMessage } from "./session-refusal.ts";
import { isUtf8 } from "node:buffer";

/** Maximum number of values of one message: parsing more blocks the process for too long and takes too much memory. */
export const maxValues: number = 2_000_000;

const quote = 34;
const backslash = 92;

/** True for JSON with more values than `maxValues`. Strings are skipped, so that long ones cost little. */
export function hasTooManyValues(text: string): boolean {
  // Each value has at least one character.
  if (text.length <= maxValues) return false;
  let values = 0;
  for (let at = 0; at < text.length; at++) {
    switch (text.charCodeAt(at)) {
      case quote:
        at = findStringEnd(text, at);
        break;
      // `[`, `{` and `,`: before each value but the first.
      case 91:
      case 123:
      case 44:
        if (++values > maxValues) return true;
        break;
      default:
    }
  }
  return false;
}

/** Returns the end of the string that begins at `begin`. */
function findStringEnd(text: string, begin: number): number {
  for (let end = text.indexOf('"', begin + 1); end !== -1; end = text.indexOf('"', end + 1)) {
    let before = end - 1;
    while (text.charCodeAt(before) === backslash) before -= 1;
    if ((end - before) % 2 === 1) return end;
  }
  return text.length;
}

/** The id of a response that was dropped because it exceeds the limits. */
interface DroppedResponse {
  readonly id: string | number;
}

/**
 * Parses a message and passes it to the receiver.
 *
 * @param streamOwner See `ChannelReceiver.receive`.
 * @returns the message, or its id if it was dropped.
 */
export function readMessage(
  text: string,
  receiver: ChannelReceiver,
  streamOwner?: object,
): unknown {
  if (hasTooManyValues(text)) return dropLargeMessage(text, receiver);
  let message: unknown;
  try {
    // A byte order mark may be ignored (RFC 8259, section 8.1).
    message = parseExact(text.charCodeAt(0) === 0xfeff ? text.slice(1) : text);
  } catch {
    // Some servers print text that is not a message.
    receiver.skipInvalid(text);
    return undefined;
  }
  receiver.receive(message, streamOwner);
  return message;
}

function dropLargeMessage(text: string, receiver: ChannelReceiver): DroppedResponse | undefined {
  const id = LineTruncator.of(text).answeredId;
  if (id === undefined) receiver.skipInvalid(text);
  else receiver.dropResponse(id);
  return id === undefined ? undefined : { id };
}

/** Message of the error for a response that exceeds the limits. */
export const tooLargeMessage: string = `The response is larger than ${maxMessageBytes} bytes, or has more than ${maxValues} values, and was dropped. Request less data.`;

/** Maximum length of a sample, in characters. */
const maxSampleLength = 200;

/** Converts a text that is no message to a sample for diagnostics. */
export function toTextSample(text: string): string {
  const sample = visibleText(truncate(text, maxSampleLength));
  return text.includes("\0") ? `${sample} (in UTF-16? Messages must be in UTF-8)` : sample;
}

/** Some servers return the id of a request as text: returns it as the number that was sent. */
export function toSentId(id: string | number): string | number {
  return typeof id === "string" && /^\d{1,15}$/.test(id) ? Number(id) : id;
}

/** Converts a value to a sample for diagnostics. Members are omitted: their depth and number are not bounded. */
export function toSample(value: unknown): string {
  if (typeof value === "object" && value !== null) {
    const error = readErrorMessage(value);
    if (error !== undefined) return toTextSample(`an error without an id: ${error}`);
    return Array.isArray(value) ? "[]" : `{${Object.keys(value).slice(0, 10).join(", ")}}`;
  }
  return value === undefined ? "a nested batch" : JSON.stringify(value);
}

const replacement = "\uFFFD";
/** U+FFFD in UTF-8: a server may send it. */
const sent = Buffer.from(replacement);

/** Characters around the first invalid byte. */
const maxExcerpt = 60;

/** True if bytes were lost: the text has a replacement character, and the bytes are not valid UTF-8 (RFC 3629). */
export function isInvalidText(text: string, bytes: Uint8Array): boolean {
  return text.includes(replacement) && !isUtf8(bytes);
}

/**
 * The same for the chunks of a stream, whose first and last character may be incomplete: returns a function that calls
 * `onInvalidText` with the text of each invalid chunk.
 */
export function invalidChunkListener(
  onInvalidText: (text: string) => void,
): (text: string, chunk: Uint8Array) => void {
  /** The last two bytes of the previous chunk. */
  let before: Uint8Array = new Uint8Array(0);
  return (text, chunk) => {
    if (isInvalidChunk(text, chunk, before)) onInvalidText(text);
    before = chunk.length > 1 ? chunk.subarray(-2) : Buffer.concat([before, chunk]).subarray(-2);
  };
}

function isInvalidChunk(text: string, bytes: Uint8Array, before: Uint8Array): boolean {
  if (!text.includes(replacement)) return false;
  const all = Buffer.concat([before, bytes]);
  let valid = 0;
  for (let at = all.indexOf(sent); at !== -1; at = all.indexOf(sent, at + sent.length)) valid++;
  return text.split(replacement).length - 1 > valid;
}

/** The text around the first replacement character. */
export function toInvalidTextExcerpt(text: string): string {
  const at = Math.max(0, text.indexOf(replacement));
  const begin = Math.max(0, at - maxExcerpt / 2);
  const excerpt = text.slice(begin, at + maxExcerpt / 2);
  // Surrogate pairs are not split.
  return visibleText(excerpt.replace(/^[\udc00-\udfff]|[\ud800-\udbff]$/g, ""));
}

/** Bytes of either end that are stored. */
const maxEndBytes = 4_096;

/** Members before or after the large one. */
const member = String.raw`"(?:[^"\\]|\\.){0,200}"\s*:\s*(?:"(?:[^"\\]|\\.){0,200}"|-?[\d.eE+]{1,30}|true|false|null)\s*`;
const before = new RegExp(String.raw`^\s*\{\s*((?:${member},\s*)*)"`);
const behind = new RegExp(String.raw`,\s*(${member}(?:,\s*${member})*)\}\s*$`);

/** The two ends of a line that is too long to be stored. */
export class LineTruncator {
  readonly #head: Buffer;
  #tail: Buffer;
  #length: number;

  /** @param begun The part of the line received so far. */
  constructor(begun: Buffer) {
    this.#head = Buffer.from(begun.subarray(0, maxEndBytes));
    this.#tail = Buffer.from(begun.subarray(-maxEndBytes));
    this.#length = begun.length;
  }

  /** Truncates a complete text. */
  static of(text: string): LineTruncator {
    const line = new LineTruncator(Buffer.from(text.slice(0, maxEndBytes)));
    line.add(Buffer.from(text.slice(-maxEndBytes)));
    return line;
  }

  /** Bytes of the full line. */
  get length(): number {
    return this.#length;
  }

  /** Beginning of the line. */
  get beginning(): string {
    return this.#head.toString("utf8");
  }

  add(part: Buffer): void {
    this.#length += part.length;
    this.#tail =
      part.length >= maxEndBytes
        ? Buffer.from(part.subarray(-maxEndBytes))
        : Buffer.concat([this.#tail, part]).subarray(-maxEndBytes);
  }

  /**
   * Id of the response, if it comes before or after the large member; `undefined`: it cannot be found, or the line is
   * not a response.
   */
  get answeredId(): string | number | undefined {
    const members = {
      ...parseMembers(before.exec(this.beginning)?.[1]),
      ...parseMembers(behind.exec(this.#tail.toString("utf8"))?.[1]),
    };
    const { id, method } = members;
    if (method !== undefined) return undefined;
    return typeof id === "string" || typeof id === "number" ? id : undefined;
  }
}

function parseMembers(found: string | undefined): Record<string, unknown> {
  try {
    return JSON.parse(`{${(found ?? "").trim().replace(/,$/, "")}}`) as Record<string, unknown>;
  } catch {
    return {};
  }
}
