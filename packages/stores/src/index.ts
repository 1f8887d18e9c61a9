/// <reference lib="esnext.disposable" preserve="true" />
export { auditFile } from "./audit-file.ts";
export type { AuditFileOptions } from "./audit-file.ts";
export { eventFile } from "./event-file.ts";
export type { EventFile, EventFileOptions } from "./event-file.ts";
export { fileCredentials } from "./file-credentials.ts";
export { fileArtifacts } from "./file-artifacts.ts";
export type { FileArtifactsOptions } from "./file-artifacts.ts";
export { fileLists } from "./file-lists.ts";
export type { FileLists } from "./file-lists.ts";
export { readAudit } from "./read-audit.ts";
export { readEvents } from "./read-events.ts";
export type { ReadEventsOptions } from "./read-events.ts";
export type { RecordedEvent, RecordingNotice, RecordingPosition } from "./event-file.ts";
export { sqliteStore } from "./sqlite-store.ts";
export type { SqliteStore, SqliteStoreOptions } from "./sqlite-store.ts";
