import {
  groupBy,
  groupByCall,
  toCallKey,
  type History,
  type Violation,
} from "../history/history.ts";

/** I1: no call has two effects. */
export function checkEffectsAtMostOnce({
  effects,
}: Pick<History, "effects">): readonly Violation[] {
  return [...groupByCall(effects)].flatMap(([call, found]) =>
    found.length < 2
      ? []
      : [
          {
            invariant: "I1",
            text: `${call} has ${found.length} effects, of ${found.map(({ worker, attempt }) => `${worker} (${attempt})`).join(", ")}.`,
          },
        ],
  );
}

/** I2: no approval leads to two calls, and no call that needs one runs without one. */
export function checkApprovalsUsedOnce({
  effects,
  approvals,
  audit,
}: Pick<History, "effects" | "approvals" | "audit">): readonly Violation[] {
  const violations: Violation[] = [];
  const report = (text: string): void => void violations.push({ invariant: "I2", text });
  const approved = audit.filter(({ decision }) => decision === "approved");
  for (const [id, records] of groupBy(approved, ({ interruptionId }) => interruptionId ?? "")) {
    if (records.length > 1) report(`The interruption ${id} was approved ${records.length} times.`);
  }
  const approvedIds = new Set(approved.map(({ interruptionId }) => interruptionId));
  const effectsByCall = groupByCall(effects);
  for (const [call, cases] of groupByCall(approvals)) {
    const used = cases.filter(({ interruptionId }) => approvedIds.has(interruptionId)).length;
    const count = effectsByCall.get(call)?.length ?? 0;
    if (count > used) report(`${call} has ${count} effects with ${used} approvals.`);
  }
  return violations;
}

/**
 * Every approved call has run, unless the store was unavailable for it. Holds as long as no process ends, and the faults
 * are lost answers.
 */
export function checkApprovedCallsRan({
  effects,
  answers,
  approvals,
}: Pick<History, "effects" | "answers" | "approvals">): readonly Violation[] {
  const ran = groupByCall(effects);
  const answersByCall = groupByCall(answers);
  return approvals.map(toCallKey).flatMap((call) => {
    const codes = (answersByCall.get(call) ?? []).map(({ code }) => code);
    if (ran.has(call) || codes.includes("store_unavailable")) return [];
    return [{ invariant: "once", text: `${call} was approved, and has not run.` }];
  });
}

/** Codes of errors with which a call was refused: its tool has not started. */
const refusals: ReadonlySet<string> = new Set([
  "approval_rejected",
  "invalid_arguments",
  "limit_exceeded",
  "not_advertised",
  "not_found",
  "permission_denied",
  "rate_limited",
]);

/** I5: a completed call has exactly one effect, and a refused attempt has none. */
export function checkAnswersMatchEffects({
  effects,
  answers,
}: Pick<History, "effects" | "answers">): readonly Violation[] {
  const byCall = groupByCall(effects);
  const byAttempt = groupBy(effects, ({ attempt }) => attempt);
  return answers.flatMap((answer) => {
    const call = toCallKey(answer);
    if (answer.status === "completed" && byCall.get(call)?.length !== 1) {
      const count = byCall.get(call)?.length ?? 0;
      return [
        { invariant: "I5", text: `${call} was reported as completed, with ${count} effects.` },
      ];
    }
    const isRefused = answer.hasNotRun === true || refusals.has(answer.code ?? "");
    if (isRefused && byAttempt.has(answer.attempt)) {
      const reason = `${answer.code ?? answer.status}, attempt ${answer.attempt}`;
      return [{ invariant: "I5", text: `${call} was refused (${reason}), and has an effect.` }];
    }
    return [];
  });
}

/** I6: an outcome is unknown only if the call was in flight during a fault. */
export function checkUnknownsHaveCauses({
  answers,
  attempts,
  faults,
}: Pick<History, "answers" | "attempts" | "faults">): readonly Violation[] {
  const attemptsByCall = groupByCall(attempts);
  const wasInFlight = (call: string): boolean =>
    (attemptsByCall.get(call) ?? []).some((attempt) =>
      faults.some(
        ({ worker, runId, from, until }) =>
          (worker === undefined || worker === attempt.worker) &&
          (runId === undefined || runId === attempt.runId) &&
          from <= (attempt.until ?? Infinity) &&
          until >= attempt.from,
      ),
    );
  return [...findUnknownCalls(answers)]
    .filter((call) => !wasInFlight(call))
    .map((call) => ({
      invariant: "I6",
      text: `${call} has an unknown outcome, and was not in flight during a fault.`,
    }));
}

/** The calls whose outcome was reported as unknown. */
export function findUnknownCalls(answers: History["answers"]): ReadonlySet<string> {
  return new Set(answers.filter(({ code }) => code === "outcome_unknown").map(toCallKey));
}
