import { isThenable, type Awaitable, type JsonObject } from "../../spec/json.ts";
import type { ApprovalRequest } from "../../spec/interruption.ts";
import type { PermissionRequest } from "../../spec/permission-request.ts";
import { canonicalJson } from "../../schema/canonical-json.ts";
import { decide, type Decision } from "../../policy/decide.ts";
import { ToolError } from "../../tool-error.ts";
import type { Execution } from "../execution.ts";
import { frozenCopy } from "../frozen-copy.ts";
import { Interrupted } from "../interrupted.ts";
import type { AskAnswer } from "../on-ask.ts";
import { preflightContext } from "../tool-context.ts";

interface Asked {
  readonly permission: PermissionRequest;
  readonly reason: string;
}

/** Stage 7: what the final arguments intend → the policy → refuse, ask, or go on. */
export function authorize(execution: Execution): Awaitable<void> {
  const { tool } = execution;
  if (tool.preflight === undefined) return decideAll(execution, nothingProposed);
  const proposed = tool.preflight(execution.args as JsonObject, preflightContext(execution));
  return isThenable(proposed)
    ? proposed.then((requests) => decideAll(execution, requests))
    : decideAll(execution, proposed);
}

const nothingProposed: readonly PermissionRequest[] = [];

function decideAll(execution: Execution, proposed: readonly PermissionRequest[]): Awaitable<void> {
  // Stopped while the tool was asked: nobody is to be bothered any more.
  if (execution.ended) return;
  let asked: Asked[] | undefined;
  let reason = "";
  // A trusted tool says what the call comes to; what any other says can only be asked for besides.
  if (proposed.length === 0 || execution.entry?.trusted !== true) {
    const decision = strictest(execution, undefined);
    if (decision.effect === "ask")
      asked = [{ permission: implied(execution), reason: decision.reason }];
    reason = decision.reason;
  }
  for (const permission of proposed) {
    const decision = strictest(execution, permission);
    if (decision.effect === "ask") (asked ??= []).push({ permission, reason: decision.reason });
    reason = decision.reason;
  }
  if (asked !== undefined) {
    if (!approved(execution, asked)) return ask(execution, asked);
    execution.approval = execution.resumption?.approval;
  }
  authorized(execution, asked === undefined ? "allow" : "approved", asked?.[0]?.reason ?? reason);
}

/** Tells that the call may start; of one that is only admitted, it is kept for when it does. */
function authorized(
  execution: Execution,
  decision: "allow" | "approved",
  reason: string | undefined,
): void {
  const { events } = execution.engine;
  if (execution.onlyAdmitted) execution.authorization = { decision, reason };
  else if (events.active) events.emitCall(execution, { type: "tool.authorized", decision, reason });
}

/** Any deny refuses the call, and any ask outweighs an allow, whichever layer says so. */
function strictest(execution: Execution, request: PermissionRequest | undefined): Decision {
  const { policies, entry, call } = execution;
  let strictest: Decision | undefined;
  for (const policy of policies) {
    const decision = decide(policy, entry as NonNullable<typeof entry>, request);
    if (decision.effect === "deny") {
      throw new ToolError(
        "permission_denied",
        `${call.name} is not permitted (${decision.reason}). Do not try it again; say what you need instead.`,
      );
    }
    if (strictest === undefined || decision.effect === "ask") strictest = decision;
  }
  return strictest as Decision;
}

/** What a call means to do when its tool proposes nothing. */
function implied({ tool, call }: Execution): PermissionRequest {
  const access = tool.spec.annotations.access;
  const kind =
    access?.spend === true
      ? "spend"
      : access?.process === true
        ? "process"
        : access?.filesystem === "write"
          ? "fs.write"
          : "custom.call";
  const title = tool.spec.title ?? tool.spec.annotations.title;
  return {
    kind,
    target: call.name,
    summary: title === undefined ? `Call ${call.name}` : `${title} (${call.name})`,
  };
}

/** A person has agreed to exactly these arguments and at least these permissions. */
function approved({ args, resumption }: Execution, asked: readonly Asked[]): boolean {
  const approval = resumption?.approval;
  return (
    approval !== undefined &&
    approval.arguments === canonicalJson(args) &&
    asked.every(({ permission }) => approval.permissions.has(canonicalJson(permission)))
  );
}

function ask(execution: Execution, asked: readonly Asked[]): Awaitable<void> {
  const { engine, run, call, tool } = execution;
  const requests = asked.map(({ permission, reason }, index): ApprovalRequest => ({
    id: `${call.id}:${index + 1}`,
    type: "approval",
    permission,
    reason,
  }));
  const { onAsk } = engine;
  if (onAsk === "interrupt") throw new Interrupted(requests);
  if (onAsk === "deny") {
    throw new ToolError(
      "permission_denied",
      `${call.name} needs a person's approval, and none can be asked here; no person decided this. Go on without it.`,
    );
  }
  const obtain = async (): Promise<AskAnswer> =>
    onAsk({
      callId: call.id,
      runId: run.id,
      spec: tool.spec,
      arguments: frozenCopy(execution.args as JsonObject),
      requests,
      ...(run.caller === undefined ? {} : { caller: run.caller }),
    });
  return obtain().then(
    (answer) => answered(execution, answer, asked),
    (error: unknown) => {
      throw new ToolError(
        "permission_denied",
        `${call.name} was refused because the approval could not be obtained; no person decided this.`,
        { cause: error, audience: "host" },
      );
    },
  );
}

function answered(execution: Execution, answer: AskAnswer, asked: readonly Asked[]): void {
  if (execution.ended) return;
  if (answer?.approved !== true) throw rejection(execution.call.name, answer?.reason);
  execution.approval = {
    arguments: canonicalJson(execution.args),
    permissions: new Set(asked.map(({ permission }) => canonicalJson(permission))),
  };
  authorized(execution, "approved", asked[0]?.reason);
}

/** What the model reads when a person has said no. */
export function rejection(name: string, reason: string | undefined): ToolError {
  const why = reason === undefined || reason === "" ? "" : ` Reason: ${reason}`;
  return new ToolError(
    "approval_rejected",
    `A person rejected this call of ${name}.${why} Do not repeat it.`,
  );
}
