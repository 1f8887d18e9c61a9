import type { ReplacedSpan } from "./edit-text.ts";
import { diffLines, type DiffLine } from "./line-diff.ts";

const contextLines = 3;
const maxLines = 200;

/**
 * A unified diff of the replaced spans of a file: three lines of context, at most 200 lines. It is made around the spans,
 * so that its cost does not depend on the size of the file.
 *
 * @param before the bytes before the edits.
 * @param toText the characters of bytes, for display.
 */
export function toUnifiedDiff(
  before: Buffer,
  spans: readonly ReplacedSpan[],
  toText: (bytes: Buffer) => string,
): string {
  const lines: DiffLine[] = [];
  let shift = 0;
  for (const group of groupSpans(before, spans)) {
    const { start, end } = group;
    const old = toLines(toText(before.subarray(start, end)));
    const parts: Buffer[] = [];
    let at = start;
    for (const span of group.spans) {
      parts.push(before.subarray(at, span.start), span.bytes);
      at = span.end;
    }
    parts.push(before.subarray(at, end));
    const fresh = toLines(toText(Buffer.concat(parts)));
    const hunk = diffLines(old, fresh);
    const first = (group.spans[0] as ReplacedSpan).line - group.leading;
    lines.push(`@@ -${first},${old.length} +${first + shift},${fresh.length} @@`, ...hunk);
    shift += fresh.length - old.length;
  }
  if (lines.length <= maxLines) return lines.join("\n");
  return [...lines.slice(0, maxLines), `[${lines.length - maxLines} more lines of the diff]`].join(
    "\n",
  );
}

/** Spans whose surroundings touch, and the bytes from the first line around them to the last. */
interface SpanGroup {
  readonly start: number;
  readonly end: number;
  /** Number of lines before the line of the first span. */
  readonly leading: number;
  readonly spans: readonly ReplacedSpan[];
}

function groupSpans(before: Buffer, spans: readonly ReplacedSpan[]): readonly SpanGroup[] {
  const groups: { start: number; end: number; leading: number; spans: ReplacedSpan[] }[] = [];
  for (const span of spans) {
    const { start, leading } = lineStart(before, span.start);
    const end = lineEnd(before, span.end);
    const last = groups.at(-1);
    if (last !== undefined && start <= last.end) {
      last.end = Math.max(last.end, end);
      last.spans.push(span);
    } else groups.push({ start, end, leading, spans: [span] });
  }
  return groups;
}

const lineFeed = 10;

/** The start of the line that is three lines before the one at an offset. */
function lineStart(bytes: Buffer, offset: number): { start: number; leading: number } {
  let start = offset === 0 ? 0 : bytes.lastIndexOf(lineFeed, offset - 1) + 1;
  let leading = 0;
  while (leading < contextLines && start > 0) {
    start = start === 1 ? 0 : bytes.lastIndexOf(lineFeed, start - 2) + 1;
    leading += 1;
  }
  return { start, leading };
}

function lineEnd(bytes: Buffer, offset: number): number {
  let end = offset;
  for (let count = 0; count <= contextLines; count++) {
    const found = bytes.indexOf(lineFeed, end);
    if (found === -1) return bytes.length;
    end = found + 1;
  }
  return end;
}

function toLines(text: string): readonly string[] {
  const lines = text.split("\n");
  if (lines.at(-1) === "") lines.pop();
  return lines;
}

/** Two texts that are compared, with the names of both in the head of the diff. */
export interface ComparedTexts {
  readonly old: string;
  readonly fresh: string;
  readonly oldName: string;
  readonly freshName: string;
}

/** The difference of two texts as a unified diff, which `patch` can apply. Empty: they are the same. */
export function diffTexts({ old, fresh, oldName, freshName }: ComparedTexts): string {
  if (old === fresh) return "";
  const lines = diffLines(toMarkedLines(old), toMarkedLines(fresh));
  const hunks: DiffLine[] = [];
  /** The lines of both texts before the place. */
  let oldLine = 0;
  let freshLine = 0;
  for (let at = 0; at < lines.length;) {
    if (lines[at]?.startsWith(" ") === true) {
      oldLine += 1;
      freshLine += 1;
      at += 1;
      continue;
    }
    const leading = Math.min(contextLines, oldLine, freshLine, at);
    const hunk = lines.slice(at - leading, endOfHunk(lines, at));
    const oldCount = hunk.filter((line) => !line.startsWith("+")).length;
    const freshCount = hunk.filter((line) => !line.startsWith("-")).length;
    const from = toRange(oldLine - leading, oldCount);
    const to = toRange(freshLine - leading, freshCount);
    hunks.push(`@@ -${from} +${to} @@`);
    for (const line of hunk) hunks.push(line);
    at += hunk.length - leading;
    oldLine += oldCount - leading;
    freshLine += freshCount - leading;
  }
  return [`--- ${toHeadName(oldName)}`, `+++ ${toHeadName(freshName)}`, ...hunks, ""].join("\n");
}

/**
 * A name in the head of a diff, as `git diff` has it: a tab ends one with spaces, and one with control characters is
 * quoted as in C.
 */
function toHeadName(name: string): string {
  // oxlint-disable-next-line no-control-regex -- control characters are what is quoted
  if (!/^"|[\0-\x1f\x7f]/.test(name)) return name.includes(" ") ? `${name}\t` : name;
  // oxlint-disable-next-line no-control-regex -- the same
  const quoted = name.replace(/["\\\0-\x1f\x7f]/g, (character) =>
    character === '"' || character === "\\"
      ? `\\${character}`
      : `\\${character.charCodeAt(0).toString(8).padStart(3, "0")}`,
  );
  return `"${quoted}"`;
}

/** The lines of a text. A last line without a line feed is marked as such, so that it differs from one with it. */
function toMarkedLines(text: string): readonly string[] {
  const lines = text.split("\n");
  const last = lines.pop() as string;
  return last === "" ? lines : [...lines, `${last}\n\\ No newline at end of file`];
}

/** The end of a hunk: three lines after its last change. Changes with fewer than six lines between them are one hunk. */
function endOfHunk(lines: readonly DiffLine[], start: number): number {
  let lastChange = start;
  for (let at = start; at < lines.length && at - lastChange <= 2 * contextLines; at++) {
    if (lines[at]?.startsWith(" ") === false) lastChange = at;
  }
  return Math.min(lines.length, lastChange + 1 + contextLines);
}

/** A range in the head of a hunk: of no lines, the line before. */
function toRange(before: number, count: number): string {
  return `${count === 0 ? before : before + 1},${count}`;
}
