/// <reference lib="esnext.disposable" preserve="true" />
export { auditFile } from "./audit-file.ts";
export type { AuditFileOptions } from "./audit-file.ts";
export { sqliteStore } from "./sqlite-store.ts";
export type { SqliteStore, SqliteStoreOptions } from "./sqlite-store.ts";
