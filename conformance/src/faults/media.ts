import { getMediaTypeName, sniffMediaType } from "@toolweave/core/adapter";
/** The file types that are recognized by their first bytes. */
const recognized: ReadonlySet<string | undefined> = new Set([
  "image/png",
  "image/jpeg",
  "image/gif",
  "image/webp",
  "application/pdf",
]);

/** Other names of media types. */
const aliases: Readonly<Record<string, string>> = {
  "application/x-pdf": "application/pdf",
  // It has the same signature as PNG.
  "image/apng": "image/png",
  "image/jpg": "image/jpeg",
  "image/pjpeg": "image/jpeg",
  "image/x-png": "image/png",
};

/** The number of bytes that are enough to recognize a file type. */
const signatureBytes = 16;

/**
 * True for standard base64 with its padding. @see https://www.rfc-editor.org/rfc/rfc4648#section-4
 */
export function isBase64(data: string): boolean {
  return data.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(data);
}

/** True for a media type with type and subtype, with or without parameters. */
export function isMediaType(type: string): boolean {
  return /^[\w.+-]+\/[\w.+-]+/.test(type);
}

/** The media type in lower case, without parameters. */
export function normalizeMediaType(mediaType: string): string {
  const name = getMediaTypeName(mediaType);
  return aliases[name] ?? name;
}

/**
 * The media type that bytes have instead of the declared one; `undefined` if the declared type is
 * right or cannot be checked.
 *
 * @param bytes the beginning is enough.
 */
export function findActualType(mediaType: string, bytes: Uint8Array): string | undefined {
  const called = normalizeMediaType(mediaType);
  const sniffed = sniffMediaType(bytes);
  const type = recognized.has(sniffed) ? sniffed : undefined;
  if (type === called) return undefined;
  const isKnown = recognized.has(called);
  if (type === undefined) return isKnown ? "something else" : undefined;
  // Of a type without a known signature only this can be said: it is not the declared one.
  return isKnown || /^(?:image|audio|text)\//.test(called) ? type : undefined;
}

/** The first bytes of a base64 text. */
export function readFirstBytes(base64: string): Uint8Array {
  const binary = atob(base64.slice(0, Math.ceil(signatureBytes / 3) * 4));
  return Uint8Array.from(binary, (unit) => unit.charCodeAt(0));
}
