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
