import type { Grant } from "../contract/grant.ts";
import { matchingGrants } from "../approvals/matching-grants.ts";
import { explainPermission } from "../policy/decide.ts";
import type { Decision } from "../policy/decision.ts";
import type { PolicyEffect } from "../contract/policy-definition.ts";
import type { Toolset } from "../contract/tool.ts";
import type { Caller } from "../contract/caller.ts";
import type { JsonObject } from "../json/json.ts";
import type { PermissionRequest } from "../contract/permission-request.ts";
import type { ToolError } from "../contract/tool-error.ts";
import { hashesOf, proposalFor } from "./stages/request-approval.ts";
import { readCall } from "./call/read-call.ts";
import { type CallServices, CallState } from "./call/call-state.ts";
import { toToolError } from "./call/to-tool-error.ts";
import { unwrapCallTool } from "./call/unwrap-call-tool.ts";
import { checkedPermissions, impliedPermission } from "./stages/permissions.ts";
import { copyArguments, parse } from "./stages/parse.ts";
import { resolve } from "./stages/resolve.ts";
import { removeInjected } from "./stages/remove-injected.ts";
import { validate } from "./stages/validate.ts";
import { ExecutionPreflight } from "./context/tool-context.ts";

/** A call to be explained. */
export interface ExplainedCall {
  /** The tool's name. */
  readonly name: string;
  /** As a model would send them. Absent: the call is explained as if its tool proposed nothing. */
  readonly arguments?: string | JsonObject;
}

/** For whom a call is explained. */
export interface ExplainOptions {
  readonly caller?: Caller;
  readonly sessionId?: string;
  /** What tools would get as `ctx.injected`: some need it. */
  readonly injected?: unknown;
  /** What may be called. Default: everything the policy may let run. */
  readonly toolset?: Toolset;
}

/** What is decided about one permission of a call, and why. */
export interface ExplainedRequest {
  readonly permission: PermissionRequest;
  /** What the policy says. */
  readonly effect: PolicyEffect;
  /** What decides: a rule's id or place, `preset:supervised`, `default` or `function`. */
  readonly rule: string;
  /** The name of the policy that it belongs to. */
  readonly layer: string;
  readonly reason: string;
  /** Everything that was weighed, the deciding one included. */
  readonly considered: readonly Decision[];
  /** Answers for a person. */
  readonly grant?: Grant;
}

/** What would become of a call. */
export interface Explanation {
  readonly tool: string;
  /** It may be called at all: it is in the toolset. */
  readonly advertised: boolean;
  /** `allow`: it would run; `ask`: a person would be asked first; `deny`: it would be refused. */
  readonly effect: PolicyEffect;
  readonly requests: readonly ExplainedRequest[];
  /** Why it would fail whatever the policy says: unknown, not advertised, invalid arguments. */
  readonly problem?: ToolError;
}

/** Stages 1 to 4 and 7 of a call that is not made: no hook is asked, nothing counted, nobody told. */
export async function explain(
  engine: CallServices,
  { name, arguments: args }: ExplainedCall,
  { caller, sessionId, injected, toolset }: ExplainOptions,
): Promise<Explanation> {
  const run = engine.executor.startRun({
    ...(caller === undefined ? {} : { caller }),
    ...(sessionId === undefined ? {} : { sessionId }),
    ...(injected === undefined ? {} : { injected }),
    ...(toolset === undefined ? {} : { toolset }),
  });
  const listed = run.toolset;
  const call = unwrapCallTool(readCall({ id: "explained", name, arguments: args ?? {} }), listed);
  const execution = new CallState(engine, run, call, listed, engine.policies);
  let problem: ToolError | undefined;
  let proposed: readonly PermissionRequest[] = [];
  try {
    resolve(execution);
    if (args !== undefined) {
      parse(execution);
      removeInjected(execution);
      await validate(execution);
      proposed = await proposedBy(execution);
    }
  } catch (error) {
    problem = toToolError(execution, error);
  }
  const advertised = execution.entry !== undefined;
  // What the policy hides, it can still say why.
  execution.entry ??= engine.registry.toolset().entry(call.name);
  const requests =
    execution.entry === undefined ? [] : await explained(execution, proposed, args !== undefined);
  const policy = strictestOf(requests);
  // Where nobody can be asked, what would be asked about is refused.
  const isRefused = problem !== undefined || (policy === "ask" && engine.onAsk === "deny");
  return {
    tool: call.name,
    advertised,
    effect: isRefused ? "deny" : policy,
    requests,
    ...(problem === undefined ? {} : { problem }),
  };
}

async function proposedBy(execution: CallState): Promise<readonly PermissionRequest[]> {
  const { tool } = execution;
  if (tool.preflight === undefined) return [];
  const args = copyArguments(execution.call.name, execution.args);
  return checkedPermissions(
    execution,
    await tool.preflight(args, new ExecutionPreflight(execution)),
  );
}

async function explained(
  execution: CallState,
  proposed: readonly PermissionRequest[],
  withArguments: boolean,
): Promise<readonly ExplainedRequest[]> {
  const { run, entry, policies, args = {} } = execution;
  if (entry === undefined) return [];
  const itself = proposed.length === 0 || !entry.trusted ? [undefined] : [];
  const explained = await Promise.all(
    [...itself, ...proposed].map(async (permission) => ({
      permission: permission ?? impliedPermission(execution),
      ...(await explainPermission(policies, {
        entry,
        permission,
        caller: run.caller,
        arguments: args,
      })),
    })),
  );
  const hashes = withArguments ? await hashesOf(execution).catch(() => undefined) : undefined;
  const grants = await matchingGrants(
    execution,
    explained.map(({ permission, decision }) =>
      hashes === undefined || decision.effect !== "ask" || decision.ask === "always"
        ? undefined
        : proposalFor(execution, permission, hashes),
    ),
  );
  const redactor = execution.redactor;
  return explained.map(({ permission: asked, decision, considered }, index) => {
    const { effect, rule, layer, reason } = decision;
    const grant = grants[index]?.grant;
    const permission = redactor?.redactReport(asked) ?? asked;
    const found = { permission, effect, rule, layer, reason, considered };
    return grant === undefined ? found : { ...found, grant };
  });
}

function strictestOf(requests: readonly ExplainedRequest[]): PolicyEffect {
  if (requests.some(({ effect }) => effect === "deny")) return "deny";
  return requests.some(({ effect, grant }) => effect === "ask" && grant === undefined)
    ? "ask"
    : "allow";
}
