import { resolve } from "node:path";
import type { JsonObject } from "@toolweave/core";

/** Where a configuration has decisions recorded, besides the store. */
export interface ConfiguredAudit {
  /** The absolute path of a file, for `auditFile` of `@toolweave/stores`. */
  readonly file?: string;
  /** Bytes above which the file is moved aside. Default: 67,108,864 (64 MiB). */
  readonly maxBytes?: number;
  /** Files that were moved aside and are kept. Default: all. */
  readonly maxRotated?: number;
  /** A call whose decision cannot be recorded is refused. Default: false. */
  readonly required?: boolean;
}

/** The `audit` of a valid configuration; `undefined`: it has none. */
export function configuredAudit(config: JsonObject, folder: string): ConfiguredAudit | undefined {
  const audit = config["audit"] as ConfiguredAudit | undefined;
  if (audit?.file === undefined) return audit;
  return { ...audit, file: resolve(folder, audit.file) };
}
