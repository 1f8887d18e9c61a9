import type { JsonValue } from "@toolweave/core";
import { parseExact } from "@toolweave/core/adapter";

/** A JSON value, and its text. */
export interface JsonText {
  readonly text: string;
  readonly value: JsonValue;
}

/**
 * Parses a JSON text, or several in a row, which are a list: JSON lines, a JSON text sequence (RFC 7464), or objects
 * and lists without anything between them. `undefined` if a part is invalid.
 *
 * @param allowScalars allows lines that are strings, numbers and words, too.
 */
export function parseJsonTexts(text: string, allowScalars: boolean): JsonText | undefined {
  try {
    return { text, value: parseExact(text) };
  } catch {
    return parseRow(text, allowScalars);
  }
}

function parseRow(text: string, allowScalars: boolean): JsonText | undefined {
  try {
    const texts = splitRow(text, allowScalars);
    if (texts === undefined || texts.length < 2) return undefined;
    const value = texts.map((one) => parseExact(one));
    return { text: `[${texts.join(",\n")}]`, value };
  } catch {
    return undefined;
  }
}

/** The parts of a JSON text that decide where it ends: strings, brackets, words and line ends. */
const token = /"[^"\\]*(?:\\[^][^"\\]*)*"|[[{]|[\]}]|[\n\u001e]|[^\s"[\]{}\u001e]+/g;

/** Splits a row at the ends of objects and lists, and at line ends; `undefined` if a scalar is not on its own line. */
function splitRow(text: string, allowScalars: boolean): string[] | undefined {
  const texts: string[] = [];
  let depth = 0;
  let start = 0;
  /** True after a scalar, until the end of its line. */
  let isAfterScalar = false;
  let isLineStart = true;
  for (const { 0: found, index } of text.matchAll(token)) {
    if (found === "\n" || found === "\u001e") {
      if (depth === 0) {
        isLineStart = true;
        isAfterScalar = false;
      }
      continue;
    }
    if (found === "[" || found === "{") {
      if (isAfterScalar) return undefined;
      if (depth === 0) start = index;
      depth += 1;
      continue;
    }
    if (found === "]" || found === "}") {
      depth -= 1;
      if (depth < 0) return undefined;
      if (depth > 0) continue;
      texts.push(text.slice(start, index + 1));
    } else if (depth === 0) {
      if (!allowScalars || !isLineStart) return undefined;
      texts.push(found);
      isAfterScalar = true;
    } else continue;
    isLineStart = false;
  }
  return depth === 0 ? texts : undefined;
}
