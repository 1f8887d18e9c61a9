export type {
  CallLedger,
  LedgerCall,
  LedgerClaim,
  LedgerEnd,
  LedgerEntry,
} from "./ledger/call-ledger.ts";
export { memoryLedger } from "./ledger/memory-ledger.ts";
export type { GrantStore } from "./contract/grant.ts";
export { memoryGrants } from "./contract/grant.ts";
export { memoryPendingCalls } from "./approvals/memory-pending-calls.ts";
export type { MemoryQuota } from "./limits/memory-quota.ts";
export { parseOwner, quotaOwner } from "./contract/caller.ts";
export type {
  ClaimResult,
  FinishedResult,
  PendingCallRecord,
  PendingCallStatus,
  PendingCallStore,
} from "./approvals/pending-call-store.ts";
export type {
  CertificateCredential,
  ClientCredential,
  Credential,
  CredentialKey,
  CredentialStore,
  PasswordCredential,
  SecretCredential,
  TokenCredential,
} from "./credentials/credential-store.ts";
export { memoryCredentials } from "./credentials/credential-store.ts";
export type {
  ArtifactIndex,
  IndexedArtifact,
  RemovableArtifact,
} from "./artifacts/artifact-index.ts";
export type { ArtifactStore, StoredArtifact } from "./artifacts/artifact-store.ts";
export { artifactKey } from "./artifacts/artifact-store.ts";
export { memoryArtifacts } from "./artifacts/memory-artifacts.ts";
export type { MemoryArtifactsOptions } from "./artifacts/memory-artifacts.ts";
export type {
  ListedTask,
  StoredTask,
  TaskChange,
  TaskRecord,
  TaskStatus,
  TaskStore,
} from "./tasks/task-store.ts";
export { memoryTasks } from "./tasks/memory-tasks.ts";
export type {
  AuditDecision,
  AuditEntry,
  AuditReader,
  AuditRecord,
  AuditSink,
  ReadAuditOptions,
} from "./audit/audit-sink.ts";
export type { RateLimitStore, RateRequest, RateReservation } from "./limits/rate-limits.ts";
export { memoryRateLimits } from "./limits/memory-rate-limits.ts";
export type {
  FoundMemory,
  MemoryEntry,
  MemoryQuery,
  MemoryStore,
  MemoryVector,
  OwnedMemory,
  OwnersMemoryQuery,
} from "./memory/memory-store.ts";
export { memoryOwner, memoryOwnerPrefix, parseMemoryOwner } from "./memory/memory-owner.ts";
export type {
  JobSchedule,
  ScheduledJob,
  ScheduledRun,
  ScheduleStore,
  StoredJob,
} from "./schedules/schedule-store.ts";
