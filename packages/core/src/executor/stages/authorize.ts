import { isThenable, promised, type Awaitable, type JsonObject } from "../../json/json.ts";
import type { PermissionRequest } from "../../contract/policy-definition.ts";
import type { RecordedDecision } from "../../audit/audit-sink.ts";
import { reserveSpend } from "../../limits/spend.ts";
import { decideByTool, decidePermission, type Decision } from "../../policy/decision.ts";
import type { RegisteredTool } from "../../contract/tool.ts";
import { ToolError } from "../../contract/tool-error.ts";
import type { ApprovalRequests } from "./request-approval.ts";
import { recordAuthorized, formatRule } from "../call/record-decision.ts";
import type { CallState } from "../call/call-state.ts";
import { answerWithin } from "../../contract/call-info.ts";
import { checkedPermissions, impliedPermission } from "./permissions.ts";
import { ExecutionPreflight } from "../context/tool-context.ts";
import { toToolArguments } from "./validate.ts";

/** A permission that a call requests; `undefined`: the call itself. */
type Subject = PermissionRequest | undefined;

/** Stage 7: evaluates the policy for the final arguments. The call is refused, needs approval, or continues. */
export function authorize(execution: CallState): Awaitable<void> {
  const { tool } = execution;
  return tool.preflight === undefined
    ? evaluate(execution, nothingProposed)
    : evaluateProposed(
        execution,
        tool.preflight(
          toToolArguments(execution, execution.args as JsonObject),
          new ExecutionPreflight(execution),
        ),
      );
}

function evaluateProposed(
  execution: CallState,
  proposed: Awaitable<readonly PermissionRequest[]>,
): Awaitable<void> {
  if (!isThenable(proposed)) return evaluate(execution, checkedPermissions(execution, proposed));
  const { hookTimeoutMs } = execution.engine;
  const live = execution.guard();
  // Stopped during the preflight: no approval must be requested any more.
  return answerWithin(execution, hookTimeoutMs, promised(proposed), () =>
    preflightTimeoutError(execution),
  ).then((requests) => evaluate(execution, checkedPermissions(execution, live(requests))));
}

function preflightTimeoutError({ call, engine }: CallState): ToolError {
  return new ToolError(
    "execution_failed",
    `${call.name} was not run: its preflight did not answer within ${engine.hookTimeoutMs} ms.`,
  );
}

const nothingProposed: readonly PermissionRequest[] = [];

function evaluate(execution: CallState, proposed: readonly PermissionRequest[]): Awaitable<void> {
  if (proposed !== nothingProposed) execution.permissions = proposed;
  const reserved = reserveSpend(execution, proposed);
  if (!isThenable(reserved)) return decideAll(execution, chooseSubjects(execution, proposed));
  const live = execution.guard();
  return reserved.then(() => decideAll(live(execution), chooseSubjects(execution, proposed)));
}

const onlyTheCall: readonly Subject[] = [undefined];

/**
 * For a trusted tool the proposed permissions replace the call itself; for any other they are evaluated in addition.
 */
function chooseSubjects(
  { entry }: CallState,
  proposed: readonly PermissionRequest[],
): readonly Subject[] {
  if (proposed.length === 0) return onlyTheCall;
  return entry?.trusted === true ? proposed : [undefined, ...proposed];
}

function decideAll(execution: CallState, subjects: readonly Subject[]): Awaitable<void> {
  if (subjects.length > 1) return decideSeveral(execution, subjects);
  const decision = decide(execution, subjects[0]);
  if (isThenable(decision)) return decideEach(execution, subjects, [decision]);
  // The usual case: the call is allowed, and neither a listener nor the audit needs the decision.
  if (decision.effect === "allow" && !isWatched(execution)) return;
  return judge(execution, subjects, [decision]);
}

function decideSeveral(execution: CallState, subjects: readonly Subject[]): Awaitable<void> {
  const decisions = subjects.map((subject) => decide(execution, subject));
  return decisions.some((decision) => isThenable(decision))
    ? decideEach(execution, subjects, decisions)
    : judge(execution, subjects, decisions as Decision[]);
}

async function decideEach(
  execution: CallState,
  subjects: readonly Subject[],
  pending: readonly Awaitable<Decision>[],
): Promise<void> {
  const live = execution.guard();
  const deciding = Promise.all(pending);
  let decisions: readonly Decision[];
  try {
    decisions = await answerWithin(execution, execution.engine.hookTimeoutMs, deciding);
  } catch (cause) {
    decisions = [{ ...undecided, cause }];
  }
  return judge(execution, subjects, live(decisions));
}

/** A policy layer that times out denies, like one that throws. */
const undecided: Decision = Object.freeze({
  effect: "deny",
  reason: "policy: it did not decide in time",
  rule: "function",
  layer: "policy",
});

function decide(execution: CallState, permission: Subject): Awaitable<Decision> {
  const { policies, run, args } = execution;
  const entry = execution.entry as RegisteredTool;
  // For most calls the tool alone decides.
  const known = permission === undefined ? decideByTool(policies, entry) : undefined;
  if (known !== undefined) return known;
  return decidePermission(policies, {
    entry,
    permission,
    caller: run.caller,
    arguments: args as JsonObject,
  });
}

/** A deny of any layer refuses the call; an ask outweighs an allow. */
function judge(
  execution: CallState,
  subjects: readonly Subject[],
  decisions: readonly Decision[],
): Awaitable<void> {
  let asked: ApprovalRequests[] | undefined;
  for (let index = 0; index < decisions.length; index++) {
    const decision = decisions[index] as Decision;
    if (decision.effect === "deny") throw denial(execution, subjects[index], decision);
    if (decision.effect === "ask") {
      (asked ??= []).push({
        permission: subjects[index] ?? impliedPermission(execution),
        proposed: subjects[index],
        decision,
      });
    }
  }
  if (asked !== undefined) return askFor(execution, asked);
  if (!isWatched(execution)) return;
  return recordAuthorized(execution, [
    decidedBy("allowed", decisions.at(-1) as Decision, subjects),
  ]);
}

async function askFor(execution: CallState, asked: readonly ApprovalRequests[]): Promise<void> {
  const live = execution.guard();
  const { answerAsks } = await import("./request-approval.ts");
  return answerAsks(live(execution), asked);
}

/** True when the decision has to be recorded, emitted, or kept for the event at the start. */
function isWatched({ engine, onlyAdmitted }: CallState): boolean {
  return engine.events.active || engine.audit !== undefined || onlyAdmitted;
}

function denial(execution: CallState, subject: Subject, decision: Decision): ToolError {
  execution.decided = decidedBy("denied", decision, [subject]);
  return new ToolError(
    "permission_denied",
    `${execution.call.name} is not permitted (${decision.reason}). Do not try it again; say what you need instead.`,
    { cause: decision.cause },
  );
}

function decidedBy(
  decided: "allowed" | "denied",
  decision: Decision,
  subjects: readonly Subject[],
): RecordedDecision {
  return {
    decision: decided,
    rule: formatRule(decision),
    reason: decision.reason,
    permissions: subjects === onlyTheCall ? noPermissions : toPermissions(subjects),
  };
}

const noPermissions: RecordedDecision["permissions"] = Object.freeze([]);

function toPermissions(subjects: readonly Subject[]): RecordedDecision["permissions"] {
  return subjects.flatMap((subject) =>
    subject === undefined ? [] : [{ kind: subject.kind, target: subject.target }],
  );
}
