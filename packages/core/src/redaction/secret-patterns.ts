import { nodeBuffer } from "../text/base64.ts";
import { wellFormed } from "../text/utf8.ts";

/** Shorter secrets are not registered. */
const shortest = 4;

/** Shorter ones occur in base64 of anything. */
const minPartLength = 8;

/**
 * The texts that reveal a secret: itself, in hexadecimal, and its part in base64 of a longer text. JSON's and
 * percent escapes need none: they are decoded before the search.
 */
export function secretPatterns(secret: string): ReadonlySet<string> {
  // Half of a character comes out as U+FFFD.
  const patterns = new Set([secret, wellFormed(secret)]);
  // Clients send a secret without the line break at the end of its file.
  const bare = secret.trim();
  if (bare !== secret && bare.length >= shortest) return new Set([secret, ...secretPatterns(bare)]);
  // A form's way to write a space; the other escapes of a form are undone.
  if (secret.includes(" ")) patterns.add(secret.replaceAll(" ", "+"));
  addMarkup(secret, patterns);
  const bytes = new TextEncoder().encode(secret);
  // In bytes that are read as one character each.
  if (bytes.length > secret.length) patterns.add(latin1(bytes));
  const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
  patterns.add(hex).add(hex.toUpperCase());
  const json = JSON.stringify(secret).slice(1, -1);
  for (const written of new Set([secret, json, percentEncoded(secret)])) {
    addBase64(written === secret ? bytes : new TextEncoder().encode(written), patterns);
  }
  return patterns;
}

/** Its forms in XML and HTML, whose writers differ in the quotes that they escape. */
function addMarkup(secret: string, patterns: Set<string>): void {
  if (!/[&<>"']/.test(secret)) return;
  const inner = secret.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
  const quoted = inner.replaceAll('"', "&quot;");
  patterns.add(inner).add(quoted);
  for (const quote of ["&#39;", "&apos;", "&#x27;"]) patterns.add(quoted.replaceAll("'", quote));
}

function percentEncoded(secret: string): string {
  try {
    return encodeURIComponent(secret);
  } catch {
    // Half of a surrogate pair has no encoding.
    return secret;
  }
}

/** At each of three offsets the sextets that hold nothing but the secret. */
function addBase64(bytes: Uint8Array, patterns: Set<string>): void {
  const binary = latin1(bytes);
  for (let offset = 0; offset < 3; offset++) {
    const encoded = btoa("\0".repeat(offset) + binary);
    const part = encoded.slice(
      Math.ceil((offset * 8) / 6),
      Math.floor(((offset + bytes.length) * 8) / 6),
    );
    const pattern = part.length >= minPartLength ? part : offset === 0 ? encoded : "";
    // A short one differs from other base64 in its padding alone.
    if (pattern.length < minPartLength) continue;
    patterns.add(pattern).add(pattern.replaceAll("+", "-").replaceAll("/", "_"));
  }
}

/** A character for each byte. */
export function latin1(bytes: Uint8Array): string {
  const buffer = nodeBuffer(bytes);
  if (buffer !== undefined) return buffer.toString("latin1");
  let text = "";
  for (let index = 0; index < bytes.length; index += 0x2000) {
    text += String.fromCharCode(...bytes.subarray(index, index + 0x2000));
  }
  return text;
}
