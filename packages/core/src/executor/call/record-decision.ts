import type { RecordedDecision } from "../../audit/audit-sink.ts";
import type { Decision } from "../../policy/decision.ts";
import { isThenable, type Awaitable } from "../../json/json.ts";
import type { CallState } from "./call-state.ts";

/** Names the rule for events and the audit: its policy, and its place or id there. */
export function formatRule({ layer, rule }: Decision): string {
  return `${layer} ${rule}`;
}

/**
 * Records that the call may start, then emits it. For a call that is only admitted, the event follows when it starts.
 */
export function recordAuthorized(
  execution: CallState,
  decided: readonly RecordedDecision[],
): Awaitable<void> {
  const recording = recorded(execution, decided);
  if (!isThenable(recording)) return emitIfStarting(execution);
  const live = execution.guard();
  return recording.then(() => emitIfStarting(live(execution)));
}

/** Stores the decisions, and writes them to the audit if there is one. */
export function recorded(
  execution: CallState,
  decided: readonly RecordedDecision[],
): Awaitable<void> {
  [execution.decided] = decided;
  return execution.engine.audit === undefined ? undefined : recordAll(execution, decided);
}

async function recordAll(
  execution: CallState,
  decided: readonly RecordedDecision[],
): Promise<void> {
  const live = execution.guard();
  for (const one of decided) await live(execution).engine.audit?.write(execution, one);
}

/** Emits the authorization now, unless the call is only admitted. */
export function emitIfStarting(execution: CallState): void {
  if (!execution.onlyAdmitted) emitAuthorized(execution);
}

/** Emits the decision because of which the call may start. */
export function emitAuthorized(execution: CallState): void {
  const { engine, decided } = execution;
  if (decided === undefined) return;
  engine.events.authorized(execution, decided);
}
