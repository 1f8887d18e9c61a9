import { isJsonMediaType } from "../document/media-type.ts";

/** The `accept` header of an operation that answers with these media types: JSON first, anything else at last (RFC 9110 section 12.5.1). */
export function acceptHeader(mediaTypes: readonly string[]): string {
  const json = mediaTypes.filter((type) => isJsonMediaType(type));
  const others = mediaTypes.filter(
    (type) => !isJsonMediaType(type) && /^[\w.+-]+\/[\w.+-]+(?:\s*;.*)?$/.test(type),
  );
  const known = [...new Set([...json, ...others])];
  return known.length === 0 ? "application/json, */*;q=0.8" : `${known.join(", ")}, */*;q=0.1`;
}
