import { read as readCallback } from "node:fs";
import { promisify } from "node:util";

const readAsync = promisify(readCallback);

/** The bytes of a file, or of its text in UTF-8. */
export interface ByteSource {
  readonly size: number;
  /** Fills a part of the buffer from a position, and returns the number of bytes; 0 at the end. */
  read(buffer: Buffer, position: number): Promise<number>;
}

/** The bytes of an open file. */
export function fileSource(fd: number, size: number): ByteSource {
  return {
    size,
    read: async (buffer, position) =>
      (await readAsync(fd, buffer, 0, buffer.length, position)).bytesRead,
  };
}

/** Bytes in memory. */
export function bufferSource(bytes: Buffer): ByteSource {
  return {
    size: bytes.length,
    read: (buffer, position) => Promise.resolve(bytes.copy(buffer, 0, position)),
  };
}

/** Which lines are read. */
export interface LineRange {
  /** The first line, from 1 on; a negative number counts from the end. */
  readonly offset: number;
  /** Maximum number of lines. */
  readonly limit: number;
  /** Maximum number of bytes of all lines; at least one line is returned. */
  readonly maxBytes: number;
  /** Bytes that are counted for each line beside its own. */
  readonly bytesPerLine: number;
  /** Maximum number of bytes of a line that are returned. */
  readonly maxLineBytes: number;
  /** The byte that ends a line. Default: a line feed. */
  readonly lineEnd?: number;
  /** Bytes of the first line that are left out at its beginning; not with a negative offset. Default: 0. */
  readonly lineOffset?: number;
  /** In a file of up to this size, all lines are counted. */
  readonly maxCountedBytes: number;
}

/** A line without its line ending. */
interface Line {
  readonly bytes: Buffer;
  /** The place in the line at which `bytes` begin. */
  readonly start: number;
  /** Bytes of the line that were left out at its end. */
  readonly omittedBytes: number;
}

/** Lines of a file. */
export interface LinesRead {
  /** The number of the first line. Undefined: the lines are the last ones of a file that is too large to count. */
  readonly first: number | undefined;
  readonly lines: readonly Line[];
  /** The number of lines of the file; undefined: it was not read to its end. */
  readonly total: number | undefined;
  /** There are lines after the last one that was returned. */
  readonly hasMore: boolean;
}

const chunkBytes = 256 * 1024;
/** A buffer for the parts of a file: large ones for small files cost more than reading them. */
export function allocateChunk({ size }: ByteSource, maxBytes: number): Buffer {
  return Buffer.allocUnsafe(Math.min(maxBytes, Math.max(4_096, size + 1)));
}

export const lineFeed = 10;
export const carriageReturn = 13;

/**
 * Reads lines of a file of any size in a small amount of memory.
 *
 * @param signal stops it; the promise rejects with its reason.
 */
export async function readLines(
  source: ByteSource,
  range: LineRange,
  signal?: AbortSignal,
): Promise<LinesRead> {
  if (range.offset >= 0)
    return readForward(source, range, range.offset === 0 ? 1 : range.offset, signal);
  if (source.size <= range.maxCountedBytes) {
    const total = await countLines(source, range.lineEnd ?? lineFeed, signal);
    return readForward(source, range, Math.max(1, total + 1 + range.offset), signal);
  }
  return readLast(source, range, signal);
}

async function readForward(
  source: ByteSource,
  range: LineRange,
  first: number,
  signal: AbortSignal | undefined,
): Promise<LinesRead> {
  const { limit, maxBytes, bytesPerLine, lineEnd = lineFeed, lineOffset = 0 } = range;
  const chunk = allocateChunk(source, chunkBytes);
  const lines: Line[] = [];
  const line = new LineBuilder(range.maxLineBytes, lineEnd, lineOffset);
  let number = 1;
  let bytes = 0;
  let position = 0;
  let isFull = false;
  let endsInLine = false;
  for (;;) {
    signal?.throwIfAborted();
    const length = await source.read(chunk, position);
    if (length === 0) break;
    position += length;
    const part = chunk.subarray(0, length);
    let at = 0;
    while (at < length) {
      const end = part.indexOf(lineEnd, at);
      const isWanted = number >= first && !isFull;
      if (isWanted) line.add(part.subarray(at, end === -1 ? length : end));
      endsInLine = end === -1;
      if (end === -1) break;
      if (isWanted) {
        const built = line.take();
        // A line that does not fit is the first of the next page.
        if (lines.length > 0 && bytes + built.bytes.length + bytesPerLine > maxBytes) isFull = true;
        else {
          lines.push(built);
          bytes += built.bytes.length + bytesPerLine;
          isFull = lines.length >= limit;
        }
      }
      number += 1;
      at = end + 1;
      endsInLine = at < length;
    }
    if (isFull && source.size > range.maxCountedBytes) {
      return { first, lines, total: undefined, hasMore: true };
    }
  }
  const total = endsInLine ? number : number - 1;
  if (endsInLine && !isFull && number >= first) {
    const built = line.take();
    if (lines.length === 0 || bytes + built.bytes.length + bytesPerLine <= maxBytes)
      lines.push(built);
  }
  return { first, lines, total, hasMore: first + lines.length - 1 < total };
}

async function countLines(
  source: ByteSource,
  lineEnd: number,
  signal: AbortSignal | undefined,
): Promise<number> {
  const chunk = allocateChunk(source, chunkBytes);
  let count = 0;
  let position = 0;
  let last = lineEnd;
  for (;;) {
    signal?.throwIfAborted();
    const length = await source.read(chunk, position);
    if (length === 0) return last === lineEnd ? count : count + 1;
    position += length;
    last = chunk[length - 1] as number;
    for (
      let at = chunk.indexOf(lineEnd);
      at !== -1 && at < length;
      at = chunk.indexOf(lineEnd, at + 1)
    )
      count += 1;
  }
}

/** Reads the last lines from the end on. */
async function readLast(
  source: ByteSource,
  { offset, limit, maxBytes, bytesPerLine, maxLineBytes, lineEnd = lineFeed }: LineRange,
  signal: AbortSignal | undefined,
): Promise<LinesRead> {
  const wanted = -offset;
  const chunk = allocateChunk(source, chunkBytes);
  let start = source.size;
  let tail = Buffer.alloc(0);
  let found = 0;
  // As much of the end as the lines may have, but not more than can be returned.
  while (start > 0 && found <= wanted && tail.length <= maxBytes + chunkBytes) {
    signal?.throwIfAborted();
    const from = Math.max(0, start - chunkBytes);
    const length = await source.read(chunk.subarray(0, start - from), from);
    if (length === 0) break;
    tail = Buffer.concat([chunk.subarray(0, length), tail]);
    start = from;
    found = 0;
    for (const byte of tail) if (byte === lineEnd) found += 1;
  }
  const pieces = splitLines(tail, lineEnd);
  if (start > 0) pieces.shift();
  const last = pieces.slice(-wanted);
  const lines: Line[] = [];
  let bytes = 0;
  for (const piece of last.slice(0, limit)) {
    const line = new LineBuilder(maxLineBytes, lineEnd);
    line.add(piece);
    const built = line.take();
    if (lines.length > 0 && bytes + built.bytes.length + bytesPerLine > maxBytes) break;
    bytes += built.bytes.length + bytesPerLine;
    lines.push(built);
  }
  return { first: undefined, lines, total: undefined, hasMore: lines.length < last.length };
}

function splitLines(bytes: Buffer, lineEnd: number): Buffer[] {
  const lines: Buffer[] = [];
  let at = 0;
  for (let end = bytes.indexOf(lineEnd); end !== -1; end = bytes.indexOf(lineEnd, at)) {
    lines.push(bytes.subarray(at, end));
    at = end + 1;
  }
  if (at < bytes.length) lines.push(bytes.subarray(at));
  return lines;
}

/** Collects the pieces of one line after the other, as much of each as is returned. */
class LineBuilder {
  readonly #maxBytes: number;
  readonly #lineEnd: number;
  /** Bytes of the next line that are left out at its beginning. */
  #skipped: number;
  #pieces: Buffer[] = [];
  /** Bytes of the line so far, and of those that are returned. */
  #total = 0;
  #length = 0;

  constructor(maxBytes: number, lineEnd: number, skipped = 0) {
    this.#maxBytes = maxBytes;
    this.#lineEnd = lineEnd;
    this.#skipped = skipped;
  }

  add(piece: Buffer): void {
    const rest = piece.subarray(Math.max(0, this.#skipped - this.#total));
    const fitting = rest.subarray(0, this.#maxBytes - this.#length);
    // A copy, since the chunk is filled again.
    if (fitting.length > 0) this.#pieces.push(Buffer.from(fitting));
    this.#length += fitting.length;
    this.#total += piece.length;
  }

  /** The line, without a carriage return before a line feed. */
  take(): Line {
    let bytes =
      this.#pieces.length === 1 ? (this.#pieces[0] as Buffer) : Buffer.concat(this.#pieces);
    const start = Math.min(this.#skipped, this.#total);
    const isWhole = start + bytes.length === this.#total;
    if (!isWhole) bytes = wholeCharacters(bytes);
    const omittedBytes = this.#total - start - bytes.length;
    if (isWhole && this.#lineEnd === lineFeed && bytes.at(-1) === carriageReturn) {
      bytes = bytes.subarray(0, -1);
    }
    this.#pieces = [];
    this.#length = 0;
    this.#total = 0;
    this.#skipped = 0;
    return { bytes, start, omittedBytes };
  }
}

/** Without the bytes of a character of UTF-8 that was cut. */
function wholeCharacters(bytes: Buffer): Buffer {
  let end = bytes.length;
  while (end > 0 && bytes.length - end < 3 && ((bytes[end - 1] as number) & 0xc0) === 0x80)
    end -= 1;
  const lead = bytes[end - 1];
  if (lead === undefined || lead < 0xc0) return bytes;
  const length = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
  return end - 1 + length > bytes.length ? bytes.subarray(0, end - 1) : bytes;
}
