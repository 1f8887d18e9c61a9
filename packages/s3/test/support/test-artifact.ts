import type { StoredArtifact } from "@toolweave/core/stores";

/** A key for tests. */
export const testKey = "a key of the tests, 32 bytes or more";

/** An artifact of the given number of bytes, whose neighbouring bytes differ. */
export function testArtifact(
  number: number,
  size: number,
): { readonly artifact: StoredArtifact; readonly data: Uint8Array } {
  const data = new Uint8Array(size);
  for (let index = 0; index < size; index++)
    data[index] = (index * 31 + (index >> 8) + number) & 255;
  const artifact = {
    key: `art_${number.toString(16).padStart(32, "0")}`,
    owner: '["session",null]',
    mediaType: "application/octet-stream",
    size,
    createdAt: 1_700_000_000_000,
    expiresAt: 9_000_000_000_000,
  };
  return { artifact, data };
}
