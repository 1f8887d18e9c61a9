interface Native {
  readonly toBase64?: () => string;
}

/** A whole number of groups of three bytes, and few enough arguments for one call. */
const chunkBytes = 0x6000;
/** The same length in base64. */
const chunkLength = (chunkBytes / 3) * 4;

/** Bytes as base64, padded. @see https://www.rfc-editor.org/rfc/rfc4648#section-4 */
export function bytesToBase64(bytes: Uint8Array): string {
  const { toBase64 } = Uint8Array.prototype as Native;
  if (toBase64 !== undefined) return toBase64.call(bytes);
  const buffer = nodeBuffer(bytes);
  if (buffer !== undefined) return buffer.toString("base64");
  const parts: string[] = [];
  for (let index = 0; index < bytes.length; index += chunkBytes) {
    parts.push(btoa(String.fromCharCode(...bytes.subarray(index, index + chunkBytes))));
  }
  return parts.join("");
}

/** The bytes of such a text, with or without padding and white space; undefined: it is no base64. */
export function base64ToBytes(text: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return inChunks(text) ?? toBytes(atob(text));
  } catch {
    return undefined;
  }
}

/** Without a second copy of all of it. Undefined: there is white space, or padding, in the midst of it. */
function inChunks(text: string): Uint8Array<ArrayBuffer> | undefined {
  if (text.length <= chunkLength) return undefined;
  const padding = text.endsWith("==") ? 2 : text.endsWith("=") ? 1 : 0;
  const bytes = new Uint8Array(Math.floor(((text.length - padding) * 3) / 4));
  let length = 0;
  for (let index = 0; index < text.length; index += chunkLength) {
    const chunk = toBytes(atob(text.slice(index, index + chunkLength)));
    const isLast = index + chunkLength >= text.length;
    if (chunk.length !== (isLast ? bytes.length - length : chunkBytes)) return undefined;
    bytes.set(chunk, length);
    length += chunk.length;
  }
  return bytes;
}

function toBytes(binary: string): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(binary.length);
  for (let index = 0; index < binary.length; index++) bytes[index] = binary.charCodeAt(index);
  return bytes;
}

interface NodeBuffer {
  toString(encoding: "base64" | "latin1"): string;
}

/** The bytes as Node writes them, many times quicker than anything portable; undefined elsewhere. */
export function nodeBuffer(bytes: Uint8Array): NodeBuffer | undefined {
  const { Buffer } = globalThis as {
    Buffer?: { from(buffer: ArrayBufferLike, offset: number, length: number): NodeBuffer };
  };
  return Buffer?.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

/** Such a text, in either alphabet, as a text of one character per byte; undefined: it is no base64. */
export function base64ToBinary(text: string): string | undefined {
  try {
    return atob(text.replaceAll("-", "+").replaceAll("_", "/"));
  } catch {
    return undefined;
  }
}

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
