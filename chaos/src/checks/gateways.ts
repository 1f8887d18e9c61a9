import type { StoredTask } from "@toolweave/core/stores";
import {
  groupByCall,
  toCallKey,
  type Answer,
  type ClientError,
  type Effect,
  type Fault,
  type History,
  type Violation,
} from "../history/history.ts";
import { toDigest, toResultText } from "../history/result-text.ts";

/** A task whose id a client has, and what the store has when everything has ended. */
export interface TaskCase {
  readonly runId: string;
  readonly callId: string;
  readonly taskId: string;
  readonly from: number;
  /** Its client has asked to cancel it. */
  readonly isCancelled: boolean;
  readonly stored: StoredTask | undefined;
}

/**
 * Milliseconds in which a gateway that was stopped closes its connections, until the end of the fault. A request that it
 * has not read by then is lost.
 */
const lastConnectionsMs = 1_000;

/** The history of gateways and their clients, besides the history of the calls. */
export interface GatewayHistory extends Pick<History, "effects" | "answers" | "faults"> {
  readonly errors: readonly ClientError[];
  readonly tasks: readonly TaskCase[];
}

/** Finds everything that gateways alone guarantee, and that does not hold. */
export function checkGateways(history: GatewayHistory): readonly Violation[] {
  return [
    ...checkClientErrors(history),
    ...checkResults(history),
    ...history.tasks.flatMap((task) => checkTask(task, history)),
  ];
}

/**
 * A client gets no error but those of a gateway that has ended:
 *
 * - 404 for its session, after which it starts another one;
 * - if the gateway was killed: for a request that was in flight, a lost connection or an error that says that the call
 *   may have run;
 * - if the gateway had drained: for a call of its session that was in flight, that it is shutting down; and, for a
 *   request that was in flight when it closed its connections, the same as after a kill. For a request that was sent when
 *   the gateway had had its time to drain, this can be at any time: it closes as soon as it has answered the others.
 */
export function checkClientErrors({
  errors,
  faults,
}: Pick<GatewayHistory, "errors" | "faults">): readonly Violation[] {
  return errors
    .filter((error) => !isExplained(error, faults))
    .map((error) => {
      const { client, holder, type, text } = error;
      const session = holder === undefined ? "" : `, session of ${holder}`;
      return {
        invariant: "client",
        text: `A client (${client}${session}) has got an error that no end of a gateway explains (${type}; ${describeLastFault(error, faults)}): ${text}`,
      };
    });
}

function describeLastFault({ from, until }: ClientError, faults: readonly Fault[]): string {
  const last = faults.findLast((fault) => fault.from <= until);
  if (last === undefined) return "before all faults";
  const { kind, worker, from: begun, until: ended } = last;
  return `from ${from - begun} to ${until - begun} ms after the ${kind} of ${worker}, which took ${ended - begun} ms`;
}

function isExplained(
  { type, holder, from, until }: ClientError,
  faults: readonly Fault[],
): boolean {
  const meanwhile = faults.filter((fault) => fault.from <= until && fault.until >= from);
  switch (type) {
    case "other":
      return false;
    case "session-lost":
      return holder === undefined
        ? meanwhile.length > 0
        : faults.some((fault) => fault.worker === holder && fault.from <= until);
    case "shutting-down":
      return meanwhile.some(({ kind, worker }) => kind === "drain" && worker === holder);
    default:
      return meanwhile.some(
        (fault) =>
          fault.kind === "kill" || fault.from <= from || fault.until - lastConnectionsMs <= until,
      );
  }
}

/** A result names the gateway whose effect is in the log. */
function checkResults({ answers, effects }: GatewayHistory): readonly Violation[] {
  const byCall = groupByCall(effects);
  return answers.flatMap((answer) => {
    if (answer.status !== "completed") return [];
    const [effect] = byCall.get(toCallKey(answer)) ?? [];
    const text = effect && toResultText(effect.worker, effect.callId);
    if (text === undefined || toDigest(text) === answer.digest) return [];
    return [{ invariant: "answer", text: `${answer.callId} has the result of another call.` }];
  });
}

/**
 * A task that was accepted is in the store until it expires. It ends; if the gateway that runs it ends first, its outcome
 * is unknown. Every client that asks receives what the store has.
 */
function checkTask(task: TaskCase, history: GatewayHistory): readonly Violation[] {
  const problem = findProblem(task, history);
  if (problem === undefined) return [];
  return [{ invariant: "task", text: `The task ${task.taskId} of ${task.callId} ${problem}.` }];
}

function findProblem(
  { stored, from, isCancelled, ...call }: TaskCase,
  { effects, answers, faults }: GatewayHistory,
): string | undefined {
  if (stored === undefined) return "was accepted, and is not in the store";
  const isOf = (entry: Effect | Answer): boolean => toCallKey(entry) === toCallKey(call);
  const outcome = toOutcome(stored);
  if (outcome === undefined) return `has not ended: it is ${stored.status}`;
  const [effect] = effects.filter(isOf);
  const ends = faults.filter(
    ({ worker, until }) => until >= from && (effect === undefined || effect.worker === worker),
  );
  const isExpected =
    outcome === "completed"
      ? effect !== undefined
      : outcome === "cancelled"
        ? isCancelled || ends.some(({ kind }) => kind === "drain")
        : outcome === "outcome_unknown" && ends.length > 0;
  if (!isExpected) {
    return `is ${outcome} in the store, which neither its client nor the end of a gateway explains`;
  }
  const reported = answers
    .filter((answer) => isOf(answer) && answer.isStored === true)
    .map(({ status, code }) => code ?? status);
  const other = reported.find((found) => found !== outcome);
  return other && `was reported as ${other}, and is ${outcome} in the store`;
}

/** `undefined`: it has not ended. */
function toOutcome({ status, error, lost }: StoredTask): string | undefined {
  if (lost === true) return "outcome_unknown";
  if (status === "working" || status === "input_required") return undefined;
  return error?.code ?? status;
}
