import { base64ToBytes, bytesToBase64 } from "./base64.ts";

/** Bytes as text for URLs and files, without padding. @see https://www.rfc-editor.org/rfc/rfc4648#section-5 */
export function base64url(bytes: Uint8Array): string {
  return bytesToBase64(bytes).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

/**
 * The bytes of such a text.
 *
 * @throws Error for a text that `base64url` would not have made of them.
 */
export function fromBase64url(text: string): Uint8Array<ArrayBuffer> {
  const bytes = base64ToBytes(text.replaceAll("-", "+").replaceAll("_", "/"));
  if (bytes === undefined || base64url(bytes) !== text) throw new Error("This is no base64url.");
  return bytes;
}
