import type { ValuePath } from "../../text/value-places.ts";
import { readOutline } from "./outline.ts";
import type { Outline, OutlineEntry } from "./outline.ts";

/** Maps and lists in one line. */
const maxLevels = 64;

/** The kind of text that can be written at an offset of front matter. */
export interface KeyContext {
  /** `key`: a key of the map at `path`. `value`: the value at `path`. */
  readonly kind: "key" | "value";
  readonly path: ValuePath;
  /** The word that is written already, and its start. */
  readonly word: string;
  readonly start: number;
  /** The keys that the map has already. */
  readonly siblings: readonly string[];
  /** Between braces of one line: a key needs no line of its own. */
  readonly isFlow: boolean;
}

/** The context of an offset in front matter; undefined: there is nothing to complete, as in a comment or in a text. */
export function readKeyContext(document: string, offset: number): KeyContext | undefined {
  const lineStart = document.lastIndexOf("\n", offset - 1) + 1;
  const next = document.indexOf("\n", offset);
  const before = document.slice(lineStart, offset);
  if (/(?:^|\s)#/.test(before)) return undefined;
  const [, indent = "", written = ""] = /^(\s*(?:-[ \t]+)*)(.*)$/.exec(before) ?? [];
  const value = /^(.+?):[ \t]+(.*)$/.exec(written);
  // A key in place of the line: its path is that of its surroundings.
  const mark = "__cursor__";
  const replaced = `${document.slice(0, lineStart)}${indent}${value?.[1] ?? mark}: ${
    value === null ? "" : "x"
  }${document.slice(next === -1 ? document.length : next)}`;
  const outline = readOutline(replaced);
  const at = lineStart + indent.length;
  const entry = outline.entries.find(({ keyRange }) => keyRange[0] === at);
  if (entry?.key === undefined) return undefined;
  if (value === null) {
    if (/[:{}[\],]/.test(written)) return undefined;
    const path = entry.path.slice(0, -1);
    const siblings = listKeys(outline, path).filter((key) => key !== mark);
    return { kind: "key", path, word: written, start: at, siblings, isFlow: false };
  }
  return readFlow(value[2] ?? "", entry.path, offset);
}

/** The keys that the map at a path has. */
function listKeys({ entries }: Outline, path: ValuePath): readonly string[] {
  return entries.flatMap(({ key, path: each }) =>
    key !== undefined && isBelow(each, path) ? [key] : [],
  );
}

function isBelow(path: ValuePath, parent: ValuePath): boolean {
  return path.length === parent.length + 1 && parent.every((key, index) => path[index] === key);
}

/** The context in a value of one line, such as `{ type: string, req`. */
function readFlow(text: string, path: ValuePath, offset: number): KeyContext | undefined {
  const levels: { path: ValuePath; keys: string[]; isMap: boolean; items: number }[] = [];
  let current: ValuePath = path;
  let isKey = false;
  let start = 0;
  for (let at = 0; at < text.length; at++) {
    const character = text[at] as string;
    const top = levels.at(-1);
    if (character === '"' || character === "'") {
      const end = text.indexOf(character, at + 1);
      if (end === -1) return undefined;
      at = end;
    } else if (character === "{" || character === "[") {
      if (levels.length >= maxLevels) return undefined;
      const isMap = character === "{";
      levels.push({ path: current, keys: [], isMap, items: 0 });
      if (!isMap) current = [...current, 0];
      isKey = isMap;
      start = at + 1;
    } else if (character === "}" || character === "]") {
      levels.pop();
      isKey = false;
      start = at + 1;
    } else if (character === "," && top !== undefined) {
      current = top.isMap ? top.path : [...top.path, ++top.items];
      isKey = top.isMap;
      start = at + 1;
    } else if (character === ":" && isKey && top !== undefined) {
      const key = text.slice(start, at).trim();
      top.keys.push(key);
      current = [...top.path, key];
      isKey = false;
      start = at + 1;
    }
  }
  const raw = text.slice(start);
  const word = raw.trimStart();
  const top = levels.at(-1);
  const place = { word, start: offset - word.length, isFlow: levels.length > 0 };
  if (isKey && top !== undefined)
    return { kind: "key", path: top.path, siblings: top.keys, ...place };
  return { kind: "value", path: current, siblings: [], ...place };
}

/** The entry whose key or value is at an offset. */
export function entryAt({ entries }: Outline, offset: number): OutlineEntry | undefined {
  return entries.find(
    ({ keyRange, valueRange }) => keyRange[0] <= offset && offset <= valueRange[1],
  );
}

/** The path of the key at an offset, between braces too; undefined: there is no key. */
export function keyPathAt(
  document: string,
  outline: Outline,
  offset: number,
): { readonly path: ValuePath; readonly range: readonly [number, number] } | undefined {
  const entry = entryAt(outline, offset);
  if (entry === undefined) return undefined;
  const { key, keyRange, path, valueRange } = entry;
  if (key !== undefined && offset <= keyRange[1]) return { path, range: keyRange };
  let end = offset;
  while (end < valueRange[1] && /[\w-]/.test(document[end] as string)) end++;
  let start = offset;
  while (start > valueRange[0] && /[\w-]/.test(document[start - 1] as string)) start--;
  if (start === end || !/^\s*:/.test(document.slice(end, valueRange[1]))) return undefined;
  const context = readFlow(document.slice(valueRange[0], start), path, start);
  return context?.kind === "key"
    ? { path: [...context.path, document.slice(start, end)], range: [start, end] }
    : undefined;
}
