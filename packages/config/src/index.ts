/// <reference lib="esnext.disposable" preserve="true" />
export { loadConfig, readStore, serverOf } from "./load-config.ts";
export type { ConfiguredSource } from "./configured-source.ts";
export type { LoadConfigOptions, LoadedConfig } from "./load-config.ts";
export { moduleSources } from "./modules/module-source.ts";
export type { ModuleSourcesOptions } from "./modules/module-source.ts";
export { importModule } from "./modules/import-module.ts";
export type { ConfiguredAudit } from "./serve/configured-audit.ts";
export type {
  ServeApprovals,
  ServeCallers,
  ServeIssuer,
  ServeLimits,
  ServeReplica,
  ServeToken,
} from "./serve/configured-serve.ts";
export type { ServerDefaults } from "./servers/configured-server.ts";
export type { Lock, LockableTool, LockOptions } from "./lock/lock.ts";
export { lockOf } from "./lock/lock.ts";
export type { LockedDetails, LockedTool } from "./lock/tool-parts.ts";
export { lockDifference } from "./lock/lock-difference.ts";
export type { LockDifference } from "./lock/lock-difference.ts";
export { locked } from "./lock/locked.ts";
export { readLock, writeLock } from "./lock/lock-file.ts";
export { describeConfig } from "./trust/describe-config.ts";
export type { ConfigDescription } from "./trust/describe-config.ts";
export type { ConfigPart, ConfigPartKind } from "./trust/config-part.ts";
export { fileKind } from "./reading/file-kind.ts";
export { decodeText, readRegularFile } from "./files/regular-file.ts";
export type { RegularFileOptions } from "./files/regular-file.ts";
export { replaceFile } from "./files/replace-file.ts";
export { sharedStore } from "./store/shared-store.ts";
export type { SharedStore, SharedStoreOptions, SharedStores } from "./store/shared-store.ts";
export { parseStore } from "./store/parse-store.ts";
