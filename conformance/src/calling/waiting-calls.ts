import {
  memoryPendingCalls,
  type Answer,
  type ExecutorOptions,
  type Interruption,
  type InterruptionRequest,
  type PendingCallStore,
  type Suspension,
  type Tool,
  type ToolExecutor,
  type ToolOutcome,
} from "@toolweave/core";
import type { CheckContext } from "../context/check.ts";
import { messageOf } from "../contract/finding.ts";
import type { SuspendingCall } from "../contract/manifest.ts";
import { once } from "../context/once.ts";
import { isObject } from "../schema/subschemas.ts";
import { watchGiven } from "../watching/given.ts";
import { watchSent, type Sent } from "../watching/sent.ts";
import { countOf } from "./effect-count.ts";
import type { CallResult } from "../execution/outcome.ts";
import { callLabel, executorOver, runSample } from "../execution/sample-run.ts";

/** Executors with the same key go on with each other's calls. */
const key = "conformance: what one executor seals, another one opens";

/** A call that asks more often than this is not going to end. */
const mostRounds = 10;

/** Executors that share what waits, as the processes of one host do. */
export class PersonStub {
  readonly #pendingCalls: PendingCallStore = memoryPendingCalls();

  /** An executor of its own over some tools, as another process would have it. */
  executor(tools: readonly Tool[], options: Omit<ExecutorOptions, "registry"> = {}): ToolExecutor {
    return executorOver(tools, { key, pendingCalls: this.#pendingCalls, ...options });
  }
}

/** How often the effect of a call has happened; 0 when nobody counts it. */
export async function effects(
  context: CheckContext,
  call: Pick<SuspendingCall, "count">,
): Promise<number> {
  return (await countOf(context, call)) ?? 0;
}

/** What a person says to a request. */
export type Say = (request: InterruptionRequest) => Answer;

/** A no to whatever is asked. */
export const refuse: Say = ({ id }) => ({ type: "reject", requestId: id, reason: "no" });

/**
 * Answers a waiting call as often as it asks; each time it has been text in between.
 *
 * @returns its outcome, which is `interrupted` when it does not stop to ask; and how often it asked.
 */
export async function answered(
  context: CheckContext,
  executor: ToolExecutor,
  interruption: Interruption,
  say: Say,
): Promise<{ readonly outcome: ToolOutcome; readonly rounds: number }> {
  const { injected } = context.manifest;
  let waiting = interruption;
  for (let round = 1; ; round++) {
    const kept = JSON.parse(JSON.stringify(waiting)) as Interruption;
    const outcome = await context.within(
      executor.resume(kept, kept.requests.map(say), injected === undefined ? {} : { injected }),
      `${kept.call.name} when it is answered`,
    );
    if (outcome.status !== "interrupted" || round === mostRounds) return { outcome, rounds: round };
    waiting = outcome.interruption;
  }
}

/** Makes a call that waits; `undefined`: it does not. */
export async function waitingCall(
  context: CheckContext,
  executor: ToolExecutor,
  call: SuspendingCall,
  id?: string,
): Promise<Interruption | undefined> {
  const outcome = await runSample(context, executor, call, {}, id);
  return outcome.status === "interrupted" ? outcome.interruption : undefined;
}

/** A sample call that waits for a person, and how it came to. */
export interface WaitingRun {
  readonly label: string;
  readonly call: SuspendingCall;
  readonly outcome: CallResult;
  /** Characters of its state as JSON; 0 when the tool gave none. */
  readonly stateLength: number;
}

/** Makes each call that waits; once for all rules. */
export function waitingRuns(context: CheckContext): Promise<readonly WaitingRun[]> {
  return once(context, "waiting calls", async () => {
    let stateLength = 0;
    const tools = watchGiven((await context.fresh()).callable(), (given) => {
      if ("returned" in given) stateLength = Math.max(stateLength, lengthOfState(given.returned));
    });
    const executor = new PersonStub().executor(tools);
    const runs: WaitingRun[] = [];
    for (const call of context.samples("suspendingCalls")) {
      stateLength = 0;
      const outcome = await runSample(context, executor, call).catch(messageOf);
      runs.push({ label: callLabel(call), call, outcome, stateLength });
      // Others may take as long; the first is enough to know.
      if (typeof outcome === "string") break;
    }
    return runs;
  });
}

/** What a call did while it waited. */
export interface WaitedRun {
  readonly label: string;
  readonly call: SuspendingCall;
  /** How often its effect happened. */
  readonly grown: number;
  readonly sent: readonly Sent[];
}

/** Makes each call that waits, and waits a moment with all of them; once for all rules. */
export function waitedRuns(context: CheckContext): Promise<readonly WaitedRun[]> {
  return once(context, "calls that have waited", async () => {
    const tools = (await context.fresh()).callable();
    const runs: Omit<WaitedRun, "grown">[] = [];
    const calls = context.samples("suspendingCalls");
    const before: number[] = [];
    for (const call of calls) before.push(await effects(context, call));
    for (const call of calls) {
      const sent: Sent[] = [];
      let isWaiting = false;
      const watchedTools = watchSent(tools, (one) => {
        if (isWaiting) sent.push(one);
      });
      await runSample(context, new PersonStub().executor(watchedTools), call);
      isWaiting = true;
      runs.push({ label: callLabel(call), call, sent });
    }
    await context.quiet();
    const waited: WaitedRun[] = [];
    for (const [at, run] of runs.entries()) {
      const grown = (await effects(context, run.call)) - (before[at] ?? 0);
      waited.push({ ...run, sent: [...run.sent], grown });
    }
    return waited;
  });
}

function lengthOfState(returned: unknown): number {
  if (!isObject(returned) || !("requests" in returned) || !("state" in returned)) return 0;
  const { state } = returned as unknown as Suspension;
  try {
    return (JSON.stringify(state) as string | undefined)?.length ?? 0;
  } catch {
    return 0;
  }
}
