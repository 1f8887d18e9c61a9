import { ToolError } from "@toolweave/core";
import { ByteOffsets, splice, toReturns, type EditedBytes } from "./edit-text.ts";
import { endsLinesWithReturns } from "./text-lines.ts";
import { decodeText, encodeText, type TextFormat } from "./text-format.ts";

/** Lines of a file that are replaced. */
export interface LineEdit {
  /** The first line, from 1 on. */
  readonly start: number;
  /** The last line. `start - 1`: none, so that the new lines come before `start`. */
  readonly end: number;
  /** The new lines. A line ending at the end is added if there is none. Empty: none. */
  readonly insert: string;
}

/**
 * Replaces lines of a file. Nothing but these lines changes; the new ones have the line ending of the file.
 *
 * @throws ToolError `execution_failed` for lines that the file does not have.
 */
export function editLines(bytes: Buffer, format: TextFormat, edit: LineEdit): EditedBytes {
  const { start, end } = edit;
  const decoded = decodeText(bytes, format);
  const hasReturns = endsLinesWithReturns(decoded);
  const text = hasReturns ? decoded.replaceAll("\r", "\n") : decoded;
  const starts = lineStarts(text);
  const count = starts.length - 1;
  if (start < 1 || end < start - 1 || end > count || start > count + 1) {
    throw new ToolError(
      "execution_failed",
      `There are no lines ${start} to ${end}: the file has ${count} lines. To insert before line N, use end N - 1.`,
    );
  }
  const from = starts[start - 1] as number;
  const to = starts[end] as number;
  const offsets = new ByteOffsets(text, format);
  const lines = toLines(edit.insert, text, from, to);
  const span = {
    start: offsets.at(from),
    end: offsets.at(to),
    bytes: encodeText(hasReturns ? toReturns(lines) : lines, format.encoding),
    line: start,
  };
  return { bytes: splice(bytes, [span]), spans: [span] };
}

/** The places at which lines begin, and the end of the text. */
function lineStarts(text: string): readonly number[] {
  const starts = [0];
  for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) starts.push(at + 1);
  if (starts.at(-1) !== text.length) starts.push(text.length);
  return starts;
}

/** The new lines with the line ending of the file, in place of the characters from `from` to `to`. */
function toLines(insert: string, text: string, from: number, to: number): string {
  if (insert === "") return "";
  const ending = /\r?\n/.exec(text)?.[0] ?? "\n";
  const lines = insert.replace(/\r?\n$/, "").replace(/\r?\n/g, ending);
  // The last line of a file without a line ending stays one, and gets one before further lines.
  const endsInLine = to === text.length && text !== "" && !text.endsWith("\n");
  if (!endsInLine) return `${lines}${ending}`;
  return from === to ? `${ending}${lines}` : lines;
}
