import type { ValuePath } from "../../text/value-places.ts";

/** One key of front matter, or one item of a list that is no map. Ranges are offsets in the document. */
export interface OutlineEntry {
  readonly path: ValuePath;
  /** The key; absent: an item of a list. */
  readonly key?: string;
  readonly keyRange: readonly [number, number];
  /** The value on the line of the key, without blanks and comments around it. */
  readonly valueRange: readonly [number, number];
  /** The lines of a text behind `|` or `>`: from the start of the first line to the end of the last one. */
  readonly block?: {
    readonly range: readonly [number, number];
    readonly indentation: number;
    readonly style: "|" | ">";
  };
  /** The column of the key. */
  readonly column: number;
  /** The end of the entry's last line. */
  end: number;
}

/** The front matter of a document, read line by line: it needs no valid YAML. */
export interface Outline {
  readonly entries: readonly OutlineEntry[];
  /** The offsets of the first character behind the opening delimiter line, and of the closing one; absent: no front matter. */
  readonly range?: readonly [number, number];
  /** The offset behind the closing delimiter line. */
  readonly bodyStart: number;
}

/** Longer keys and lines are no keys that have a meaning, and no comments. */
const maxKeyLength = 200;
const maxLineLength = 2000;
/** Lists in lists. */
const maxLevels = 64;

interface Line {
  readonly start: number;
  /** Before the line break. */
  readonly end: number;
  readonly text: string;
}

interface Level {
  readonly column: number;
  readonly path: ValuePath;
  /** The index of the next item, if the level is a list. */
  items: number;
}

const keyPattern =
  /^("(?:[^"\\]|\\.)*"|'[^']*'|[^\s"'#,[\]{}&*!|>%@`-][^#]*?|-[^\s#][^#]*?)[ \t]*:(?=[ \t]|$)/;

/** Reads the keys of the front matter of a document. */
export function readOutline(document: string): Outline {
  const lines = toLines(document);
  const first = lines.findIndex(({ text }) => text.replace(/^\uFEFF/, "").trim() !== "");
  if (first === -1 || !/^\uFEFF?---[ \t]*$/.test(lines[first]?.text ?? ""))
    return { entries: [], bodyStart: 0 };
  const found = lines.findIndex(({ text }, index) => index > first && /^---[ \t]*$/.test(text));
  const close = found === -1 ? lines.length : found;
  const range = [
    Math.min((lines[first] as Line).end + 1, document.length),
    lines[close]?.start ?? document.length,
  ] as const;
  const bodyStart = Math.min((lines[close]?.end ?? document.length) + 1, document.length);
  return { entries: readEntries(lines.slice(first + 1, close)), range, bodyStart };
}

function readEntries(lines: readonly Line[]): readonly OutlineEntry[] {
  const entries: OutlineEntry[] = [];
  const levels: Level[] = [];
  const open: OutlineEntry[] = [];
  for (let index = 0; index < lines.length; index++) {
    const line = lines[index] as Line;
    let column = line.text.search(/\S/);
    if (column === -1 || line.text[column] === "#") continue;
    // Items of a list: each dash starts one, at the column behind it.
    for (
      let rest = line.text.slice(column);
      levels.length < maxLevels && /^-(?:[ \t]|$)/.test(rest);
      rest = line.text.slice(column)
    ) {
      const parent = findParent(levels, column, true);
      const at = parent ?? { column: -1, path: [], items: 0 };
      const path = [...at.path, at.items++];
      levels.push({ column, path, items: 0 });
      const width = 1 + Math.max(rest.slice(1).search(/\S/), 0);
      if (rest.slice(1).trim() === "") {
        column = line.text.length;
        break;
      }
      column += width;
      if (keyPattern.test(line.text.slice(column, column + maxKeyLength))) continue;
      const from = line.start + column;
      const to = line.start + trimmedEnd(line.text);
      entries.push({ path, keyRange: [from, from], valueRange: [from, to], column, end: line.end });
      column = line.text.length;
    }
    const match = keyPattern.exec(line.text.slice(column, column + maxKeyLength));
    if (match === null) {
      extend(open, column, line.end);
      continue;
    }
    const written = match[1] as string;
    const key = written.replace(/^(["'])(.*)\1$/, "$2");
    const parent = findParent(levels, column, false);
    const path = [...(parent?.path ?? []), key];
    levels.push({ column, path, items: 0 });
    extend(open, column, line.end);
    const valueStart = column + match[0].length;
    const value = line.text.slice(valueStart);
    const blanks = value.search(/\S/);
    const from = valueStart + (blanks === -1 ? value.length : blanks);
    const entry: OutlineEntry = {
      path,
      key,
      keyRange: [line.start + column, line.start + column + written.length],
      valueRange: [line.start + from, line.start + Math.max(from, trimmedEnd(line.text))],
      column,
      end: line.end,
    };
    const style = /^\s*([|>])([-+\d]*)\s*(?:#.*)?$/.exec(value);
    if (style === null) {
      entries.push(entry);
      open.push(entry);
      continue;
    }
    const block = readBlock(lines, index + 1, {
      column,
      digits: style[2] ?? "",
      style: style[1] as "|" | ">",
    });
    const end = block.end ?? line.end;
    extend(open, column, end);
    entries.push({ ...entry, block: block.block, end });
    index = block.last;
  }
  return entries;
}

/** The lines below a key that are indented deeper, and the blank ones among them. */
function readBlock(
  lines: readonly Line[],
  start: number,
  {
    column,
    digits,
    style,
  }: { readonly column: number; readonly digits: string; readonly style: "|" | ">" },
): {
  readonly block: NonNullable<OutlineEntry["block"]>;
  readonly last: number;
  readonly end?: number;
} {
  let last = start - 1;
  let end = start - 1;
  let indentation = Number(/\d/.exec(digits)?.[0] ?? 0) + (/\d/.test(digits) ? column : 0);
  for (let index = start; index < lines.length; index++) {
    const { text } = lines[index] as Line;
    const width = text.search(/\S/);
    if (width !== -1 && width <= column) break;
    if (width !== -1) {
      if (indentation === 0) indentation = width;
      end = index;
    }
    last = index;
  }
  const from = lines[start]?.start ?? lines.at(-1)?.end ?? 0;
  const range = [from, lines[Math.max(last, start - 1)]?.end ?? from] as const;
  const block = {
    range: last < start ? ([from, from] as const) : range,
    indentation: indentation === 0 ? column + 2 : indentation,
    style,
  };
  return { block, last, ...(end >= start && { end: (lines[end] as Line).end }) };
}

/** The level that a line belongs to; deeper levels end. An item can have the column of its key. */
function findParent(levels: Level[], column: number, isItem: boolean): Level | undefined {
  while (levels.length > 0) {
    const last = levels.at(-1) as Level;
    const isKey = typeof last.path.at(-1) === "string";
    if (last.column < column || (isItem && isKey && last.column === column)) return last;
    levels.pop();
  }
  return undefined;
}

/** Sets the end of the entries that a line belongs to: those of a lower column. The others have ended. */
function extend(open: OutlineEntry[], column: number, end: number): void {
  while ((open.at(-1)?.column ?? -1) >= column) open.pop();
  for (const entry of open) entry.end = end;
}

/** The length of a line without a comment and blanks at its end. */
function trimmedEnd(text: string): number {
  if (text.length > maxLineLength) return text.trimEnd().length;
  return text.replace(/[ \t]+#.*$/, "").trimEnd().length;
}

function toLines(document: string): readonly Line[] {
  const lines: Line[] = [];
  for (let start = 0; start <= document.length;) {
    const next = document.indexOf("\n", start);
    const stop = next === -1 ? document.length : next;
    const end = document[stop - 1] === "\r" && stop > start ? stop - 1 : stop;
    lines.push({ start, end, text: document.slice(start, end) });
    start = stop + 1;
  }
  return lines;
}
