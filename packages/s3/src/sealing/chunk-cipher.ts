import { createCipheriv, createDecipheriv } from "node:crypto";

/** Bytes of an artifact in one sealed chunk. */
export const chunkBytes = 65_536;
/** Bytes that a chunk is longer than its text. */
const tagBytes = 16;

const nonceBytes = 12;

/** The number of chunks of an artifact; an empty one has one, so that it is authenticated, too. */
function chunkCount(size: number): number {
  return Math.max(1, Math.ceil(size / chunkBytes));
}

/** The bytes of the sealed object of an artifact of `size` bytes. */
export function sealedSize(size: number): number {
  return size + tagBytes * chunkCount(size);
}

/**
 * Seals one artifact in chunks (AES-256-GCM), so that a range is read without the rest. The key is that of the artifact
 * alone, and the nonce is the number of the chunk. The name and the size of the artifact are authenticated with every
 * chunk, so that a chunk in another place, a missing end and another artifact do not open.
 */
export class ChunkCipher {
  readonly #key: Uint8Array;
  readonly #size: number;
  readonly #context: Buffer;

  /**
   * @param key 32 bytes that are used for this artifact only.
   * @param name identifies the artifact.
   */
  constructor(key: Uint8Array, name: string, size: number) {
    this.#key = key;
    this.#size = size;
    this.#context = Buffer.from(`${name}:${size}`);
  }

  /** Seals `data`, which begins with chunk `first` and ends with a chunk. */
  seal(first: number, data: Uint8Array): Uint8Array {
    const count = chunkCount(data.byteLength);
    const sealed = Buffer.allocUnsafe(data.byteLength + count * tagBytes);
    for (let index = 0; index < count; index++) {
      const cipher = createCipheriv("aes-256-gcm", this.#key, nonce(first + index));
      cipher.setAAD(this.#context);
      const text = data.subarray(index * chunkBytes, (index + 1) * chunkBytes);
      const at = index * (chunkBytes + tagBytes);
      sealed.set(cipher.update(text), at);
      cipher.final();
      sealed.set(cipher.getAuthTag(), at + text.byteLength);
    }
    return sealed;
  }

  /** The range of the sealed object with the chunks of the bytes from `from` to `to`, which is not included. */
  sealedRange(from: number, to: number): { readonly first: number; readonly last: number } {
    const lastChunk = Math.floor((to - 1) / chunkBytes);
    return {
      first: Math.floor(from / chunkBytes) * (chunkBytes + tagBytes),
      last: Math.min((lastChunk + 1) * (chunkBytes + tagBytes), sealedSize(this.#size)) - 1,
    };
  }

  /**
   * Opens the chunks of `sealedRange(from, to)`.
   *
   * @throws Error for bytes that were not sealed like this.
   */
  open(sealed: Uint8Array, from: number, to: number): Uint8Array {
    const first = Math.floor(from / chunkBytes);
    const chunks: Uint8Array[] = [];
    for (let at = 0; at < sealed.byteLength; at += chunkBytes + tagBytes) {
      const end = Math.min(sealed.byteLength, at + chunkBytes + tagBytes);
      const decipher = createDecipheriv("aes-256-gcm", this.#key, nonce(first + chunks.length), {
        authTagLength: tagBytes,
      });
      decipher.setAAD(this.#context);
      decipher.setAuthTag(sealed.subarray(end - tagBytes, end));
      chunks.push(decipher.update(sealed.subarray(at, end - tagBytes)));
      decipher.final();
    }
    const start = from - first * chunkBytes;
    return Buffer.concat(chunks).subarray(start, start + to - from);
  }
}

function nonce(chunk: number): Buffer {
  const bytes = Buffer.alloc(nonceBytes);
  bytes.writeUIntBE(chunk, nonceBytes - 6, 6);
  return bytes;
}
