import type { JsonObject } from "@toolweave/core";
import { checks, type OptionChecks } from "@toolweave/core/adapter";
import type { ControlGroup } from "./control-group.ts";

/** The resources that a command and everything that it starts may use. */
export interface ProcessLimits {
  /** Bytes of one file that is written. Default: 1 GiB. */
  readonly fileBytes?: number;
  /** Open files of one process. Default: 4,096. */
  readonly openFiles?: number;
  /** Processes and threads at one time. Default: 1,024. */
  readonly processes?: number;
  /** Bytes of memory of all processes together. Default: 4 GiB. */
  readonly memoryBytes?: number;
}

export const limitChecks: OptionChecks<ProcessLimits> = {
  fileBytes: checks.wholeFrom(1),
  openFiles: checks.wholeFrom(1),
  processes: checks.wholeFrom(1),
  memoryBytes: checks.wholeFrom(1),
};

/** The limits with their defaults. */
export function withDefaults(limits: ProcessLimits = {}): Required<ProcessLimits> {
  return {
    fileBytes: 1024 ** 3,
    openFiles: 4_096,
    processes: 1_024,
    memoryBytes: 4 * 1024 ** 3,
    ...limits,
  };
}

/** The beginning of a script of bash: it sets the limits that a process sets for itself. None can be raised again. */
export function limitScript({ fileBytes, openFiles }: Required<ProcessLimits>): string {
  const blocks = Math.ceil(fileBytes / 1024);
  return `{ ulimit -c 0; ulimit -f ${blocks}; ulimit -n ${openFiles}; } 2>/dev/null`;
}

/** Which limits the kernel enforces, and why others are not, for the details of a result. */
export function describeLimits(
  { fileBytes, openFiles, processes, memoryBytes }: Required<ProcessLimits>,
  group: ControlGroup | undefined,
): JsonObject {
  const byGroup = (name: "pids" | "memory", value: number): JsonObject =>
    group?.enforced.has(name) === true
      ? { value, isEnforced: true }
      : { value, isEnforced: false, reason: `this process may not make control groups (${name})` };
  return {
    fileBytes: { value: fileBytes, isEnforced: true },
    openFiles: { value: openFiles, isEnforced: true },
    processes: byGroup("pids", processes),
    memoryBytes: byGroup("memory", memoryBytes),
  };
}
