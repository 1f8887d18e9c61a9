import { wellFormed } from "../results/well-formed.ts";

const unknownType = "application/octet-stream";

/** A media type as it can be shown and stored; what is none is bytes that nobody knows. */
export function mediaTypeOf(given: unknown): string {
  return typeof given === "string" &&
    given.length <= 100 &&
    /^[\w.+-]+\/[\w.+-]+(?:\s*;[\x20-\x7e]*)?$/.test(given)
    ? given
    : unknownType;
}

/** A name as it can be shown: one line, not too long. */
export function nameOf(given: unknown): string | undefined {
  if (typeof given !== "string") return undefined;
  const name = wellFormed(given.slice(0, 200));
  // oxlint-disable-next-line no-control-regex -- they are what is taken out
  const clean = name
    .replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]+/g, " ")
    .trim();
  return clean === "" ? undefined : clean;
}
