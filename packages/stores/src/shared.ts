/** Functions that stores share, so that they accept the same records and refuse them with the same errors. */
export { chunkBytes, chunksAtOnce, readChunks } from "./artifact-chunks.ts";
export type { ChunkRow, ChunkSource } from "./artifact-chunks.ts";
export {
  artifactsFull,
  artifactTaken,
  describedArtifact,
  parseDescription,
  endOfRange,
  isArtifactKey,
  lastMoment,
  ownerFull,
} from "./described-artifact.ts";
export type { DescribedArtifact } from "./described-artifact.ts";
export { credentialJson, credentialName, readCredential } from "./file-credentials.ts";
export { ExclusiveWork } from "./exclusive-work.ts";
export type { LeasedLocks } from "./exclusive-work.ts";
export { Leases } from "./leases.ts";
export type { LeaseOptions, Timers } from "./leases.ts";
export {
  findNearest,
  inOrder,
  maxMatches,
  maxRanked,
  rankByWords,
  rankFound,
  rankMemories,
  toBytes,
  toEntry,
  toFound,
  toOwned,
  tombstoneMs,
} from "./memory-ranking.ts";
export { checkEntryTexts, isPrefix, toIndexedWords, toTerms } from "./memory-words.ts";
export type { MemoryRow, OwnedMemoryRow, RankOptions } from "./memory-ranking.ts";
export { checkRateRequests } from "./rate-requests.ts";
export { RowWatch } from "./row-watch.ts";
export { keyDerivation } from "./store-key.ts";
export type { StoreKey } from "./store-key.ts";
export {
  checkedStoreLimits,
  checkedTimerMs,
  ownerLimitError,
  storeLimitNames,
} from "./store-limits.ts";
export type { ArtifactQuotas, OwnerLimit, StoreLimitOptions, StoreLimits } from "./store-limits.ts";
