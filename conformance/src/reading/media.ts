/** How files of a kind begin: the type, and its first bytes, `.` standing for any. */
const beginnings: readonly (readonly [type: string, beginning: string])[] = [
  ["image/png", "\x89PNG\r\n\x1a\n"],
  ["image/jpeg", "\xff\xd8\xff"],
  ["image/gif", "GIF8"],
  ["image/webp", "RIFF....WEBP"],
  ["application/pdf", "%PDF-"],
];

/** Names that are used for a type that has another one. */
const aliases: Readonly<Record<string, string>> = {
  "application/x-pdf": "application/pdf",
  // It begins like any other.
  "image/apng": "image/png",
  "image/jpg": "image/jpeg",
  "image/pjpeg": "image/jpeg",
  "image/x-png": "image/png",
};

/** Enough of a file to see what it is. */
const beginningBytes = 16;

/** True for standard base64 with its padding. @see https://www.rfc-editor.org/rfc/rfc4648#section-4 */
export function isBase64(data: string): boolean {
  return data.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(data);
}

/** True for a type and a subtype, with parameters or without. */
export function isMediaType(type: string): boolean {
  return /^[\w.+-]+\/[\w.+-]+/.test(type);
}

/** The type without its parameters, in lower case. */
export function essenceOf(mediaType: string): string {
  const essence = mediaType.replace(/;.*$/s, "").trim().toLowerCase();
  return aliases[essence] ?? essence;
}

/**
 * What bytes are that are called something else; `undefined` when they are what they are called, or
 * when that cannot be told.
 *
 * @param bytes the beginning will do.
 */
export function otherType(mediaType: string, bytes: Uint8Array): string | undefined {
  const called = essenceOf(mediaType);
  const type = beginnings.find(([, beginning]) =>
    [...beginning].every((unit, index) => unit === "." || bytes[index] === unit.charCodeAt(0)),
  )?.[0];
  if (type === called) return undefined;
  const isKnown = beginnings.some(([known]) => known === called);
  if (type === undefined) return isKnown ? "something else" : undefined;
  // Of a type that no beginning is known for nothing can be told but that it is not this one.
  return isKnown || /^(?:image|audio|text)\//.test(called) ? type : undefined;
}

/** The first bytes of a base64 text. */
export function beginningOf(base64: string): Uint8Array {
  const binary = atob(base64.slice(0, Math.ceil(beginningBytes / 3) * 4));
  return Uint8Array.from(binary, (unit) => unit.charCodeAt(0));
}
