import type { Interruption } from "../../contract/interruption.ts";
import type { ToolError } from "../../contract/tool-error.ts";
import type { ToolOutcome, ToolOutput } from "../../contract/tool-result.ts";
import type { Awaitable } from "../../json/json.ts";
import type { LedgerClaim } from "../../ledger/call-ledger.ts";
import type { DurableRun } from "../call/durable-run.ts";
import type { CallState } from "../call/call-state.ts";

/** Stage 8: begins the call of a durable run in the ledger. The modules of the ledger are loaded when first used. */
export function beginInLedger(execution: CallState): Awaitable<void> {
  if (execution.engine.ledger === undefined) return;
  let root = execution;
  while (root.parent !== undefined) root = root.parent;
  const durable = execution.run.durable ?? root.resumption?.durable;
  if (durable === undefined || isJournaled(execution, durable)) return;
  return beginDurable(execution, root, durable);
}

/** A call that is repeated, because its tool stores its progress itself. */
function isJournaled({ call, entry }: CallState, durable: DurableRun): boolean {
  if (durable.isJournaled === undefined || entry === undefined) return false;
  return entry.trusted && entry.tool.delegates === true && durable.isJournaled(call.id);
}

async function beginDurable(
  execution: CallState,
  root: CallState,
  durable: DurableRun,
): Promise<void> {
  const live = execution.guard();
  const { begin } = await import("./begin-in-ledger.ts");
  return begin(live(execution), root, durable);
}

/** Stage 10, last: stores the outcome of a call of a durable run, before the call returns it. */
export function endInLedger(execution: CallState, output: ToolOutput): Awaitable<ToolOutput> {
  const { claim } = execution;
  return claim === undefined ? output : endDurable(execution, claim, output);
}

async function endDurable(
  execution: CallState,
  claim: LedgerClaim,
  output: ToolOutput,
): Promise<ToolOutput> {
  const live = execution.guard();
  const { storeCompleted } = await import("./end-in-ledger.ts");
  return storeCompleted(live(execution), claim, output);
}

/** Stores the outcome of a call that has failed; `undefined`: the call has no claim. */
export function endFailedInLedger(
  execution: CallState,
  error: ToolError,
): Promise<{ readonly finish: () => ToolOutcome }> | undefined {
  const { claim } = execution;
  if (claim === undefined) return undefined;
  return import("./end-in-ledger.ts").then((module) => module.storeFailed(execution, claim, error));
}

/** Stores the interruption of a suspended call. Never rejects. */
export async function suspendInLedger(
  execution: CallState,
  interruption: Interruption,
): Promise<void> {
  const { claim } = execution;
  if (claim === undefined) return;
  const module = await import("./end-in-ledger.ts");
  await module.storeSuspension(execution, claim, interruption);
}

/** Ends the claim of a call that does not wait for the ledger. */
export function abandonInLedger(execution: CallState): void {
  const { claim } = execution;
  if (claim === undefined) return;
  execution.claim = undefined;
  const abandoning = import("./end-in-ledger.ts").then((module) =>
    module.abandon(execution, claim),
  );
  void execution.engine.drain.keep(abandoning);
}
