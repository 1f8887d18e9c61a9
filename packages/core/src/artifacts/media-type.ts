import { visibleText } from "../contract/visible-text.ts";
import { wellFormed } from "../text/well-formed.ts";

const unknownType = "application/octet-stream";

const form = /^([\w.+-]+\/[\w.+-]+)(?:$|\s*;)/;
const plainParameters = /^[^;\s]+(?: *; *[\w.+-]+="?[\w.:+-]+"?)*$/;

/**
 * A media type as it can be shown and stored: what is none is bytes that nobody knows. Parameters that
 * could hold a sentence are left out, since the executor's own notes name the type.
 */
export function mediaTypeOf(given: unknown): string {
  const type = typeof given === "string" && given.length <= 100 ? form.exec(given) : null;
  if (type === null) return unknownType;
  return plainParameters.test(type.input) ? type.input : (type[1] as string);
}

/** A name as it can be shown: one line, not too long. */
export function nameOf(given: unknown): string | undefined {
  if (typeof given !== "string") return undefined;
  const name = wellFormed(given.slice(0, 200));
  const clean = visibleText(name).replace(/\s+/g, " ").trim();
  return clean === "" ? undefined : clean;
}
