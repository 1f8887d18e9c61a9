import type { Clock } from "../executor/clock.ts";
import { systemClock } from "../executor/clock.ts";
import type { ArtifactStore, StoredArtifact } from "./artifact-store.ts";

interface Kept {
  readonly artifact: StoredArtifact;
  readonly data: Uint8Array;
}

/** Artifacts in memory: gone with the process. */
export function memoryArtifacts(clock: Clock = systemClock): ArtifactStore {
  const kept = new Map<string, Kept>();
  const live = (key: string): Kept | undefined => {
    const found = kept.get(key);
    return found !== undefined && found.artifact.expiresAt > clock.now() ? found : undefined;
  };
  return {
    put: (artifact, data) => void kept.set(artifact.key, { artifact, data }),
    head: (key) => live(key)?.artifact,
    read: (key, offset, length) => live(key)?.data.subarray(offset, offset + length),
    delete: (key) => void kept.delete(key),
  };
}
