import { splitLines } from "./text-lines.ts";

/** A way in which a region of a file can differ from a text that was looked for. */
export interface Difference {
  readonly name: string;
  readonly normalize: (line: string) => string;
}

/** A line with straight quotes, plain dashes and plain spaces, and without invisible characters. */
export const straight = (line: string): string =>
  line
    .replace(/[\u2018\u2019\u201a\u201b]/g, "'")
    .replace(/[\u201c\u201d\u201e\u201f]/g, '"')
    .replace(/[\u2010-\u2015\u2212]/g, "-")
    .replace(/[\u00a0\u2000-\u200a\u202f\u205f\u3000]/g, " ")
    .replace(/[\u200b-\u200d\u2060\ufeff]/g, "");
const unindented = (line: string): string => line.trim();
const spaceless = (line: string): string => line.replace(/\s+/g, "");

/** The ways in which regions differ, from the least to the most. */
export const differences: readonly Difference[] = [
  { name: "whitespace at the ends of lines", normalize: (line) => line.trimEnd() },
  { name: "indentation", normalize: unindented },
  { name: "quotes, dashes or invisible characters", normalize: (line) => straight(line).trimEnd() },
  { name: "whitespace", normalize: spaceless },
  {
    name: "whitespace, quotes, dashes or invisible characters",
    normalize: (line) => spaceless(straight(line)),
  },
  { name: "upper and lower case", normalize: (line) => spaceless(straight(line)).toLowerCase() },
];

/** Lines of a region that an explanation quotes. */
const maxQuotedLines = 12;
const maxQuotedLength = 200;
/** Larger files and texts are not searched for what is similar. */
const maxLines = 200_000;

/**
 * Says where the closest region of a file is, and in what it differs from the text that was looked for. It is never
 * replaced: the caller has to give the text as it is.
 */
export function explainMiss(text: string, old: string): string {
  const lines = splitLines(text).map((line) => line.text);
  const wanted = trimEmpty(splitLines(old).map((line) => line.text));
  if (wanted.length === 0) return "It consists of empty lines only.";
  if (lines.length > maxLines) return "Read the place again, and copy the text exactly.";
  for (const { name, normalize } of differences) {
    const start = findLines(lines.map(normalize), wanted.map(normalize));
    if (start === -1) continue;
    return `The text at ${place(start, wanted.length)} differs only in ${name}. It is:\n${quote(lines, start, wanted.length)}`;
  }
  const start = findSimilar(lines, wanted);
  if (start === -1) return "No part of it is in the file: read the file again.";
  return `The closest text is at ${place(start, wanted.length)}. It is:\n${quote(lines, start, wanted.length)}`;
}

function trimEmpty(lines: readonly string[]): readonly string[] {
  const start = lines.findIndex((line) => line.trim() !== "");
  if (start === -1) return [];
  return lines.slice(start, lines.findLastIndex((line) => line.trim() !== "") + 1);
}

/** The index of the line at which the lines begin; the first and the last may be parts of lines. */
function findLines(lines: readonly string[], wanted: readonly string[]): number {
  const [first = "", ...rest] = wanted;
  const last = rest.pop();
  if (first === "") return -1;
  return lines.findIndex((line, index) => {
    if (last === undefined) return line.includes(first);
    if (!line.endsWith(first)) return false;
    const end = lines[index + rest.length + 1];
    return end?.startsWith(last) === true && rest.every((one, at) => lines[index + 1 + at] === one);
  });
}

/** The region with most of the lines. -1: none of them is in the file. */
function findSimilar(lines: readonly string[], wanted: readonly string[]): number {
  const places = new Map<string, number[]>();
  for (const [index, line] of wanted.entries()) {
    const key = spaceless(line);
    if (key.length > 3) places.set(key, [...(places.get(key) ?? []), index]);
  }
  const counts = new Map<number, number>();
  for (const [index, line] of lines.entries()) {
    for (const at of places.get(spaceless(line)) ?? []) {
      const start = Math.max(0, index - at);
      counts.set(start, (counts.get(start) ?? 0) + 1);
    }
  }
  let best = -1;
  for (const [start, count] of counts) if (count > (counts.get(best) ?? 0)) best = start;
  return best;
}

function place(start: number, count: number): string {
  return count === 1 ? `line ${start + 1}` : `lines ${start + 1} to ${start + count}`;
}

function quote(lines: readonly string[], start: number, count: number): string {
  const quoted = lines.slice(start, start + Math.min(count, maxQuotedLines));
  return quoted
    .map((line) => (line.length > maxQuotedLength ? `${line.slice(0, maxQuotedLength)}[…]` : line))
    .join("\n");
}
