import { ToolError } from "@toolweave/core";

const maxTimerMs = 2_147_483_647;

/** The options that the stores in a database have in common. */
export interface StoreLimitOptions {
  /**
   * Milliseconds after which the claims of an ended process are reported as `unfinished`, and its tasks as `lost`, and
   * its reservations begin to expire. Renewed three times as often. Default: 30,000.
   */
  readonly leaseMs?: number;
  /** Bytes of all artifacts together. Default: 1,073,741,824 (1 GiB). */
  readonly maxArtifactBytes?: number;
  /**
   * Bytes of the artifacts of one owner (`quotaOwner` of `@toolweave/core`: a caller over all its sessions), so that
   * one cannot use up the space of all; beyond, `limit_exceeded`. Default: a quarter of `maxArtifactBytes`.
   */
  readonly maxArtifactBytesPerOwner?: number;
  /** Calls of one owner that wait for a person; beyond, `limit_exceeded`. Default: 2,500. */
  readonly maxPendingCallsPerOwner?: number;
  /**
   * Tasks of one owner. Those that have ended make room, the first to expire first; when none has, `limit_exceeded`.
   * Default: 2,500.
   */
  readonly maxTasksPerOwner?: number;
  /** Memories of one owner, a caller with one agent; beyond, `limit_exceeded`. Default: 10,000. */
  readonly maxMemoriesPerOwner?: number;
  /** Scheduled jobs of one owner; beyond, `limit_exceeded`. Default: 100. */
  readonly maxSchedulesPerOwner?: number;
}

/** The names of `StoreLimitOptions`. */
export const storeLimitNames: readonly (keyof StoreLimitOptions)[] = [
  "leaseMs",
  "maxArtifactBytes",
  "maxArtifactBytesPerOwner",
  "maxPendingCallsPerOwner",
  "maxTasksPerOwner",
  "maxMemoriesPerOwner",
  "maxSchedulesPerOwner",
];

/** The number of entries that one owner may have. */
export interface OwnerLimit {
  readonly maxPerOwner: number;
}

/** The maximum numbers of bytes of artifacts. */
export interface ArtifactQuotas {
  readonly maxBytes: number;
  readonly maxBytesPerOwner: number;
}

/** `StoreLimitOptions`, checked and with their defaults. */
export interface StoreLimits {
  readonly leaseMs: number;
  readonly artifacts: ArtifactQuotas;
  readonly pendingCalls: OwnerLimit;
  readonly tasks: OwnerLimit;
  readonly memories: OwnerLimit;
  readonly schedules: OwnerLimit;
}

/**
 * Checks the limits of a store.
 *
 * @param where the function that has the options, for errors.
 * @throws ToolError `invalid_configuration`
 */
export function checkedStoreLimits(where: string, options: StoreLimitOptions): StoreLimits {
  const { maxArtifactBytes, maxArtifactBytesPerOwner } = options;
  const limit = (name: keyof StoreLimitOptions, byDefault: number): OwnerLimit => {
    const { [name]: maxPerOwner = byDefault } = options;
    if (typeof maxPerOwner === "number" && maxPerOwner >= 1) return { maxPerOwner };
    throw invalid(`${where}: ${name} is ${String(maxPerOwner)}; use 1 or more.`);
  };
  return {
    leaseMs: checkedTimerMs(`${where}: leaseMs`, options.leaseMs ?? 30_000),
    artifacts: checkedQuotas(
      `${where}: maxArtifactBytes`,
      maxArtifactBytes,
      maxArtifactBytesPerOwner,
    ),
    pendingCalls: limit("maxPendingCallsPerOwner", 2_500),
    tasks: limit("maxTasksPerOwner", 2_500),
    memories: limit("maxMemoriesPerOwner", 10_000),
    schedules: limit("maxSchedulesPerOwner", 100),
  };
}

const limitTexts = {
  pendingCalls: (max: number) =>
    `${max} calls of this caller wait for a person already, and no more may: have them answered first, or raise maxPendingCallsPerOwner of the store.`,
  tasks: (max: number) =>
    `${max} tasks of this caller are under way already: wait for one of them, cancel one, or raise maxTasksPerOwner of the store.`,
  memories: (max: number) =>
    `There are ${max} memories already, which is the maximum: forget one of them, or store under its key.`,
  schedules: (max: number) =>
    `There are ${max} scheduled jobs already, which is the maximum: remove one of them.`,
};

/** The error for one entry more of an owner that has as many as it may have. */
export function ownerLimitError(entries: keyof typeof limitTexts, max: number): ToolError {
  return new ToolError("limit_exceeded", limitTexts[entries](max));
}

/**
 * The quotas of artifacts, checked. Default: 1 GiB, and for one owner a quarter of all.
 *
 * @param name the option for all artifacts; the one for those of one owner has `PerOwner` behind it.
 * @throws ToolError `invalid_configuration` for a quota that is none.
 */
export function checkedQuotas(
  name: string,
  maxBytes = 1_073_741_824,
  maxBytesPerOwner: number = maxBytes / 4,
): ArtifactQuotas {
  const check = (option: string, bytes: number): number => {
    if (typeof bytes === "number" && bytes >= 0) return bytes;
    throw invalid(`${option} is ${String(bytes)}; use 0 or more, in bytes.`);
  };
  return {
    maxBytes: check(name, maxBytes),
    maxBytesPerOwner: check(`${name}PerOwner`, maxBytesPerOwner),
  };
}

/**
 * The time of a timer, checked.
 *
 * @throws ToolError `invalid_configuration` for a time that no timer has.
 */
export function checkedTimerMs(name: string, ms: number): number {
  if (ms > 0 && ms <= maxTimerMs) return ms;
  throw invalid(`${name} is ${ms}; use 1 to ${maxTimerMs}, in milliseconds.`);
}

function invalid(text: string): ToolError {
  return new ToolError("invalid_configuration", text);
}
