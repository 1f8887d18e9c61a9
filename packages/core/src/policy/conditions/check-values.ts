// Checks of the parts of a policy. Every check throws a ToolError `invalid_configuration` that starts with the place, and takes
// values of a plain copy: nothing that it reads runs code.
import { checkOptions } from "../../contract/check-options.ts";
import { nearNames } from "../../contract/tool-names.ts";
import { ToolError } from "../../contract/tool-error.ts";

/** Checks for an object with at least one of the known members: without any it would have no effect. */
export function checkCondition(where: string, given: unknown, known: readonly string[]): void {
  checkRecord(where, given, known.join(", "));
  checkOptions(where, given, known);
}

/** An object with at least one member. */
export function checkRecord(where: string, given: unknown, write: string): void {
  if (typeof given !== "object" || given === null || Array.isArray(given)) {
    throw misuse(where, `is no object: write ${write}`);
  }
  if (Object.keys(given).length === 0) throw misuse(where, `is empty: write ${write}`);
}

/** An object whose members are all globs. */
export function checkAllGlobs(where: string, given: object): void {
  for (const [member, globs] of Object.entries(given)) checkGlobs(`${where}.${member}`, globs);
}

/** Checks one glob or several; `fault` returns the problem of one, if there is any. */
export function checkGlobs(
  where: string,
  given: unknown,
  fault?: (glob: string) => string | undefined,
): void {
  const globs: readonly unknown[] = Array.isArray(given) ? given : [given];
  if (globs.length === 0) throw misuse(where, "is empty and matches nothing: leave it out");
  for (const [index, glob] of globs.entries()) {
    const place = Array.isArray(given) ? `${where}[${index}]` : where;
    checkText(place, glob);
    const wrong = fault?.(glob as string);
    if (wrong !== undefined) throw misuse(place, `cannot be ${JSON.stringify(glob)}: ${wrong}`);
  }
}

/** One of `words`. */
export function checkWord(where: string, given: unknown, words: readonly string[]): void {
  if (typeof given !== "string") throw misuse(where, `is missing: write ${words.join(", ")}`);
  if (words.includes(given)) return;
  throw misuse(where, `cannot be ${JSON.stringify(given)}: ${nearest(given, words)}`);
}

/** Checks for a text that is not empty. */
export function checkText(where: string, given: unknown): void {
  if (typeof given !== "string") throw misuse(where, "is no text: write one");
  if (given === "") throw misuse(where, "is an empty text: write one, or leave it out");
}

/** True or false. */
export function checkBoolean(where: string, given: unknown): void {
  if (typeof given !== "boolean") throw misuse(where, "is neither true nor false");
}

/** Suggests the word that was probably meant, for the end of a text. */
export function nearest(wrong: string, words: readonly string[]): string {
  const [near] = nearNames(wrong, words, 1);
  return near === undefined ? `use ${words.join(", ")}` : `did you mean ${near}?`;
}

/** The error for what is wrong at a place. */
export function misuse(where: string, what: string): ToolError {
  return new ToolError("invalid_configuration", `${where} ${what}${/[.?]$/.test(what) ? "" : "."}`);
}
