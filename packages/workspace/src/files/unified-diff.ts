import type { ReplacedSpan } from "./edit-text.ts";

const contextLines = 3;
const maxLines = 200;

/** A line of a hunk, with ` `, `-` or `+` before it. */
type DiffLine = string;

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

/** Beginning and end are the same lines; what is between them was replaced. */
function diffLines(old: readonly string[], fresh: readonly string[]): readonly DiffLine[] {
  let head = 0;
  while (head < old.length && head < fresh.length && old[head] === fresh[head]) head += 1;
  let tail = 0;
  while (
    tail < old.length - head &&
    tail < fresh.length - head &&
    old[old.length - 1 - tail] === fresh[fresh.length - 1 - tail]
  ) {
    tail += 1;
  }
  return [
    ...old.slice(0, head).map((line) => ` ${line}`),
    ...old.slice(head, old.length - tail).map((line) => `-${line}`),
    ...fresh.slice(head, fresh.length - tail).map((line) => `+${line}`),
    ...old.slice(old.length - tail).map((line) => ` ${line}`),
  ];
}
