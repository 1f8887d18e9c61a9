import { truncateUtf8, utf8Length } from "../text/truncate-utf8.ts";
import { wellFormed } from "../text/well-formed.ts";

const maxMatches = 20;
/** UTF-16 units before and after a match. */
const around = 60;

/** The text to find, and the limits of the result. */
export interface Search {
  readonly wanted: string;
  /** Bytes: only matches that begin here or later. */
  readonly offset: number;
  /** Matches. Default: 20. */
  readonly limit: number | undefined;
  /** Bytes of the answer. */
  readonly most: number;
}

/** The matches, one per line. */
export interface SearchResult {
  readonly text: string;
  readonly count: number;
  /** Bytes: the position of the next match, when there is one that is not shown. */
  readonly next: number | undefined;
}

/** Finds a text literally and case-insensitively, with line, byte offset and surrounding text. */
export function searchText(text: string, { wanted, offset, limit, most }: Search): SearchResult {
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
