import type { ToolCall } from "../contract/tool-call.ts";
import type { Grant } from "../contract/grant.ts";
import { matchingGrants } from "../approvals/matching-grants.ts";
import { explainPermission, type Decision } from "../policy/decision.ts";
import { toRemedy } from "../policy/remedy.ts";
import type { PolicyEffect, PermissionRequest } from "../contract/policy-definition.ts";
import type { Toolset, ValidationProblem } from "../contract/tool.ts";
import type { JsonObject } from "../json/json.ts";
import type { Caller } from "../contract/caller.ts";
import { redactArguments } from "../redaction/displayed-call.ts";
import type { ToolError } from "../contract/tool-error.ts";
import { computeHashes, proposalFor } from "./stages/request-approval.ts";
import { readCall } from "./call/read-call.ts";
import { type CallServices, CallState } from "./call/call-state.ts";
import { toToolError } from "./call/to-tool-error.ts";
import { unwrapCallTool } from "./call/unwrap-call-tool.ts";
import { checkedPermissions, impliedPermission } from "./stages/permissions.ts";
import { copyArguments, parse } from "./stages/parse.ts";
import { resolve } from "./stages/resolve.ts";
import { removeInjected } from "./stages/remove-injected.ts";
import { getReportedProblems, toToolArguments, validate } from "./stages/validate.ts";
import { ExecutionPreflight } from "./context/tool-context.ts";

/** A call to explain. */
export interface ExplainedCall {
  /** The tool's name. */
  readonly name: string;
  /** As a model would send them. Absent: the call is explained as if its tool proposed nothing. */
  readonly arguments?: ToolCall["arguments"];
}

/** On whose behalf a call is explained. */
export interface ExplainOptions {
  readonly caller?: Caller;
  readonly sessionId?: string;
  /** Value that tools would receive as `ctx.injected`: some need it. */
  readonly injected?: unknown;
  /** Tools that may be called. Default: every tool that the policy may let run. */
  readonly toolset?: Toolset;
}

/** The decision on one permission of a call, and its reason. */
export interface ExplainedRequest {
  readonly permission: PermissionRequest;
  /** Effect of the policy. */
  readonly effect: PolicyEffect;
  /** The rule that decides: its id or place, `preset:supervised`, `default`, `needsApproval` or `function`. */
  readonly rule: string;
  /** Name of the policy that the rule belongs to. */
  readonly layer: string;
  readonly reason: string;
  /** With the effects `ask` and `deny`: what the host can change so that the call runs. */
  readonly remedy?: string;
  /** All decisions that were considered, including the deciding one. */
  readonly considered: readonly Decision[];
  /** The grant that would answer in place of a person. */
  readonly grant?: Grant;
}

/** The result that a call would have. */
export interface Explanation {
  readonly tool: string;
  /** The tool is in the toolset. */
  readonly advertised: boolean;
  /** `allow`: it would run; `ask`: a person would be asked first; `deny`: it would be refused. */
  readonly effect: PolicyEffect;
  readonly requests: readonly ExplainedRequest[];
  /** The error with which it would fail whatever the policy decides: unknown, not advertised, invalid arguments. */
  readonly problem?: ToolError;
  /**
   * If the arguments do not match the schema, or the tool's `validate` refuses them: each problem with its place, at
   * most 100.
   */
  readonly invalidArguments?: readonly ValidationProblem[];
  /** If the arguments are valid: as the tool would get them, without those that the host supplies. Secrets are masked. */
  readonly arguments?: JsonObject;
}

/** Runs stages 1 to 4 and 7 of a call that is not made: no hook is called, nothing is counted, no event is emitted. */
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
  let invalidArguments: readonly ValidationProblem[] | undefined;
  let validArguments: JsonObject | undefined;
  let proposed: readonly PermissionRequest[] = [];
  try {
    resolve(execution);
    if (args !== undefined) {
      parse(execution);
      removeInjected(execution);
      await validate(execution);
      validArguments = redactArguments(execution, execution.args as JsonObject) as JsonObject;
      proposed = await proposedBy(execution);
    }
  } catch (error) {
    problem = toToolError(execution, error);
    const problems = getReportedProblems(error);
    if (problems !== undefined) {
      invalidArguments = execution.redactor?.redactReport(problems) ?? problems;
    }
  }
  const advertised = execution.entry !== undefined;
  // A tool that the policy hides can still be explained.
  execution.entry ??= engine.registry.toolset().entry(call.name);
  const requests =
    execution.entry === undefined ? [] : await explained(execution, proposed, args !== undefined);
  const policy = findStrictest(requests);
  // With `onAsk: "deny"` a call that needs approval is refused.
  const isRefused = problem !== undefined || (policy === "ask" && engine.onAsk === "deny");
  return {
    tool: call.name,
    advertised,
    effect: isRefused ? "deny" : policy,
    requests,
    ...(problem === undefined ? {} : { problem }),
    ...(invalidArguments === undefined ? {} : { invalidArguments }),
    ...(validArguments === undefined ? {} : { arguments: validArguments }),
  };
}

async function proposedBy(execution: CallState): Promise<readonly PermissionRequest[]> {
  const { tool } = execution;
  if (tool.preflight === undefined) return [];
  const args = copyArguments(execution.call.name, execution.args);
  return checkedPermissions(
    execution,
    await tool.preflight(toToolArguments(execution, args), new ExecutionPreflight(execution)),
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
  const hashes = withArguments ? await computeHashes(execution).catch(() => undefined) : undefined;
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
    const proposal = index < itself.length ? undefined : permission;
    const remedy = toRemedy(decision, entry, proposal);
    return {
      permission,
      effect,
      rule,
      layer,
      reason,
      ...(remedy === undefined ? {} : { remedy }),
      considered,
      ...(grant === undefined ? {} : { grant }),
    };
  });
}

function findStrictest(requests: readonly ExplainedRequest[]): PolicyEffect {
  if (requests.some(({ effect }) => effect === "deny")) return "deny";
  return requests.some(({ effect, grant }) => effect === "ask" && grant === undefined)
    ? "ask"
    : "allow";
}
