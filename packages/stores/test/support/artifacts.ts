import { createHash } from "node:crypto";
import type { ArtifactStore, StoredArtifact } from "@toolweave/core/stores";
import { fileArtifacts, sqliteStore } from "../../src/index.ts";

/** An artifact with its bytes. */
export interface TestArtifact {
  readonly artifact: StoredArtifact;
  readonly data: Uint8Array;
}

/** A key that is derived from a word. */
export function keyOf(word: string | number): string {
  return `art_${createHash("md5").update(String(word)).digest("hex")}`;
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

/** A store of a kind; its path is a folder or a file. */
export function artifactStore(kind: string, path: string): ArtifactStore {
  return kind === "files" ? fileArtifacts(path) : sqliteStore(path).artifacts;
}
