import { ScriptModel } from "./script-model.ts";
import type { ModelOptions } from "./script-model.ts";
import { readContext } from "./tokens.ts";
import type { CursorContext } from "./tokens.ts";

/** A text around an offset, and what its tree says if the statement there is complete. */
export interface CursorModel {
  readonly context: CursorContext;
  readonly model: ScriptModel;
}

/** Reads a text whose statement at an offset may be incomplete: what is missing is added behind the offset. */
export function readCursor(text: string, offset: number, options: ModelOptions): CursorModel {
  const context = readContext(text, offset);
  const placeholder = needsOperand(text.slice(Math.max(0, offset - 200), offset), context)
    ? "_"
    : "";
  const plain = new ScriptModel(text.slice(0, offset) + placeholder + text.slice(offset), options);
  const { problems } = plain.tree;
  if (problems.length === 0) return { context, model: plain };
  const repaired = new ScriptModel(repair(text, offset, context, placeholder), options);
  const isBetter = repaired.tree.problems.length <= problems.length;
  return { context, model: isBetter ? repaired : plain };
}

const closing = { "(": ")", "[": "]", "{": "}" } as const;

/** Whether the text before an offset ends where an expression has to follow. */
function needsOperand(before: string, { dot, isComment, string, word }: CursorContext): boolean {
  if (isComment || string !== undefined || word.text !== "") return false;
  return (
    dot !== undefined ||
    /(?:[=:+\-*/%|&<>]|\b(?:in|and|or|not|if|elif|while|lambda))\s*$/.test(before)
  );
}

/** The text with the statement at an offset ended there: the rest of its line is left out. */
function repair(
  text: string,
  offset: number,
  { brackets, string }: CursorContext,
  placeholder: string,
): string {
  const lineStart = text.lastIndexOf("\n", offset - 1) + 1;
  const next = text.indexOf("\n", offset);
  const lineEnd = next === -1 ? text.length : next;
  const line = text.slice(lineStart, lineEnd);
  let inserted = (string?.quote ?? "") + placeholder;
  for (const { argument, kind } of brackets.toReversed()) {
    const written = text.slice(argument, offset);
    // Each key of a dict has a value.
    if (kind === "{" && written.trim() !== "" && !written.includes(":")) inserted += ": 0";
    inserted += closing[kind];
  }
  const block = /^\s*(def|if|elif|else|for|while)\b/.exec(line)?.[1];
  if (block !== undefined) {
    if (block === "for" && !/\bin\b/.test(line)) inserted += " in []";
    const isOpen = !/:\s*(?:#.*)?$/.test(line);
    inserted += isOpen && !hasBlock(text, lineEnd, line) ? ": pass" : ":";
  }
  return text.slice(0, offset) + inserted + text.slice(lineEnd);
}

/** Whether the next line that is not blank is indented deeper. */
function hasBlock(text: string, lineEnd: number, line: string): boolean {
  const below = /^\s*\n([ \t]*)\S/.exec(text.slice(lineEnd))?.[1];
  return below !== undefined && below.length > line.search(/\S/);
}
