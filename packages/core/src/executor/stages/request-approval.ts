import { approvedPermissions, type ApprovedPermission } from "../../approvals/pending-call.ts";
import { noGrants, type Grant, type GrantProposal } from "../../contract/grant.ts";
import { changedSince, displayedDescription, newGrant } from "../../approvals/new-grant.ts";
import { specHashOf, type RegisteredTool } from "../../contract/tool.ts";
import { grantsUnavailable, matchingGrants } from "../../approvals/matching-grants.ts";
import type { AuditDecision, RecordedDecision } from "../../audit/audit-sink.ts";
import type { Decision } from "../../policy/decision.ts";
import { toRemedy } from "../../policy/remedy.ts";
import type { ApprovalRequest } from "../../contract/interruption.ts";
import type { JsonObject } from "../../json/json.ts";
import type { PermissionRequest } from "../../contract/policy-definition.ts";
import { redactCallForApproval } from "../../redaction/displayed-call.ts";
import { ToolError } from "../../contract/tool-error.ts";
import { emitIfStarting, recorded, formatRule } from "../call/record-decision.ts";
import type { CallState } from "../call/call-state.ts";
import { freezeJson } from "../../json/clone-json.ts";
import { InterruptSignal } from "../call/interrupt-signal.ts";
import { approverAnswer } from "../call/approver.ts";
import { notSerializableError } from "../call/to-tool-error.ts";
import { pauseDeadlineWhile } from "../context/pause-deadline.ts";

/** A permission for which the policy asks, with its decision. */
export interface ApprovalRequests {
  readonly permission: PermissionRequest;
  /** The same as the tool proposes it; `undefined`: the call itself. */
  readonly proposed: PermissionRequest | undefined;
  readonly decision: Decision;
}

/** A permission for which the policy asks, with its answer. */
interface Question extends ApprovalRequests {
  /** The grant that a person could give; absent: the rule asks every time. */
  readonly proposal: GrantProposal | undefined;
  agreed: ApprovedPermission | undefined;
  grant: Grant | undefined;
  /** The grant that would answer it, had the tool not changed. */
  outdated: Grant | undefined;
}

/**
 * Answers all permissions for which the policy asks: from a person's approval, from grants, or by asking now. Resolves
 * when all of them are approved.
 */
export async function answerAsks(
  execution: CallState,
  asked: readonly ApprovalRequests[],
): Promise<void> {
  const { resumption } = execution;
  const live = execution.guard();
  const hashes = live(await computeHashes(execution));
  const approval =
    resumption?.approval?.argumentsHash === hashes.argumentsHash ? resumption.approval : undefined;
  const agreedTo = approval && approvedPermissions(approval);
  const questions = asked.map(({ permission: asks, proposed, decision }): Question => {
    const permission = displayedPermission(asks);
    return {
      permission,
      proposed,
      decision,
      proposal: decision.ask === "always" ? undefined : proposalFor(execution, permission, hashes),
      agreed: agreedTo?.(permission),
      grant: undefined,
      outdated: undefined,
    };
  });
  const open = questions.filter(({ agreed }) => agreed === undefined);
  const proposals = open.map(({ proposal }) => proposal);
  const found = live(await matchingGrants(execution, proposals));
  for (const [index, question] of open.entries()) {
    question.grant = found[index]?.grant;
    question.outdated = found[index]?.outdated;
  }
  if (open.some(({ grant }) => grant === undefined)) {
    // The person sees all that the call needs, including what was approved before.
    const displayed = questions.filter(({ grant }) => grant === undefined);
    if (displayed.length > maxDisplayed) throw tooManyQuestions(execution, displayed.length);
    await ask(execution, displayed);
    live(execution);
  }
  await goAhead(execution, questions, hashes.argumentsHash);
}

/** Maximum number of requests that a person can read before deciding. */
const maxDisplayed = 100;

function tooManyQuestions({ call }: CallState, count: number): ToolError {
  return new ToolError(
    "permission_denied",
    `${call.name} needs approval for ${count} actions, and a person decides on ${maxDisplayed} at most. Split it into several calls.`,
    { audience: "model" },
  );
}

interface Hashes {
  readonly specHash: string;
  readonly argumentsHash: string;
}

/** @throws ToolError `internal` when the tool's spec cannot be read. */
export async function computeHashes(execution: CallState): Promise<Hashes> {
  try {
    const [specHash, argumentsHash] = await Promise.all([
      specHashOf(execution.tool),
      execution.engine.argumentsHash.of(execution.args),
    ]);
    return { specHash, argumentsHash };
  } catch (cause) {
    throw notSerializableError(execution, cause);
  }
}

/** A permission without the targets that only rules match. */
function displayedPermission({
  kind,
  target,
  summary,
  details,
}: PermissionRequest): PermissionRequest {
  return { kind, target, summary, ...(details === undefined ? {} : { details }) };
}

/** The grant that would be stored if `permission` is approved; `undefined`: the host wants none. */
export function proposalFor(
  { call, run, engine }: CallState,
  { kind, target }: PermissionRequest,
  { specHash, argumentsHash }: Hashes,
): GrantProposal | undefined {
  if (engine.grants === noGrants) return undefined;
  return {
    tool: call.name,
    specHash,
    permission: { kind, target },
    argumentsHash,
    ...(run.caller === undefined ? {} : { caller: run.caller }),
  };
}

async function ask(execution: CallState, questions: readonly Question[]): Promise<void> {
  const { engine, run, call, tool, parent } = execution;
  const entry = execution.entry as RegisteredTool;
  const args = execution.args as JsonObject;
  const { onAsk } = engine;
  if (onAsk === "deny") {
    execution.decided = decidedFor("denied", questions);
    throw new ToolError(
      "permission_denied",
      `${call.name} needs a person's approval, and none can be asked here; no person decided this. Continue without it.`,
    );
  }
  const description = displayedDescription(tool.spec);
  const requests = questions.map((question, index): ApprovalRequest => {
    const { permission, decision, proposal, outdated } = question;
    const { reason } = decision;
    const remedy = toRemedy(decision, entry, question.proposed);
    return {
      id: `${call.id}:${index + 1}`,
      type: "approval",
      permission,
      ...(description === undefined ? {} : { description }),
      reason: outdated === undefined ? reason : `${reason}. ${changedSince(outdated, tool.spec)}`,
      ...(remedy === undefined ? {} : { remedy }),
      ...(proposal === undefined ? {} : { grant: proposal }),
      ...(parent === undefined ? {} : { call: { id: call.id, name: call.name, arguments: args } }),
    };
  });
  if (onAsk === "interrupt") {
    execution.decided = decidedFor("asked", questions);
    throw new InterruptSignal(requests);
  }
  const displayed = redactCallForApproval(execution, { arguments: args, requests });
  const asking = approverAnswer(onAsk, {
    callId: call.id,
    runId: run.id,
    spec: tool.spec,
    arguments: freezeJson(displayed.arguments),
    requests: displayed.requests,
    ...(run.caller === undefined ? {} : { caller: run.caller }),
    get signal() {
      return execution.signal;
    },
  });
  const answer = await pauseDeadlineWhile(execution, asking);
  const { by } = answer;
  if (!answer.approved) {
    execution.decided = {
      ...decidedFor("rejected", questions),
      ...(answer.reason === undefined ? {} : { reason: answer.reason }),
      ...(by === undefined ? {} : { by }),
    };
    throw rejection(call.name, answer.reason);
  }
  const { grant } = answer;
  for (const question of questions) {
    question.agreed = {
      permission: question.permission,
      ...(by === undefined ? {} : { by }),
      ...(grant === undefined ? {} : { grant }),
    };
  }
}

/**
 * Completes the authorization of a call whose questions are all answered: records the decisions, then stores new
 * grants. In this order, so that no grant exists without a record of who gave it.
 */
async function goAhead(
  execution: CallState,
  questions: readonly Question[],
  argumentsHash: string,
): Promise<void> {
  const { engine, run, call } = execution;
  const agreed = questions.filter((question) => question.agreed !== undefined);
  const grants: Grant[] = [];
  const decided: RecordedDecision[] = [];
  const once: Question[] = [];
  for (const question of agreed) {
    const { proposal, agreed: yes } = question;
    if (proposal === undefined || yes?.grant === undefined) {
      once.push(question);
      continue;
    }
    const grant = newGrant(
      proposal,
      yes.grant,
      run,
      yes.by,
      engine.wallClock.now(),
      execution.tool.spec,
    );
    grants.push(grant);
    decided.push({ ...decidedFor("approved", [question]), grantId: grant.id });
  }
  if (once.length > 0) decided.push(decidedFor("approved", once));
  if (agreed.length > 0) {
    execution.approval = {
      argumentsHash,
      permissions: agreed.map(({ permission, agreed }) => ({
        permission,
        ...(agreed?.by === undefined ? {} : { by: agreed.by }),
      })),
    };
  }
  for (const question of questions) {
    if (question.grant === undefined) continue;
    decided.push({ ...decidedFor("granted", [question]), grantId: question.grant.id });
  }
  const live = execution.guard();
  await recorded(execution, decided);
  for (const grant of grants) {
    live(grant);
    try {
      await engine.grants.add(await engine.grantSeal.sign(grant));
    } catch (cause) {
      throw grantsUnavailable(call.name, cause);
    }
  }
  emitIfStarting(live(execution));
}

function decidedFor(decision: AuditDecision, questions: readonly Question[]): RecordedDecision {
  const first = questions[0]?.decision;
  const by = [...new Set(questions.flatMap(({ agreed }) => agreed?.by ?? []))].join(", ");
  return {
    decision,
    ...(first === undefined ? {} : { rule: formatRule(first), reason: first.reason }),
    permissions: questions.map(({ permission: { kind, target } }) => ({ kind, target })),
    ...(by === "" ? {} : { by }),
  };
}

/** The error that the model reads when a person has rejected a call. */
export function rejection(name: string, reason: string | undefined): ToolError {
  const stop = /[.!?…。！？]\s*$/u.test(reason ?? "") ? "" : ".";
  const why = reason === undefined || reason === "" ? "" : ` Reason: ${reason}${stop}`;
  return new ToolError(
    "approval_rejected",
    `A person rejected this call of ${name}.${why} Do not repeat it.`,
  );
}
