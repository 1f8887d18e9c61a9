import { createHash, hash } from "node:crypto";
import { ToolError } from "@toolweave/core";
import type { Bucket, UploadedPart } from "./bucket/bucket.ts";
import type { Place } from "./place.ts";
import { chunkBytes, type ChunkCipher } from "./sealing/chunk-cipher.ts";

/** The sizes of requests. */
export interface WriteSizes {
  /** A larger artifact is written in parts. */
  readonly maxPutBytes: number;
  /** Bytes of an artifact in one part: a multiple of 64 KiB. */
  readonly partBytes: number;
}

/** One part may have 5 GiB, and an upload has 5 MiB in each part but the last one. */
export const defaultSizes: WriteSizes = { maxPutBytes: 16_777_216, partBytes: 8_388_608 };

const maxParts = 10_000;

/**
 * Writes the bytes of an artifact to their place: in one request, or in parts.
 *
 * @param cipher seals the bytes; absent: they are stored as they are.
 * @param renew is called before each part. False: the row was taken for removal.
 * @returns the place, with the digest of what was written.
 * @throws ToolError `store_unavailable`
 */
export async function writeObject(
  bucket: Bucket,
  place: Place,
  {
    data,
    cipher,
    sizes,
    renew,
  }: {
    readonly data: Uint8Array;
    readonly cipher: ChunkCipher | undefined;
    readonly sizes: WriteSizes;
    readonly renew: () => PromiseLike<boolean> | boolean;
  },
): Promise<Place> {
  const size = data.byteLength;
  const { object } = place;
  if (place.parts === undefined) {
    const body = cipher === undefined ? data : cipher.seal(0, data);
    const sha256 = cipher === undefined ? hash("sha256", body) : undefined;
    await bucket.put(object, body);
    return sha256 === undefined ? place : { ...place, sha256 };
  }
  const partBytes = toPartBytes(size, sizes.partBytes);
  const whole = createHash("sha256");
  const upload = await bucket.startUpload(object);
  const parts: UploadedPart[] = [];
  for (let from = 0; from < size; from += partBytes) {
    // The bytes may be transferred to another thread meanwhile.
    if (data.byteLength !== size || !(await renew())) throw lostWrite();
    const text = data.subarray(from, from + partBytes);
    const body = cipher === undefined ? text : cipher.seal(from / chunkBytes, text);
    if (cipher === undefined) whole.update(body);
    parts.push(await bucket.putPart(object, upload.id, parts.length + 1, body));
  }
  if (!(await renew())) throw lostWrite();
  await bucket.completeUpload(object, upload.id, parts, place.bytes);
  // If that fails, the other upload is aborted when the artifact is deleted.
  if (!upload.isOnly) await bucket.abortUploads(object).catch(() => {});
  return cipher === undefined ? { ...place, sha256: whole.digest("hex") } : place;
}

/** The error of a write whose row or bytes are not there any more. */
export function lostWrite(): ToolError {
  return new ToolError(
    "store_unavailable",
    "The artifact was lost while it was written, because this process was held up for too long or the bytes were taken away: write it again.",
  );
}

/** An upload has 10,000 parts at most. */
function toPartBytes(size: number, partBytes: number): number {
  const least = Math.ceil(size / maxParts / chunkBytes) * chunkBytes;
  return Math.max(partBytes, least);
}
