import type { ArtifactRef } from "@toolweave/core";
import { isJsonMediaType } from "@toolweave/core/adapter";
import { normalizeMediaType, findActualType } from "./media.ts";

/**
 * Finds an artifact that does not have its declared media type, as the end of a sentence.
 *
 * @param bytes `undefined` if they cannot be read.
 */
export function findArtifactTypeFault(
  bytes: Uint8Array | undefined,
  { mediaType, truncated }: ArtifactRef,
): string | undefined {
  if (bytes === undefined) return "names an artifact that cannot be read";
  const other = findActualType(mediaType, bytes);
  if (other !== undefined) return `stores an artifact as ${mediaType} that is ${other}`;
  const type = normalizeMediaType(mediaType);
  const hasJsonType = isJsonMediaType(type);
  // Another character set cannot be checked.
  if (truncated === true || mediaType.includes("charset")) return undefined;
  if (!hasJsonType && !type.startsWith("text/")) return undefined;
  const text = decodeText(bytes);
  if (text === undefined) {
    return `stores an artifact as ${mediaType} that is not UTF-8: declare its charset or another type`;
  }
  return hasJsonType && !isJson(text)
    ? `stores an artifact as ${mediaType} that cannot be parsed`
    : undefined;
}

function decodeText(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
