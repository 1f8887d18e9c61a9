import { toLines } from "./split-file.ts";

/** A fenced code block of a markdown text. */
export interface Fence {
  /** The first word behind the backticks, in lower case; empty if there is none. */
  readonly language: string;
  /** The word after the language: the name that `script: "#name"` uses. */
  readonly name: string | undefined;
  readonly text: string;
  /** The line of the file on which the code starts; its column is `column`. */
  readonly line: number;
  readonly column: number;
  /** The lines of the body that the block takes, delimiters included: the first and the one behind the last. */
  readonly range: readonly [number, number];
}

const opening = /^( {0,3})(`{3,}|~{3,})[ \t]*([^`]*)$/;

/** The fenced code blocks of a body (CommonMark 4.5). A block that is not closed ends with the text. */
export function readFences(body: string, bodyLine: number): readonly Fence[] {
  const lines = toLines(body);
  const fences: Fence[] = [];
  for (let index = 0; index < lines.length; index++) {
    const match = opening.exec(lines[index] as string);
    if (match === null) continue;
    const [, indentation = "", marks = "", info = ""] = match;
    const close = new RegExp(`^ {0,3}${marks.charAt(0)}{${marks.length},}[ \\t]*$`);
    const end = lines.findIndex((line, row) => row > index && close.test(line));
    // The line break at the end of a text starts no line.
    const textEnd = lines.at(-1) === "" ? lines.length - 1 : lines.length;
    const last = end === -1 ? Math.max(textEnd, index + 1) : end;
    const [language = "", name] = info.trim().split(/\s+/);
    const code = lines
      .slice(index + 1, last)
      .map((line) => removeIndentation(line, indentation.length));
    fences.push({
      language: language.toLowerCase(),
      name: name?.replace(/^\{?#?(.*?)\}?$/, "$1"),
      text: code.map((line) => `${line}\n`).join(""),
      line: bodyLine + index + 1,
      column: 1 + indentation.length,
      range: [index, Math.min(last + 1, lines.length)],
    });
    index = last;
  }
  return fences;
}

/** A body without one of its blocks. */
export function removeFence(body: string, fence: Fence): string {
  const lines = toLines(body);
  return [...lines.slice(0, fence.range[0]), ...lines.slice(fence.range[1])]
    .join("\n")
    .replace(/\n{3,}/g, "\n\n");
}

function removeIndentation(line: string, width: number): string {
  let start = 0;
  while (start < width && line[start] === " ") start++;
  return line.slice(start);
}
