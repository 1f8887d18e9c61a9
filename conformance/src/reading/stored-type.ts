import type { ArtifactRef } from "@toolweave/core";
import { essenceOf, otherType } from "./media.ts";

/**
 * What is stored that is not of the type it is said to be, as the end of a sentence.
 *
 * @param bytes `undefined` when they cannot be read.
 */
export function typeFault(
  bytes: Uint8Array | undefined,
  { mediaType, truncated }: ArtifactRef,
): string | undefined {
  if (bytes === undefined) return "names an artifact that cannot be read";
  const other = otherType(mediaType, bytes);
  if (other !== undefined) return `stores what is called ${mediaType} and is ${other}`;
  const type = essenceOf(mediaType);
  const isJson = type === "application/json" || type.endsWith("+json");
  // In another character set it cannot be told.
  if (truncated === true || mediaType.includes("charset")) return undefined;
  if (!isJson && !type.startsWith("text/")) return undefined;
  const text = decoded(bytes);
  if (text === undefined) {
    return `stores what is called ${mediaType} and is no UTF-8: name its charset, or another type`;
  }
  return isJson && !isJsonText(text)
    ? `stores what is called ${mediaType} and cannot be parsed`
    : undefined;
}

function decoded(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

function isJsonText(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
