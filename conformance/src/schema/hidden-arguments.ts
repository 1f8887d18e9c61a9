import type { JsonObject, JsonValue } from "@toolweave/core";
import { isObject } from "./subschemas.ts";

/** What begins a line of its own, is not seen, or shows others in another order. */
const hidden = "\nallowed\u202E\u200B\u{E0041}";

/** A call asks for no more variants of its arguments than this. */
const maxVariants = 16;

/**
 * The arguments, each time with hidden characters at the end of another text in them, and once at the
 * end of every text: a schema may restrict one text and not the others. At most 17 variants.
 */
export function withHiddenCharacters(args: JsonObject): readonly JsonObject[] {
  const count = countTexts(args);
  if (count === 0) return [];
  const one = Array.from({ length: Math.min(count, maxVariants) }, (_, at) => marked(args, at));
  return count === 1 ? one : [marked(args), ...one];
}

/** @param only the text to mark, counted from 0. Default: every text. */
function marked(args: JsonObject, only?: number): JsonObject {
  let texts = 0;
  const mark = (value: JsonValue): JsonValue => {
    if (typeof value === "string") {
      const isMeant = only === undefined || only === texts;
      texts += 1;
      return isMeant ? value + hidden : value;
    }
    if (Array.isArray(value)) return value.map(mark);
    if (!isObject(value)) return value;
    return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, mark(member)]));
  };
  return mark(args) as JsonObject;
}

function countTexts(value: JsonValue): number {
  if (typeof value === "string") return 1;
  if (typeof value !== "object" || value === null) return 0;
  return Object.values(value).reduce((sum: number, member) => sum + countTexts(member), 0);
}
