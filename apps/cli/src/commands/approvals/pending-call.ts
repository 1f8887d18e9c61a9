import { ToolError, ToolRegistry, type Answer, type ToolOutcome } from "@toolweave/core";
import type { ClaimResult, PendingCallRecord } from "@toolweave/core/stores";
import { findById } from "../../input/find-by-id.ts";
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
      "call that waits",
      ": it was answered, has expired, or is in another store",
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

/**
 * Returns why a pending call cannot be answered: over, expired, changed, or of another key. Until this returns
 * `undefined`, nothing in the call can be trusted: any process with write access to the store may have
 * written it. Takes nothing.
 */
export async function getRefusal(
  store: CommandStore,
  { interruption, status }: PendingCallRecord,
): Promise<ToolOutcome | undefined> {
  const { problem, isNew, path } = store.key;
  if (problem !== undefined) throw problem;
  if (isNew) {
    throw new ToolError(
      "store_unavailable",
      `The key ${path} is missing, and pending calls cannot be opened without it: restore it, or set TOOLWEAVE_KEY.`,
    );
  }
  let isGenuine = false;
  const executor = createExecutor({
    registry: new ToolRegistry([]),
    store: {
      ...executorStores(store),
      key: store.key,
      pendingCalls: {
        ...store.pendingCalls,
        // The executor comes here with what it could open, and is still in time.
        claim: () => {
          isGenuine = status === "pending";
          return claims[status];
        },
        finish: () => {},
        // That it is over is the answer here, whatever came of it.
        finishedResult: () => undefined,
      },
    },
  });
  const outcome = await executor.resume(interruption, [{ type: "reject" }]);
  return isGenuine ? undefined : outcome;
}

/**
 * Returns the outcome of a finished call for a retry of the same answers; for other answers why they are
 * refused. Needs no tool, and runs none.
 */
export function replayOutcome(
  store: CommandStore,
  { interruption }: PendingCallRecord,
  answers: readonly Answer[],
): Promise<ToolOutcome> {
  const pendingCalls = {
    ...store.pendingCalls,
    claim: (): ClaimResult => "finished",
    finish: () => {},
  };
  const executor = createExecutor({
    registry: new ToolRegistry([]),
    store: { ...executorStores(store), key: store.key, pendingCalls },
  });
  return executor.resume(interruption, answers);
}
