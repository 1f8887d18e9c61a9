import { ToolError, ToolRegistry, type Answer, type ToolOutcome } from "@toolweave/core";
import type { ClaimResult, PendingCallRecord } from "@toolweave/core/stores";
import { findById } from "../../input/find-by-id.ts";
import { safeValue } from "../../render/text.ts";
import { executorStores, type CommandStore } from "../../store/command-store.ts";
import { createExecutor } from "../shared/executor.ts";

/**
 * The call that an id, or the beginning of one, stands for. A whole id also finds what is over.
 *
 * @throws UsageError
 */
export async function findPendingCall(store: CommandStore, id: string): Promise<PendingCallRecord> {
  const exact = await store.pendingCalls.get(id);
  return (
    exact ??
    findById(
      id,
      await store.pendingCalls.list(),
      ({ interruption }) => interruption.id,
      "pending call",
      ` in ${safeValue(store.location)}: it was answered, has expired, or is in another store`,
    )
  );
}

const claims = {
  // It is not claimed here, but by the command that resumes it.
  pending: "unknown",
  claimed: "running",
  finished: "finished",
  unfinished: "unfinished",
} as const satisfies Record<PendingCallRecord["status"], ClaimResult>;

/** The key of a pending call, and why it cannot be answered. */
export interface ExaminedCall {
  /** The key that decrypts the call: the store's, or a former one. */
  readonly key: string;
  /** Over, expired, changed, or of another key; undefined: the call can be answered. */
  readonly refusal: ToolOutcome | undefined;
}

/**
 * Finds out whether a pending call can be answered. Without a refusal it can be trusted; before, any process with write
 * access to the store may have written it. Takes nothing.
 */
export async function examineCall(
  store: CommandStore,
  record: PendingCallRecord,
): Promise<ExaminedCall> {
  const { problem, isNew, path } = store.key;
  if (problem !== undefined) throw problem;
  if (isNew) {
    throw new ToolError(
      "store_unavailable",
      `The key ${path} is missing, and pending calls cannot be opened without it: restore it, or set TOOLWEAVE_KEY.`,
    );
  }
  const { value, former } = store.key;
  const first = await examineWith(value, store, record);
  if (first.isOpened) return first;
  for (const key of former) {
    const examined = await examineWith(key, store, record);
    if (examined.isOpened) return examined;
  }
  return first;
}

async function examineWith(
  key: string,
  store: CommandStore,
  { interruption, status }: PendingCallRecord,
): Promise<ExaminedCall & { readonly isOpened: boolean }> {
  let isOpened = false;
  const executor = createExecutor({
    registry: new ToolRegistry([]),
    key,
    store: {
      ...executorStores(store),
      key: store.key,
      pendingCalls: {
        ...store.pendingCalls,
        // The executor comes here with what it could open, and is still in time.
        claim: () => {
          isOpened = true;
          return claims[status];
        },
        finish: () => {},
        // That it is over is the answer here, whatever came of it.
        finishedResult: () => undefined,
      },
    },
  });
  const outcome = await executor.resume(interruption, [{ type: "reject" }]);
  return { key, isOpened, refusal: isOpened && status === "pending" ? undefined : outcome };
}

/**
 * Returns the outcome of a finished call for a retry of the same answers; for other answers why they are
 * refused. Needs no tool, and runs none.
 */
export function replayOutcome(
  store: CommandStore,
  { interruption }: PendingCallRecord,
  key: string,
  answers: readonly Answer[],
): Promise<ToolOutcome> {
  const pendingCalls = {
    ...store.pendingCalls,
    claim: (): ClaimResult => "finished",
    finish: () => {},
  };
  const executor = createExecutor({
    registry: new ToolRegistry([]),
    key,
    store: { ...executorStores(store), key: store.key, pendingCalls },
  });
  return executor.resume(interruption, answers);
}
