import { ToolError } from "@toolweave/core";
import { differences, explainMiss, straight } from "./explain-miss.ts";
import type { PatchHunk } from "./parse-patch.ts";
import { splitLines, type TextLine } from "./text-lines.ts";

/** A text after hunks. */
export interface PatchedText {
  readonly text: string;
  /** Where the patch differs from the file, such as `indentation at line 12`. */
  readonly looseMatches: readonly string[];
}

/**
 * Applies the hunks of a patch to a text, in their order. Lines that stay are not changed, whatever the patch has in their
 * place, and lines that come have the ending of their neighbours.
 *
 * @throws ToolError `execution_failed` for a hunk whose lines are not in the text; the text says what is closest.
 */
export function applyHunks(text: string, hunks: readonly PatchHunk[]): PatchedText {
  const lines = splitLines(text);
  const looseMatches: string[] = [];
  let result = "";
  let from = 0;
  for (const hunk of hunks) {
    const { start, looseness } = findHunk(text, lines, hunk, from);
    if (looseness !== undefined) looseMatches.push(`${looseness} at line ${start + 1}`);
    result += joinLines(lines.slice(from, start));
    let at = start;
    const indent = looseness === undefined ? undefined : findIndent(hunk, lines, start);
    for (const [sign, line] of hunk.lines) {
      if (sign === "+") {
        const added = indent?.(line) ?? line;
        const ending = endingAt(lines, at > start ? at - 1 : at);
        // The last line of a file may have no ending: then what follows it needs one.
        const end = ending === "\r" ? "\r" : "\n";
        if (result !== "" && !result.endsWith(end)) result += ending;
        result += added + ending;
      } else {
        if (sign === " ") result += joinLines(lines.slice(at, at + 1));
        at += 1;
      }
    }
    from = at;
  }
  const patched = result + joinLines(lines.slice(from));
  const hadEnding = lines.at(-1)?.ending !== "";
  return { text: hadEnding ? patched : patched.replace(/(?:\r?\n|\r)$/, ""), looseMatches };
}

/**
 * How lines of a hunk become lines of the file where all of its other lines are indented more, or less, by the same
 * characters than those of the file; undefined: they are not.
 */
function findIndent(
  { lines: changes }: PatchHunk,
  lines: readonly TextLine[],
  start: number,
): ((line: string) => string) | undefined {
  const pairs = changes
    .filter(([sign]) => sign !== "+")
    .map(([, line], index) => [line, lines[start + index]?.text ?? ""] as const)
    .filter(([line]) => line.trim() !== "")
    .map(([line, own]) => [getIndent(line), getIndent(own)] as const);
  const [first] = pairs;
  if (first === undefined || first[0] === first[1]) return undefined;
  const [written, own] = first;
  if (own.endsWith(written)) {
    const more = own.slice(0, own.length - written.length);
    if (!pairs.every(([a, b]) => b === more + a)) return undefined;
    return (line) => (line.trim() === "" ? line : more + line);
  }
  if (written.endsWith(own)) {
    const less = written.slice(0, written.length - own.length);
    if (!pairs.every(([a, b]) => a === less + b)) return undefined;
    return (line) => (line.startsWith(less) ? line.slice(less.length) : line);
  }
  return undefined;
}

function getIndent(line: string): string {
  return /^[ \t]*/.exec(line)?.[0] ?? "";
}

function joinLines(lines: readonly TextLine[]): string {
  return lines.map(({ text, ending }) => text + ending).join("");
}

/** The ending of the line at a place; if it has none, that of the one before it. */
function endingAt(lines: readonly TextLine[], at: number): string {
  return lines[at]?.ending || lines[at - 1]?.ending || lines[0]?.ending || "\n";
}

interface FoundHunk {
  readonly start: number;
  /** In what the lines differ from those of the patch; undefined: in nothing. */
  readonly looseness?: string;
}

function findHunk(
  text: string,
  lines: readonly TextLine[],
  { anchors, lines: changes, isAtEnd }: PatchHunk,
  from: number,
): FoundHunk {
  let begin = from;
  for (const anchor of anchors) {
    const found = findLines(lines, [anchor], begin, false);
    if (found === undefined) throw missing(text, anchor);
    begin = found.start + 1;
  }
  const wanted = changes.flatMap(([sign, line]) => (sign === "+" ? [] : [line]));
  // Lines that only come, without any around them, come after their anchor, or at the end.
  if (wanted.length === 0) return { start: anchors.length > 0 ? begin : lines.length };
  const found = findLines(lines, wanted, begin, isAtEnd);
  if (found === undefined) throw missing(text, wanted.join("\n"));
  return found;
}

/** Ways to compare lines, the strictest first. */
const comparisons = [
  { name: undefined, normalize: (line: string) => line },
  ...differences.slice(0, 3),
  {
    name: "indentation, quotes, dashes or invisible characters",
    normalize: (line: string) => straight(line).trim(),
  },
];

function findLines(
  lines: readonly TextLine[],
  wanted: readonly string[],
  from: number,
  isAtEnd: boolean,
): FoundHunk | undefined {
  const last = lines.length - wanted.length;
  for (const { name, normalize } of comparisons) {
    const normalized = wanted.map(normalize);
    for (let start = isAtEnd ? Math.max(from, last) : from; start <= last; start++) {
      const isHere = normalized.every(
        (line, index) => normalize((lines[start + index] as TextLine).text) === line,
      );
      if (isHere) return { start, ...(name === undefined ? {} : { looseness: name }) };
    }
  }
  return undefined;
}

function missing(text: string, wanted: string): ToolError {
  return new ToolError(
    "execution_failed",
    `The lines of a change are not in the file, or not in this order. ${explainMiss(text, wanted)}`,
  );
}
