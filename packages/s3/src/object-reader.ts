import { createHash } from "node:crypto";
import { bucketError, type BucketName } from "./bucket/bucket-error.ts";
import type { Bucket } from "./bucket/bucket.ts";
import type { Place } from "./place.ts";
import { chunkBytes, type ChunkCipher } from "./sealing/chunk-cipher.ts";

/** Bytes of an artifact that one request reads: a multiple of 64 KiB. */
export const readBytes: number = 128 * chunkBytes;

/**
 * Reads the bytes of an artifact from `from` to `to`, which is not included.
 *
 * @param cipher opens the bytes; absent: they are stored as they are.
 * @returns `undefined`: there is no object.
 * @throws ToolError `store_unavailable` if the object is not the one that was written.
 */
export async function readObject(
  bucket: Bucket,
  place: Place,
  {
    from,
    to,
    size,
    cipher,
    name,
  }: {
    readonly from: number;
    readonly to: number;
    /** Of the artifact. */
    readonly size: number;
    readonly cipher: ChunkCipher | undefined;
    readonly name: BucketName;
  },
): Promise<Uint8Array | undefined> {
  const data = new Uint8Array(to - from);
  for (let at = from; at < to;) {
    const end = Math.min(to, (Math.floor(at / readBytes) + 1) * readBytes);
    const { first, last } = cipher?.sealedRange(at, end) ?? { first: at, last: end - 1 };
    const stored = await bucket.getRange(place.object, first, last, place.bytes);
    if (stored === undefined) return undefined;
    data.set(opened(stored, at, end), at - from);
    at = end;
  }
  const isWhole = from === 0 && to === size;
  if (isWhole && place.sha256 !== undefined) {
    if (createHash("sha256").update(data).digest("hex") !== place.sha256) throw changed(name);
  }
  return data;

  function opened(stored: Uint8Array, at: number, end: number): Uint8Array {
    if (cipher === undefined) return stored;
    try {
      return cipher.open(stored, at, end);
    } catch (error) {
      throw changed(name, error);
    }
  }
}

function changed(name: BucketName, cause?: unknown): Error {
  const text = "has an object that was changed after it was stored: delete the artifact";
  return bucketError(name, text, { cause, retryable: false });
}
