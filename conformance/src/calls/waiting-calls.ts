import type {
  Answer,
  ExecutorOptions,
  Interruption,
  InterruptionRequest,
  Suspension,
  Tool,
  ToolExecutor,
  ToolOutcome,
} from "@toolweave/core";
import { isObject } from "@toolweave/core/adapter";
import { memoryPendingCalls, type PendingCallStore } from "@toolweave/core/stores";
import { memoizePerRun, type CheckContext } from "../context/check.ts";
import { formatError } from "../contract/finding.ts";
import type { SuspendingCall } from "../contract/manifest.ts";
import { observeAnswers } from "../observation/tool-observer.ts";
import { observeSent, type SentUpdate } from "./updating-calls.ts";
import { countEffects } from "./effect-count.ts";
import type { CallResult } from "../execution/call-result.ts";
import { formatCall, createExecutor, runSample } from "../execution/run-sample.ts";

/**
 * The key of all executors of the kit. Executors with the same key can resume each other's calls.
 */
const key = "conformance: what one executor seals, another one opens";

/** The maximum number of requests of one call until it counts as endless. */
const maxRounds = 10;

/** A group of executors that share pending calls, as the processes of one host do. */
export class PersonStub {
  readonly #pendingCalls: PendingCallStore = memoryPendingCalls();

  /** Creates another executor of the group for some tools, as another process would. */
  executor(tools: readonly Tool[], options: Omit<ExecutorOptions, "registry"> = {}): ToolExecutor {
    return createExecutor(tools, { key, pendingCalls: this.#pendingCalls, ...options });
  }
}

/** Counts how often the effect of a call has happened; 0 if it is not counted. */
export async function countEffectsOrZero(
  context: CheckContext,
  call: Pick<SuspendingCall, "count">,
): Promise<number> {
  return (await countEffects(context, call)) ?? 0;
}

/** Returns the answer of a person to a request. */
export type AnswerRequest = (request: InterruptionRequest) => Answer;

/** Rejects every request. */
export const rejectRequest: AnswerRequest = ({ id }) => ({
  type: "reject",
  requestId: id,
  reason: "no",
});

/**
 * Answers a waiting call as often as it asks. Each interruption is serialized to JSON in between.
 *
 * @returns the outcome, which is `interrupted` if the call does not stop asking, and the number of
 * answers.
 */
export async function answerUntilDone(
  context: CheckContext,
  executor: ToolExecutor,
  interruption: Interruption,
  answer: AnswerRequest,
): Promise<{ readonly outcome: ToolOutcome; readonly rounds: number }> {
  const { injected } = context.manifest;
  let waiting = interruption;
  for (let round = 1; ; round++) {
    const restored = JSON.parse(JSON.stringify(waiting)) as Interruption;
    const outcome = await context.withDeadline(
      executor.resume(
        restored,
        restored.requests.map(answer),
        injected === undefined ? {} : { injected },
      ),
      `${restored.call.name} when it is answered`,
    );
    if (outcome.status !== "interrupted" || round === maxRounds) return { outcome, rounds: round };
    waiting = outcome.interruption;
  }
}

/** Makes a call that waits; `undefined` if it does not wait. */
export async function interruptCall(
  context: CheckContext,
  executor: ToolExecutor,
  call: SuspendingCall,
  id?: string,
): Promise<Interruption | undefined> {
  const outcome = await runSample(context, executor, call, {}, id);
  return outcome.status === "interrupted" ? outcome.interruption : undefined;
}

/** A sample call that waits for a person, with its outcome. */
export interface WaitingRun {
  readonly label: string;
  readonly call: SuspendingCall;
  readonly outcome: CallResult;
  /** The number of characters of its state as JSON; 0 if there is none. */
  readonly stateLength: number;
}

/** Makes each call that waits, once for all rules. */
export function makeWaitingCalls(context: CheckContext): Promise<readonly WaitingRun[]> {
  return memoizePerRun(context, "waiting calls", async () => {
    let stateLength = 0;
    const tools = observeAnswers((await context.createReady()).callableTools(), (given) => {
      if ("returned" in given) stateLength = Math.max(stateLength, getStateLength(given.returned));
    });
    const executor = new PersonStub().executor(tools);
    const runs: WaitingRun[] = [];
    for (const call of context.samples("suspendingCalls")) {
      stateLength = 0;
      const outcome = await runSample(context, executor, call).catch(formatError);
      runs.push({ label: formatCall(call), call, outcome, stateLength });
      // Other calls may take as long; one is enough to fail.
      if (typeof outcome === "string") break;
    }
    return runs;
  });
}

/** The observations of a call while it waited. */
export interface WaitedRun {
  readonly label: string;
  readonly call: SuspendingCall;
  /** How often its effect happened. */
  readonly newEffects: number;
  readonly sent: readonly SentUpdate[];
}

/** Makes each call that waits, and observes all of them for a moment, once for all rules. */
export function observeWaitingCalls(context: CheckContext): Promise<readonly WaitedRun[]> {
  return memoizePerRun(context, "calls that have waited", async () => {
    const tools = (await context.createReady()).callableTools();
    const runs: Omit<WaitedRun, "newEffects">[] = [];
    const calls = context.samples("suspendingCalls");
    const before: number[] = [];
    for (const call of calls) before.push(await countEffectsOrZero(context, call));
    for (const call of calls) {
      const sent: SentUpdate[] = [];
      let isWaiting = false;
      const watchedTools = observeSent(tools, (one) => {
        if (isWaiting) sent.push(one);
      });
      await runSample(context, new PersonStub().executor(watchedTools), call);
      isWaiting = true;
      runs.push({ label: formatCall(call), call, sent });
    }
    await context.waitQuietly();
    const waited: WaitedRun[] = [];
    for (const [at, run] of runs.entries()) {
      const newEffects = (await countEffectsOrZero(context, run.call)) - (before[at] ?? 0);
      waited.push({ ...run, sent: [...run.sent], newEffects });
    }
    return waited;
  });
}

function getStateLength(returned: unknown): number {
  if (!isObject(returned) || !("requests" in returned) || !("state" in returned)) return 0;
  const { state } = returned as unknown as Suspension;
  try {
    return (JSON.stringify(state) as string | undefined)?.length ?? 0;
  } catch {
    return 0;
  }
}
