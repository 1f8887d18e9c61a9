import type { Awaitable, ToolExecutor } from "@toolweave/core";
import { describeChange, type MemberChange } from "@toolweave/core/adapter";

/** The lock of the tools. */
export interface ConsoleLock {
  /** The path of the lock, for people. */
  readonly file?: string;
  /**
   * The command with which a person locks the tools again after a review. Default: `toolweave lock`.
   */
  readonly command?: string;
  /**
   * Compares the tools with the lock: `lockDifference(await readLock(path), registry.toolset().entries())` of
   * `@toolweave/config`. Of sources that only offer locked tools, the comparison needs the tools without that.
   */
  difference(): Awaitable<ConsoleLockDifference>;
}

/** The changes of the tools since they were locked. */
export interface ConsoleLockDifference {
  readonly added: readonly string[];
  readonly removed: readonly string[];
  readonly changed: readonly { readonly tool: string; readonly changes: readonly MemberChange[] }[];
}

/** A changed member of a tool. */
export interface MemberChangeText {
  /** Its place in the tool, such as `inputSchema/properties/id`. */
  readonly path: string;
  /** Its JSON, or the part of it that differs: at most 200 characters. Absent: it was added, or `beforeUnknown`. */
  readonly before?: string;
  /** The same; at most 2,000 characters if `beforeUnknown`. Absent: it was removed. */
  readonly after?: string;
  /** It was another one, of which the lock has only the digest. Default: false. */
  readonly beforeUnknown?: true;
  /** The change as one line. */
  readonly text: string;
}

/** The changes of the tools since they were locked. */
export interface LockDiff {
  /** The path of the lock. */
  readonly file?: string;
  readonly added: readonly string[];
  readonly removed: readonly string[];
  readonly changed: readonly {
    readonly tool: string;
    readonly changes: readonly MemberChangeText[];
  }[];
  /** The command with which a person locks the tools again. */
  readonly command: string;
}

/** Compares the tools with their lock, without secrets. */
export async function compareWithLock(
  executor: ToolExecutor,
  lock: ConsoleLock,
): Promise<LockDiff> {
  const { file, command = "toolweave lock" } = lock;
  const { added, removed, changed } = await lock.difference();
  return executor.redact({
    ...(file === undefined ? {} : { file }),
    added,
    removed,
    changed: changed.map(({ tool, changes }) => ({ tool, changes: changes.map(toText) })),
    command,
  });
}

function toText(change: MemberChange): MemberChangeText {
  const { member, before, after, beforeUnknown } = change;
  return {
    path: member,
    ...(before === undefined ? {} : { before }),
    ...(after === undefined ? {} : { after }),
    ...(beforeUnknown === undefined ? {} : { beforeUnknown }),
    text: describeChange(change),
  };
}
