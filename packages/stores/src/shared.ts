/** Functions that stores share, so that they accept the same records and refuse them with the same errors. */
export {
  artifactsFull,
  checkedCount,
  checkedQuota,
  describedArtifact,
  descriptionOf,
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
export type { Timers } from "./leases.ts";
export {
  cosine,
  coverage,
  normalize,
  plain,
  rankMemories,
  similarity,
  toBytes,
  toEntry,
  toFound,
  toTerms,
  toWords,
} from "./memory-ranking.ts";
export type { MemoryRow } from "./memory-ranking.ts";
export { checkRateRequests } from "./rate-requests.ts";
export { RowWatch } from "./row-watch.ts";
export { keyDerivation } from "./store-key.ts";
export type { StoreKey } from "./store-key.ts";
