import { visibleText } from "../contract/visible-text.ts";
import { wellFormed } from "../text/well-formed.ts";

const unknownType = "application/octet-stream";

const form = /^([\w.+-]+\/[\w.+-]+)(?:$|\s*;)/;
const plainParameters = /^[^;\s]+(?: *; *[\w.+-]+="?[\w.:+-]+"?)*$/;

/**
 * Normalises a media type for display and storage: a value that is not one becomes `application/octet-stream`.
 * Parameters that could contain a sentence are omitted, since notes of the executor name the type.
 */
export function mediaTypeOf(given: unknown): string {
  const type = typeof given === "string" && given.length <= 100 ? form.exec(given) : null;
  if (type === null) return unknownType;
  return plainParameters.test(type.input) ? type.input : (type[1] as string);
}

/** Normalises a name for display: one line, at most 200 characters. */
export function nameOf(given: unknown): string | undefined {
  if (typeof given !== "string") return undefined;
  const name = wellFormed(given.slice(0, 200));
  const clean = visibleText(name).replace(/\s+/g, " ").trim();
  return clean === "" ? undefined : clean;
}
