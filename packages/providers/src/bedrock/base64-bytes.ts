/** Bytes that are their base64 in JSON. */
class Base64Bytes extends Uint8Array {
  toJSON(): string {
    let binary = "";
    for (const byte of this) binary += String.fromCharCode(byte);
    return btoa(binary);
  }
}

/**
 * The bytes of base64, as an SDK takes them; written as JSON they are base64 again.
 *
 * @returns nothing for what is no base64.
 */
export function base64Bytes(base64: string): Uint8Array | undefined {
  try {
    return Base64Bytes.from(atob(base64), (character) => character.charCodeAt(0));
  } catch {
    return undefined;
  }
}
