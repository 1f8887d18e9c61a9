import { createHash } from "node:crypto";

/** An index entry of PostgreSQL has a maximum of about 2,700 bytes. */
const maxLength = 256;

/**
 * Encodes an id, an owner or a key, so that different texts stay different: characters that a text of PostgreSQL cannot
 * have are escaped as in JSON, and a long text is replaced by its SHA-256. A quotation mark, which the first form always
 * escapes, begins the second one.
 */
export function toName(text: string): string {
  const encoded = escapeName(text);
  if (encoded.length <= maxLength) return encoded;
  return `"sha256:${createHash("sha256").update(encoded).digest("hex")}`;
}

/** The beginning of the name of each text that begins with this one, unless the name is a hash. */
export function escapeName(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

/** The text of a name that does not begin with a quotation mark. */
export function fromName(name: string): string {
  return JSON.parse(`"${name}"`) as string;
}
