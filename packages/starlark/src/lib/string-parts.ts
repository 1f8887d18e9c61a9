import { characterLength, codePointAt, codePoints } from "../values/utf8.ts";

/** Whether a code point is white space, as Go's `unicode.IsSpace` decides. */
export function isSpace(point: number): boolean {
  if (point < 0x80) return point === 0x20 || (point >= 0x09 && point <= 0x0d);
  return (
    point === 0x85 ||
    point === 0xa0 ||
    point === 0x1680 ||
    (point >= 0x2000 && point <= 0x200a) ||
    point === 0x2028 ||
    point === 0x2029 ||
    point === 0x202f ||
    point === 0x205f ||
    point === 0x3000
  );
}

/** The parts between runs of white space; at most `limit` splits, from the right if `fromRight`. */
export function splitOnSpace(text: string, limit: number, fromRight: boolean): string[] {
  const fields: [start: number, end: number][] = [];
  let start = -1;
  for (let index = 0; index < text.length;) {
    const point = text.charCodeAt(index);
    const length = point < 0x80 ? 1 : characterLength(text, index);
    if (isSpace(length === 1 ? point : codePointAt(text, index)) && (point < 0x80 || length > 1)) {
      if (start >= 0) fields.push([start, index]);
      start = -1;
    } else if (start < 0) start = index;
    index += length;
  }
  if (start >= 0) fields.push([start, text.length]);
  if (limit >= 0 && fields.length > limit) {
    // The part that is not split has the white space at its outer end.
    const excess = fields.length - limit - 1;
    if (fromRight) fields.splice(0, excess + 1, [0, (fields[excess] as [number, number])[1]]);
    else fields.splice(limit, excess + 1, [(fields[limit] as [number, number])[0], text.length]);
  }
  return fields.map(([from, to]) => text.slice(from, to));
}

/** The parts between occurrences of a text; at most `limit` splits, from the right if `fromRight`. */
export function splitOnText(
  text: string,
  separator: string,
  limit: number,
  fromRight: boolean,
): string[] {
  const parts = text.split(separator);
  const excess = limit < 0 ? 0 : parts.length - limit - 1;
  if (excess <= 0) return parts;
  if (fromRight) return [parts.slice(0, excess + 1).join(separator), ...parts.slice(excess + 1)];
  return [...parts.slice(0, limit), parts.slice(limit).join(separator)];
}

/** The lines, with their ends if `keepEnds`. */
export function splitLines(text: string, keepEnds: boolean): string[] {
  if (text === "") return [];
  const lines = text.split("\n");
  const complete = text.endsWith("\n");
  if (complete) lines.pop();
  if (!keepEnds) return lines;
  return lines.map((line, index) => (complete || index < lines.length - 1 ? `${line}\n` : line));
}

/** The text without characters of `cutset` at its ends; without a cutset, without white space. */
export function strip(text: string, cutset: string, left: boolean, right: boolean): string {
  const cut = new Set(cutset === "" ? [] : codePoints(cutset));
  const removed = (index: number): boolean => {
    const point = codePointAt(text, index);
    if (cut.size > 0) return cut.has(point);
    return isSpace(point);
  };
  let start = 0;
  let end = text.length;
  if (left) while (start < end && removed(start)) start += characterLength(text, start);
  if (right) {
    for (;;) {
      const last = previousCharacter(text, end);
      if (last < start || end <= start || !removed(last)) break;
      end = last;
    }
  }
  return text.slice(start, end);
}

/** The start of the character that ends before `end`. */
function previousCharacter(text: string, end: number): number {
  for (let length = 1; length <= 4 && length <= end; length++) {
    const start = end - length;
    if (characterLength(text, start) === length && (length > 1 || text.charCodeAt(start) < 0x80))
      return start;
    if ((text.charCodeAt(start) & 0xc0) !== 0x80) break;
  }
  return end - 1;
}
