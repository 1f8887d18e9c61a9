import { displayJson, displayLine, displayProse, displayText } from "@toolweave/core";

/** Text of another's for a terminal: line breaks and tabs stay, hidden characters are spelt out. */
export function safeText(text: string): string {
  return displayText(text.replaceAll("\r\n", "\n"));
}

/** Prose of another's as one line: runs of white space become one space. */
export function safeLine(text: string): string {
  return displayProse(text);
}

/** A value of another's as it is, on one line: a name, a target, a URL, a path. */
export function safeValue(text: string): string {
  return displayLine(text);
}

/** The same JSON with every such character inside its strings written as an escape. */
export function safeJson(json: string): string {
  return displayJson(json);
}

const units = [
  [24 * 60 * 60_000, "d"],
  [60 * 60_000, "h"],
  [60_000, "min"],
  [1000, "s"],
] as const;

/** A span of time in whole units, two at least of what is longer than a second: `90 s`, `24 h`. */
export function formatDuration(ms: number): string {
  const [length, unit] = units.find(([length]) => ms >= 2 * length) ?? [1000, "s"];
  return `${Math.max(0, Math.floor(ms / length))} ${unit}`;
}

/** An amount with its noun in the right number: `1 tool`, `2 tools`. */
export function formatCount(amount: number, singular: string, plural = `${singular}s`): string {
  return `${amount} ${amount === 1 ? singular : plural}`;
}

/** Words as one line for a POSIX shell, which makes the same words of it. */
export function shellLine(words: readonly string[]): string {
  return words.map(quoteWord).join(" ");
}

function quoteWord(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}
