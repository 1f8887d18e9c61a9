import { closeSync, constants, fstatSync, openSync } from "node:fs";
import { compileFileGlob } from "../jail/glob.ts";
import { readBytes } from "../files/read-bytes.ts";
import { decodeText, detectFormat, isBinary, isWide } from "../files/text-format.ts";
import { endsLinesWithReturns } from "../files/text-lines.ts";
import { noneSkipped, walkTree, type SkippedEntries } from "../files/walk-tree.ts";
import type { Jail } from "../jail/jail.ts";
import { checkPermitted, type GivenPermission } from "../jail/permitted-paths.ts";
import { LineMatcher, type LineMatch, type PatternOptions } from "./line-matcher.ts";

/** A pattern, and the files that are searched for it. */
export interface SearchRequest extends PatternOptions {
  /** A file or a folder. */
  readonly path: string;
  /** Globs of tools over paths relative to `path`, of which one must match; empty: all files. */
  readonly globs: readonly string[];
  readonly hidden: boolean;
  readonly ignored: boolean;
  /** Lines around each match. */
  readonly before: number;
  readonly after: number;
  /** Matches, or files, that are returned, after as many as `offset`. */
  readonly limit: number;
  readonly offset: number;
  readonly mode: "content" | "files" | "count";
  /** Characters of a line that are returned. */
  readonly maxLineLength: number;
  /** Those that the call was given. */
  readonly permissions: readonly GivenPermission[];
}

/** A line of a result. */
interface FoundLine {
  readonly path: string;
  readonly line: number;
  readonly text: string;
  /** False: it is near a match. */
  readonly isMatch: boolean;
}

/** The result of a search. Totals include what was not returned. */
export interface SearchResult {
  readonly lines: readonly FoundLine[];
  /** Files with a match, with the number of lines. */
  readonly files: readonly (readonly [path: string, matches: number])[];
  readonly totalMatches: number;
  readonly totalFiles: number;
  readonly searchedFiles: number;
  readonly skipped: SkippedEntries & { binary: number; tooLarge: number; links: number };
}

const maxFileBytes = 64 * 1024 * 1024;

/**
 * Searches the files below a path for the lines that match.
 *
 * @throws SyntaxError for an invalid regular expression; JailError for a path that cannot be used.
 */
export function searchTree(jail: Jail, request: SearchRequest): SearchResult {
  const search = new Search(request);
  const check = checkPermitted(request.permissions);
  if (jail.locate(request.path, "read").kind === "file") {
    const file = jail.openFile(request.path, check);
    try {
      search.file(file.info.path, file.fd, Number(file.stat.size));
    } finally {
      file.close();
    }
    return search.result(noneSkipped());
  }
  const folder = jail.openFolder(request.path, check);
  try {
    const globs = request.globs.map(compileFileGlob);
    const { hidden, ignored } = request;
    const skipped = walkTree(folder, jail.matcher, { hidden, ignored }, (found) => {
      if (found.kind === "directory") return;
      if (globs.length > 0 && !globs.some((matches) => matches(found.name))) return;
      if (found.kind === "link") {
        search.skipped.links += 1;
        return;
      }
      if (!jail.isPlain(found.path, found.entry)) {
        search.skipped.notPermitted += 1;
        return;
      }
      const fd = open(found.entry.path);
      if (fd === undefined) {
        search.skipped.notPermitted += 1;
        return;
      }
      try {
        search.file(found.path, fd, Number(fstatSync(fd).size));
      } finally {
        closeSync(fd);
      }
    });
    return search.result(skipped);
  } finally {
    folder.close();
  }
}

function open(path: string): number | undefined {
  try {
    return openSync(path, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOCTTY);
  } catch {
    return undefined;
  }
}

class Search {
  readonly #request: SearchRequest;
  readonly #matcher: LineMatcher;
  readonly #lines: FoundLine[] = [];
  readonly #files: [string, number][] = [];
  #matches = 0;
  #matchedFiles = 0;
  #searched = 0;
  readonly skipped = { binary: 0, tooLarge: 0, links: 0, notPermitted: 0 };

  constructor(request: SearchRequest) {
    this.#request = request;
    this.#matcher = new LineMatcher(request);
  }

  file(path: string, fd: number, size: number): void {
    if (size > maxFileBytes) {
      this.skipped.tooLarge += 1;
      return;
    }
    const bytes = readBytes(fd, 0, size);
    if (isBinary(bytes)) {
      this.skipped.binary += 1;
      return;
    }
    const { required } = this.#matcher;
    if (required !== undefined && !isWide(bytes) && !bytes.includes(required)) {
      this.#searched += 1;
      return;
    }
    const format = detectFormat(bytes);
    if (format === undefined) {
      this.skipped.binary += 1;
      return;
    }
    this.#searched += 1;
    const text = decodeText(bytes, format);
    this.#text(path, endsLinesWithReturns(text) ? text.replaceAll("\r", "\n") : text);
  }

  #text(path: string, text: string): void {
    const { mode, offset, limit } = this.#request;
    let count = 0;
    const context = new ContextLines(path, text, this.#request);
    for (const { line, start, end, at } of this.#matcher.find(text)) {
      count += 1;
      this.#matches += 1;
      if (mode !== "content" || this.#matches <= offset || this.#matches > offset + limit) continue;
      context.add(this.#lines, { line, start, end, at });
    }
    if (count === 0) return;
    this.#matchedFiles += 1;
    if (mode === "content" || this.#matchedFiles <= offset || this.#files.length >= limit) return;
    this.#files.push([path, count]);
  }

  result(skipped: SkippedEntries): SearchResult {
    return {
      lines: this.#lines,
      files: this.#files,
      totalMatches: this.#matches,
      totalFiles: this.#matchedFiles,
      searchedFiles: this.#searched,
      skipped: {
        ...skipped,
        ...this.skipped,
        notPermitted: skipped.notPermitted + this.skipped.notPermitted,
      },
    };
  }
}

/** Adds matches with the lines around them, each line once. */
class ContextLines {
  readonly #path: string;
  readonly #text: string;
  readonly #before: number;
  readonly #after: number;
  readonly #maxLineLength: number;
  #last = 0;

  constructor(path: string, text: string, { before, after, maxLineLength }: SearchRequest) {
    this.#path = path;
    this.#text = text;
    this.#before = before;
    this.#after = after;
    this.#maxLineLength = maxLineLength;
  }

  add(lines: FoundLine[], { line, start, end, at: matchAt }: LineMatch): void {
    const text = this.#text;
    let from = start;
    let first = line;
    while (first > Math.max(1, line - this.#before, this.#last + 1)) {
      from = from === 1 ? 0 : text.lastIndexOf("\n", from - 2) + 1;
      first -= 1;
    }
    for (; first < line; first++) {
      const to = text.indexOf("\n", from);
      this.#push(lines, first, from, to);
      from = to + 1;
    }
    if (line > this.#last) this.#push(lines, line, start, end, matchAt);
    else {
      const known = lines.findLastIndex((one) => one.line === line);
      if (known === -1) this.#push(lines, line, start, end, matchAt);
      else
        lines[known] = {
          ...(lines[known] as FoundLine),
          text: this.#cut(start, end, matchAt),
          isMatch: true,
        };
    }
    this.#last = Math.max(this.#last, line);
    let at = text.indexOf("\n", end);
    for (
      let next = line + 1;
      next <= line + this.#after && at !== -1 && at + 1 < text.length;
      next++
    ) {
      const to = text.indexOf("\n", at + 1);
      if (next > this.#last) {
        this.#push(lines, next, at + 1, to === -1 ? text.length : to);
        this.#last = next;
      }
      at = to;
    }
  }

  /** @param matchAt the place of the match; undefined: the line is near one. */
  #push(lines: FoundLine[], line: number, start: number, end: number, matchAt?: number): void {
    const text = this.#cut(start, end, matchAt ?? start);
    lines.push({ path: this.#path, line, text, isMatch: matchAt !== undefined });
  }

  /** The part of a line around a place, with the number of characters that were left out on both sides. */
  #cut(start: number, end: number, at: number): string {
    const max = this.#maxLineLength;
    const text = this.#text;
    if (end - start <= max) return text.slice(start, end).replace(/\r$/, "");
    // A match at the beginning of the part is seen with some of the text before it.
    let from = at - start < max / 2 ? start : Math.min(at - Math.floor(max / 4), end - max);
    let to = from + max;
    if (isLowSurrogate(text, from)) from -= 1;
    if (isLowSurrogate(text, to)) to -= 1;
    const before = from > start ? `[${from - start}+]` : "";
    const after = to < end ? `[+${end - to}]` : "";
    return `${before}${text.slice(from, to)}${after}`;
  }
}

/** Whether a place is in the middle of a character. */
function isLowSurrogate(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return code >= 0xdc00 && code < 0xe000;
}
