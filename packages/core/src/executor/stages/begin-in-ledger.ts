import { unavailable } from "../../approvals/pending-call-store.ts";
import { answerWithin } from "../../contract/call-info.ts";
import { specHashOf } from "../../contract/tool.ts";
import { ToolError } from "../../contract/tool-error.ts";
import { promised } from "../../json/json.ts";
import type { CallLedger, LedgerCall, LedgerClaim, LedgerEntry } from "../../ledger/call-ledger.ts";
import { storeMs } from "../../tasks/tasks.ts";
import type { CallState } from "../call/call-state.ts";
import type { DurableRun } from "../call/durable-run.ts";
import { FinishedBefore, outcomeFromJson } from "../call/finished-outcome.ts";

/**
 * Claims a call of a durable run in the ledger, so that its tool starts at most once. A call that has ended before
 * returns its stored outcome.
 *
 * @param root the call above it that no tool has made, or the call itself.
 * @throws ToolError `outcome_unknown` when it was begun before and has not ended, `store_unavailable`, and `internal`
 * when another call was begun under its id; nothing has run then.
 */
export async function begin(
  execution: CallState,
  root: CallState,
  durable: DurableRun,
): Promise<void> {
  const { tool, args, engine } = execution;
  const ledger = engine.ledger as CallLedger;
  const live = execution.guard();
  const [specHash, argumentsHash] = await Promise.all([
    specHashOf(tool),
    engine.argumentsHash.of(args),
  ]);
  live(undefined);
  const claim: LedgerClaim = {
    runId: root.resumption?.interruption.runId ?? execution.run.id,
    callId: ledgerId(execution),
    token: crypto.randomUUID(),
  };
  const repeat = toRepeat(execution, durable);
  const entry = await asked(execution, ledger, {
    ...claim,
    tool: tool.spec.name,
    specHash,
    argumentsHash,
    ...(durable.epoch === undefined ? {} : { epoch: durable.epoch }),
    ...(repeat === undefined ? {} : { repeat }),
  });
  live(entry, ({ status }) => {
    if (status === "begun") void release(ledger, claim);
  });
  if (entry.status !== "begun") throw refusal(execution, entry);
  execution.claim = claim;
}

async function asked(
  execution: CallState,
  ledger: CallLedger,
  call: LedgerCall,
): Promise<LedgerEntry> {
  const asking = (async () => ledger.begin(call))();
  try {
    return await answerWithin(execution, storeMs, promised(asking));
  } catch (cause) {
    // The ledger may have begun it, or still begin it: its token releases the claim.
    void asking.then(
      () => release(ledger, call),
      () => release(ledger, call),
    );
    throw unavailable(
      `${execution.call.name} was not run: the call ledger does not answer. Call it again later.`,
      cause,
    );
  }
}

/** Removes the claim of a call that has not started. If that fails, the call is `unknown` when it is made again. */
async function release(ledger: CallLedger, { runId, callId, token }: LedgerClaim): Promise<void> {
  try {
    await ledger.end({ runId, callId, token }, { status: "released" });
  } catch {
    // The ledger is unavailable.
  }
}

function refusal(
  execution: CallState,
  entry: Exclude<LedgerEntry, { readonly status: "begun" }>,
): ToolError | FinishedBefore {
  const { name } = execution.call;
  switch (entry.status) {
    case "ended":
      return replayed(name, entry.outcome);
    case "conflict":
      return new ToolError(
        "internal",
        `${name} was not run: another call was made in this run under the same id. A run that is repeated must make the same calls, or give each call an id of its own.`,
      );
    case "superseded":
      return new ToolError(
        "cancelled",
        `${name} was not started here: another process has the run now, and may have started it.`,
      );
    default:
      return unknown(
        name,
        entry.status === "running"
          ? "another process has started it and has not ended"
          : "the process that started it has ended",
      );
  }
}

function replayed(name: string, outcome: string): ToolError | FinishedBefore {
  try {
    return new FinishedBefore(outcomeFromJson(outcome), true);
  } catch {
    return unknown(name, "its stored outcome cannot be read");
  }
}

function unknown(name: string, reason: string): ToolError {
  return new ToolError(
    "outcome_unknown",
    `This call of ${name} was started before, and its outcome is not known: ${reason}. Check what it did; it is not run again.`,
  );
}

/** Whether a call that was begun before may begin again. */
function toRepeat(
  { resumption, entry, tool }: CallState,
  { rerun }: DurableRun,
): LedgerCall["repeat"] {
  if (resumption?.suspended !== undefined) return "resume";
  if (entry?.trusted !== true) return undefined;
  const { readOnlyHint, idempotentHint } = tool.spec.annotations;
  const isRepeatable = readOnlyHint === true || (rerun === "idempotent" && idempotentHint === true);
  return isRepeatable ? "rerun" : undefined;
}

/** The ids of the calls above the call and its own, as a path. A call of a later attempt is a call of its own. */
function ledgerId({ call, parent }: CallState): string {
  const id = call.id.replaceAll(/[%/#]/g, encodeURIComponent);
  if (parent === undefined) return id;
  const { attempt } = parent;
  return `${ledgerId(parent)}${attempt > 1 ? `#${attempt}` : ""}/${id}`;
}
