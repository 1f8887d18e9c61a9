import { decodeText, encodeText, type TextFormat } from "./text-format.ts";
import { endsLinesWithReturns } from "./text-lines.ts";
import { explainMiss } from "./explain-miss.ts";
import { failure } from "./failure.ts";

/** One replacement in a file. */
export interface TextEdit {
  /** The text as it is in the file, without line numbers. `\n` also matches the line ending of the file. */
  readonly old: string;
  readonly new: string;
  /** Replace every match. Default: false: there must be exactly one. */
  readonly replace_all?: boolean;
  /** The number of matches that there must be. */
  readonly expect?: number;
}

/** A span of the bytes before, and the bytes that replace it. */
export interface ReplacedSpan {
  readonly start: number;
  readonly end: number;
  readonly bytes: Buffer;
  /** The line of its first character; the first line is 1. */
  readonly line: number;
}

/** A file after edits. */
export interface EditedBytes {
  readonly bytes: Buffer;
  /** In order. Everything outside of them is unchanged. */
  readonly spans: readonly ReplacedSpan[];
}

/** A match in the text: the first character, and the one after the last. */
interface Match {
  readonly start: number;
  readonly end: number;
}

/**
 * Applies edits to the bytes of a file. Each is matched against the file as it was before, all or none are made, and
 * nothing but the matched spans changes: not the encoding, the line endings, the byte order mark or invalid bytes.
 *
 * @param allOption the name under which callers know `replace_all`. Default: that name.
 * @throws ToolError `execution_failed` when a text does not match as often as expected, or two edits overlap; the text
 * says where the closest region is, and in what it differs.
 */
export function editBytes(
  bytes: Buffer,
  format: TextFormat,
  edits: readonly TextEdit[],
  allOption: string = "replace_all",
): EditedBytes {
  const text = decodeText(bytes, format);
  const hasReturns = endsLinesWithReturns(text);
  const offsets = new ByteOffsets(text, format);
  const spans = edits
    .flatMap((edit, index) => {
      const which = edits.length > 1 ? `old of edit ${index + 1}` : "old";
      if (!hasReturns || edit.old.includes("\r")) return findSpans(text, edit, which, allOption);
      // Line feeds mean the line ends of the file. Both have one character, so that all places stay the same.
      const spans = findSpans(text.replaceAll("\r", "\n"), edit, which, allOption);
      return spans.map((span) => ({ ...span, replacement: toReturns(span.replacement) }));
    })
    .toSorted((a, b) => a.start - b.start || a.end - b.end)
    .map(({ start, end, replacement }) => ({
      start: offsets.at(start),
      end: offsets.at(end),
      bytes: encodeText(replacement, format.encoding),
      line: lineAt(text, start),
    }));
  for (const [index, span] of spans.entries()) {
    const before = spans[index - 1];
    if (before !== undefined && span.start < before.end) {
      throw failure(`Two edits change the same text in line ${span.line}. Make one edit of them.`);
    }
  }
  return { bytes: splice(bytes, spans), spans };
}

/** A text whose lines end with carriage returns. */
export function toReturns(text: string): string {
  return text.replace(/\r?\n/g, "\r");
}

/** The bytes with each of the spans, which are in order, replaced. */
export function splice(bytes: Buffer, spans: readonly ReplacedSpan[]): Buffer {
  const parts: Buffer[] = [];
  let end = 0;
  for (const span of spans) {
    parts.push(bytes.subarray(end, span.start), span.bytes);
    ({ end } = span);
  }
  parts.push(bytes.subarray(end));
  return Buffer.concat(parts);
}

/** Half of a character outside of the basic plane, which no bytes of UTF-8 stand for. */
const loneSurrogate = /\p{Surrogate}/u;

function findSpans(
  text: string,
  edit: TextEdit,
  which: string,
  allOption: string,
): readonly (Match & { readonly replacement: string })[] {
  const { old, new: replacement, replace_all: replacesAll = false, expect } = edit;
  if (old === "")
    throw failure(`${which} is empty. Give the text that is to be replaced, or use write_file.`);
  if (old === replacement)
    throw failure(`${which} and its new are the same: there is nothing to change.`);
  if (loneSurrogate.test(old) || loneSurrogate.test(replacement)) {
    throw failure(
      `${which} or its new contains half of a character (a lone surrogate). Give whole characters.`,
    );
  }
  const matches = findMatches(text, old);
  if (matches.length === 0) throw failure(`${which} is not in the file. ${explainMiss(text, old)}`);
  const wanted = expect ?? (replacesAll ? matches.length : 1);
  if (matches.length !== wanted) {
    const lines = matches.slice(0, 10).map(({ start }) => lineAt(text, start));
    const more = matches.length > 10 ? ", …" : "";
    throw failure(
      `${which} is in the file ${matches.length} times, and ${wanted} ${wanted === 1 ? "was" : "were"} expected: at ${matches.length === 1 ? "line" : "lines"} ${lines.join(", ")}${more}. Give more text around the place, or set ${allOption}.`,
    );
  }
  return matches.map((match) => ({
    ...match,
    replacement: withLineEndings(edit, text, match),
  }));
}

/** All matches that do not overlap. A line feed in the pattern also matches CR LF, where the exact text is not there. */
function findMatches(text: string, old: string): readonly Match[] {
  const exact = [...findIndexes(text, old)].map((start) => ({ start, end: start + old.length }));
  if (exact.length > 0 || !/\r?\n/.test(old)) return exact;
  return [...translatedMatches(text, old)];
}

function* findIndexes(text: string, part: string): Generator<number> {
  let at = text.indexOf(part);
  while (at !== -1) {
    yield at;
    at = text.indexOf(part, at + part.length);
  }
}

/** Matches line by line, whatever the line endings are. */
function* translatedMatches(text: string, old: string): Generator<Match> {
  const lines = old.split(/\r\n|\n/);
  const first = lines[0] as string;
  // The search needs some text: of leading empty lines, the first line with text.
  let from = 0;
  for (;;) {
    const start = first === "" ? nextLineEnd(text, from) : text.indexOf(first, from);
    if (start === -1) return;
    const end = matchLines(text, start, lines);
    if (end === undefined) from = start + 1;
    else {
      yield { start, end };
      from = Math.max(end, start + 1);
    }
  }
}

function nextLineEnd(text: string, from: number): number {
  const found = /\r\n|\n/g;
  found.lastIndex = from;
  return found.exec(text)?.index ?? -1;
}

function matchLines(text: string, start: number, lines: readonly string[]): number | undefined {
  let at = start;
  for (const [index, line] of lines.entries()) {
    if (index > 0) {
      if (text.startsWith("\r\n", at)) at += 2;
      else if (text.startsWith("\n", at)) at += 1;
      else return undefined;
    }
    if (!text.startsWith(line, at)) return undefined;
    at += line.length;
  }
  return at;
}

/** The replacement with the line ending of the region: that of the matched text, or else of the line around it. */
function withLineEndings({ old, new: replacement }: TextEdit, text: string, match: Match): string {
  const { start, end } = match;
  if (!replacement.includes("\n")) return replacement;
  const matched = text.slice(start, end);
  // The line feeds of the file stand for CR LF in the edit.
  if (old.includes("\r\n") && !matched.includes("\r")) return replacement.replace(/\r\n/g, "\n");
  const endings = new Set(matched.match(/\r\n|\n/g));
  const around = endings.size === 0 ? endingNear(text, start, end) : undefined;
  const isCrlf = endings.size === 0 ? around === "\r\n" : endings.size === 1 && endings.has("\r\n");
  return isCrlf ? replacement.replace(/\r?\n/g, "\r\n") : replacement;
}

function endingNear(text: string, start: number, end: number): string | undefined {
  const after = text.indexOf("\n", end);
  const at = after === -1 ? text.lastIndexOf("\n", start) : after;
  if (at === -1) return undefined;
  return text[at - 1] === "\r" ? "\r\n" : "\n";
}

function lineAt(text: string, index: number): number {
  const end = endsLinesWithReturns(text) ? "\r" : "\n";
  let line = 1;
  for (let at = text.indexOf(end); at !== -1 && at < index; at = text.indexOf(end, at + 1))
    line += 1;
  return line;
}

/** The places in the bytes of places in the text, asked for in ascending order. */
export class ByteOffsets {
  readonly #text: string;
  readonly #format: TextFormat;
  #index = 0;
  #offset: number;

  constructor(text: string, format: TextFormat) {
    this.#text = text;
    this.#format = format;
    this.#offset = format.bomBytes;
  }

  at(index: number): number {
    const { encoding, bomBytes } = this.#format;
    if (encoding === "latin1") return bomBytes + index;
    if (encoding !== "utf8") return bomBytes + 2 * index;
    if (index < this.#index) {
      this.#index = 0;
      this.#offset = bomBytes;
    }
    this.#offset += Buffer.byteLength(this.#text.slice(this.#index, index));
    this.#index = index;
    return this.#offset;
  }
}
