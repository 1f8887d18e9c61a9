import type { ExecutorOptions, PolicyFunction, Tool, PermissionRequest } from "@toolweave/core";
import { countEffects } from "../../calls/effect-count.ts";
import { formatOutcome } from "../../execution/call-result.ts";
import { formatCall, createExecutor, labelCalls, runSample } from "../../execution/run-sample.ts";
import { defineCheck, type Check, type CheckContext } from "../../context/check.ts";
import { failed, notApplicable, passed, type Finding, type Fault } from "../../contract/finding.ts";
import { checkEach } from "../../faults/check-each.ts";
import type { EffectCall } from "../../contract/manifest.ts";
import {
  checkProposals,
  maxRepeatedProposals,
  findPermissionFault,
  passesValidation,
  validPermissions,
  runPreflight,
  type Proposal,
  type ProposingTool,
} from "../../calls/proposals.ts";

/** Checks of declared and actual effects. */
export const effectPermissionChecks: readonly Check[] = [
  defineCheck("TW-PERM-002", async (context) => {
    const tools = (await context.createReady()).callableTools();
    const calls = labelCalls(context.samples("effectCalls"));
    return checkEach(calls, "Read the annotations of each tool that has an effect", ({ call }) => {
      const annotations = findTool(tools, call)?.spec.annotations;
      return annotations?.readOnlyHint === true
        ? { wrong: "has an effect but is marked as read-only", seen: annotations }
        : undefined;
    });
  }),

  defineCheck("TW-PERM-008", async (context) => {
    const tools = (await context.createReady()).callableTools();
    const calls = context.samples("effectCalls");
    for (const call of calls) {
      const finding = await checkRefusals(context, tools, call);
      if (finding !== undefined) return finding;
    }
    return passed(`Denied and rejected ${calls.length} sample calls, each in three ways.`);
  }),

  defineCheck("TW-PERM-009", async (context) => {
    const tools = (await context.createReady()).callableTools();
    const own = (call: EffectCall): boolean =>
      findTool(tools, call)?.spec.provenance.adapter === "code";
    const calls = labelCalls(context.samples("effectCalls").filter(own));
    if (calls.length === 0) {
      return notApplicable("No sample call with an effect uses a function of the host.");
    }
    const done = "Ran the preflights of the host's functions with effects";
    return checkEach(calls, done, ({ call }) => findUndeclaredEffect(context, tools, call));
  }),
];

function findTool(tools: readonly Tool[], { tool }: EffectCall): Tool | undefined {
  return tools.find(({ spec }) => spec.name === tool);
}

/** Creates a policy that always returns the same decision, after the preflight. */
function alwaysDecide(answer: "ask" | "deny"): PolicyFunction {
  return () => answer;
}

interface Refusal {
  readonly done: string;
  readonly options: Omit<ExecutorOptions, "registry">;
  readonly code: string;
}

const refusals: readonly Refusal[] = [
  {
    done: "Called it under a policy that denies the call.",
    options: { policy: ["autonomous", alwaysDecide("deny")] },
    code: "permission_denied",
  },
  {
    done: "Had a person reject the call.",
    options: { policy: ["autonomous", alwaysDecide("ask")], onAsk: () => ({ approved: false }) },
    code: "approval_rejected",
  },
  {
    done: "Called it under a policy that asks, without an approver.",
    options: { policy: ["autonomous", alwaysDecide("ask")], onAsk: "deny" },
    code: "permission_denied",
  },
];

async function checkRefusals(
  context: CheckContext,
  tools: readonly Tool[],
  call: EffectCall,
): Promise<Finding | undefined> {
  const count = (): Promise<number> => countEffects(context, call);
  const label = formatCall(call);
  const tool = findTool(tools, call);
  const first = await count();
  for (const { done, options, code } of refusals) {
    const before = await count();
    const outcome = await runSample(context, createExecutor(tools, options), call);
    const newEffects = (await count()) - before;
    if (newEffects !== 0) {
      // More effects may follow, and other rules count them too.
      await context.waitQuietly();
      return failed(
        `${label} has its effect although it was refused: preflight and validate must not have effects.`,
        done,
        `${newEffects} more`,
      );
    }
    if (outcome.status !== "failed" || outcome.error.code !== code) {
      return failed(`${label} does not end with ${code}.`, done, formatOutcome(outcome));
    }
  }
  // No code of the tool has run that could have an effect later.
  if (tool?.preflight === undefined && tool?.validate === undefined) return undefined;
  await context.waitQuietly();
  const late = (await count()) - first;
  if (late === 0) return undefined;
  const message = `${label} has its effect after it was refused.`;
  return failed(message, "Refused the call in three ways, and waited a moment.", `${late} more`);
}

/** Finds a tool whose effect is not declared, so that the default policy allows it. */
async function findUndeclaredEffect(
  context: CheckContext,
  tools: readonly Tool[],
  call: EffectCall,
): Promise<Fault | undefined> {
  const tool = findTool(tools, call);
  if (tool === undefined) return undefined;
  const { annotations } = tool.spec;
  const { access, destructiveHint, needsApprovalHint } = annotations;
  const declared =
    destructiveHint !== undefined ||
    needsApprovalHint === true ||
    access?.filesystem === "write" ||
    access?.process === true ||
    access?.network === true ||
    access?.spend === true;
  if (declared) return undefined;
  let asked = 0;
  const note: PolicyFunction = ({ permission }) => {
    if (permission !== undefined) asked += 1;
    return "deny";
  };
  await runSample(context, createExecutor(tools, { policy: ["autonomous", note] }), call);
  if (asked > 0) return undefined;
  const wrong =
    "has an effect that is not declared: set destructiveHint or access, or propose a permission in a preflight";
  return { wrong, seen: annotations };
}

/** Checks of paths that preflights propose. */
export const pathPermissionChecks: readonly Check[] = [
  defineCheck("TW-PERM-007", (context) =>
    checkProposals(context, "Checked the proposed paths", async (tool) => {
      const asSent = findPermissionFault(tool, findPathFault);
      return asSent ?? (await findUnresolvedPath(context, tool));
    }),
  ),
];

function findPathFault({ kind, target }: PermissionRequest): string | undefined {
  const climbs = kind.startsWith("fs.") && target.split(/[\\/]/).includes("..");
  return climbs ? `proposes ${kind} for a path with ".." in it` : undefined;
}

/**
 * Finds a fault for arguments with `..` in a path, which must be refused or proposed as the
 * resolved path.
 */
async function findUnresolvedPath(
  context: CheckContext,
  tool: ProposingTool,
): Promise<Fault | undefined> {
  for (const proposal of tool.proposals.slice(0, maxRepeatedProposals)) {
    for (const name of findPathArguments(proposal)) {
      const args = { ...proposal.args, [name]: `${String(proposal.args[name])}/../../conformance` };
      if (!(await passesValidation(context, tool, args))) continue;
      const answer = await runPreflight(context, tool, structuredClone(args));
      if (!("given" in answer)) continue;
      const asked = { ...tool, proposals: [{ args, given: answer.given }] };
      const fault = findPermissionFault(asked, findPathFault);
      if (fault !== undefined) return fault;
    }
  }
  return undefined;
}

/** The names of the arguments that the proposed path contains. */
function findPathArguments(proposal: Proposal): string[] {
  const paths = validPermissions(proposal).filter(({ kind }) => kind.startsWith("fs."));
  return Object.entries(proposal.args).flatMap(([name, value]) =>
    typeof value === "string" && value !== "" && paths.some(({ target }) => target.includes(value))
      ? [name]
      : [],
  );
}
