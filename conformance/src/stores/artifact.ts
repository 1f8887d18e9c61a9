import type { StoredArtifact } from "@toolweave/core/stores";

/** An artifact with its bytes. */
export interface TestArtifact {
  readonly artifact: StoredArtifact;
  readonly data: Uint8Array;
}

/** A key that is derived from a short word. */
export function keyOf(word: string | number): string {
  const hex = Array.from(String(word), (character) =>
    (character.codePointAt(0) as number).toString(16).padStart(4, "0"),
  ).join("");
  return `art_${hex.slice(-32).padStart(32, "0")}`;
}

/** An artifact of the given number of bytes, whose neighbouring bytes differ. */
export function artifactOf(
  word: string | number,
  size: number,
  more: Partial<StoredArtifact> = {},
): TestArtifact {
  const data = new Uint8Array(size);
  for (let index = 0; index < size; index++) data[index] = (index * 31 + (index >> 8)) & 0xff;
  const artifact = {
    key: keyOf(word),
    owner: '["session",null]',
    mediaType: "application/octet-stream",
    size,
    createdAt: 1_700_000_000_000,
    expiresAt: 9_000_000_000_000,
    ...more,
  };
  return { artifact, data };
}
