import type { TextEdit } from "vscode-languageserver-protocol";
import { formatFile } from "../../check/format-file.ts";
import type { LanguageDocument } from "../document.ts";

/** The edits after which the scripts of a document have the standard form; none if a script is invalid. */
export function formatDocument(document: LanguageDocument): readonly TextEdit[] {
  const { kind, path, text } = document;
  if (kind === undefined) return [];
  const formatted = formatFile(path, text).text;
  if (formatted === text) return [];
  // The lines that stay at both ends are left out, so that the cursor and the marks of an editor stay.
  const [before, after] = [toLines(text), toLines(formatted)];
  let start = 0;
  while (start < before.length && start < after.length && before[start] === after[start]) start++;
  let end = 0;
  const max = Math.min(before.length, after.length) - start;
  while (end < max && before.at(-1 - end) === after.at(-1 - end)) end++;
  const from = before.slice(0, start).join("").length;
  const to = text.length - before.slice(before.length - end).join("").length;
  const newText = after.slice(start, after.length - end).join("");
  return [{ range: document.range(from, to), newText }];
}

function toLines(text: string): readonly string[] {
  return text.split(/(?<=\n)/);
}
