import { displayJson } from "@toolweave/core";

/**
 * A value as one line of JSON, also for readers to which U+2028 ends a line, and for terminals: what
 * is not seen, or moves what is seen, is an escape. JSON itself leaves no line break in a text.
 */
export function jsonLine(value: unknown): string {
  return `${displayJson(JSON.stringify(value))}\n`;
}
