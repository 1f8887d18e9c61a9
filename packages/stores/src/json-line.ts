/** Marks a line for those who read files as lines of text, or moves what a terminal shows. */
const unsafe = /[\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;

/**
 * A value as one line of JSON, also for readers to which U+2028 ends a line, and for terminals. JSON
 * itself leaves no line break in a text.
 */
export function jsonLine(value: unknown): string {
  return `${JSON.stringify(value).replace(unsafe, escaped)}\n`;
}

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
}
