/// <reference lib="esnext.disposable" preserve="true" />
export { loadConfig, serverOf } from "./load-config.ts";
export type { ConfiguredSource, LoadConfigOptions, LoadedConfig } from "./load-config.ts";
export type { ServeLimits } from "./reading/check-config.ts";
export type { ServerDefaults } from "./servers/configured-server.ts";
export type { Lock, LockedTool } from "./lock/lock.ts";
export { lockOf } from "./lock/lock.ts";
export { lockDifference } from "./lock/lock.ts";
export type { LockDifference } from "./lock/lock.ts";
export { locked } from "./lock/lock.ts";
export { readLock, writeLock } from "./lock/lock-file.ts";
export { describeConfig } from "./trust/describe-config.ts";
export type { ConfigDescription } from "./trust/describe-config.ts";
export type { ConfigPart, ConfigPartKind } from "./trust/config-part.ts";
export { readRegularFile } from "./reading/regular-file.ts";
export type { RegularFileOptions } from "./reading/regular-file.ts";
