import type { ToolExecutor } from "@toolweave/core";
import {
  compareWithLock,
  type ConsoleLock,
  type LockDiff,
  type MemberChangeText,
} from "./lock-difference.ts";

/** Whether a tool is as it was when it was locked. */
export interface ToolLock {
  /** `new`: it is not in the lock. */
  readonly state: "locked" | "changed" | "new";
  /** With `changed`. */
  readonly changes?: readonly MemberChangeText[];
}

/** Milliseconds after which the tools are compared again, since the lock may have changed. */
const refreshMs = 1000;

/** The states of tools in a lock. All tools are compared at once, and again when they change. */
export class ToolLocks {
  readonly #executor: ToolExecutor;
  readonly #lock: ConsoleLock;
  #compared:
    | { readonly version: number; readonly at: number; readonly diff: Promise<LockDiff> }
    | undefined;

  constructor(executor: ToolExecutor, lock: ConsoleLock) {
    this.#executor = executor;
    this.#lock = lock;
  }

  /** The state of a tool; `undefined`: the lock cannot be read, which `GET /api/lock/diff` reports. */
  async get(tool: string): Promise<ToolLock | undefined> {
    const diff = await this.#compare().catch(() => undefined);
    if (diff === undefined) return undefined;
    if (diff.added.includes(tool)) return { state: "new" };
    const changed = diff.changed.find((one) => one.tool === tool);
    return changed === undefined
      ? { state: "locked" }
      : { state: "changed", changes: changed.changes };
  }

  #compare(): Promise<LockDiff> {
    const { version } = this.#executor.registry;
    const now = performance.now();
    const compared = this.#compared;
    if (compared?.version === version && now - compared.at < refreshMs) return compared.diff;
    const diff = compareWithLock(this.#executor, this.#lock);
    this.#compared = { version, at: now, diff };
    return diff;
  }
}
