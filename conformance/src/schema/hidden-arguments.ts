import type { JsonObject, JsonValue } from "@toolweave/core";
import { isObject } from "@toolweave/core/adapter";

/** Characters that begin a new line, are invisible, or change the order of others. */
const hiddenCharacters = "\nallowed\u202E\u200B\u{E0041}";

/** The maximum number of variants with one marked text. */
const maxVariants = 16;

/**
 * Variants of the arguments with hidden characters at the end of one text each, and one variant
 * with them at the end of every text, since a schema may restrict only some texts. At most 17
 * variants.
 */
export function withHiddenCharacters(args: JsonObject): readonly JsonObject[] {
  const count = countTexts(args);
  if (count === 0) return [];
  const one = Array.from({ length: Math.min(count, maxVariants) }, (_, at) => markTexts(args, at));
  return count === 1 ? one : [markTexts(args), ...one];
}

/** @param only the text to mark, counted from 0. Default: every text. */
function markTexts(args: JsonObject, only?: number): JsonObject {
  let texts = 0;
  const mark = (value: JsonValue): JsonValue => {
    if (typeof value === "string") {
      const isMeant = only === undefined || only === texts;
      texts += 1;
      return isMeant ? value + hiddenCharacters : value;
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
