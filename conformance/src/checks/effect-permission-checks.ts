import type { ExecutorOptions, PolicyFunction, Tool } from "@toolweave/core";
import { countOf } from "../calling/effect-count.ts";
import { outcomeLabel } from "../execution/outcome.ts";
import { callLabel, executorOver, labelled, runSample } from "../execution/sample-run.ts";
import { check, type Check, type CheckContext } from "../context/check.ts";
import { failed, notApplicable, passed, type Finding } from "../contract/finding.ts";
import { checkEach, type Fault } from "../reading/check-each.ts";
import type { EffectCall } from "../contract/manifest.ts";

/** What tools say of their effects, and when those come. */
export const effectPermissionChecks: readonly Check[] = [
  check("TW-PERM-002", async (context) => {
    const tools = (await context.fresh()).callable();
    const calls = labelled(context.samples("effectCalls"));
    return checkEach(calls, "Read the annotations of each tool that has an effect", ({ call }) => {
      const annotations = toolOf(tools, call)?.spec.annotations;
      return annotations?.readOnlyHint === true
        ? { wrong: "has an effect and calls itself read-only", seen: annotations }
        : undefined;
    });
  }),

  check("TW-PERM-008", async (context) => {
    const tools = (await context.fresh()).callable();
    const calls = context.samples("effectCalls");
    for (const call of calls) {
      const finding = await refusedFault(context, tools, call);
      if (finding !== undefined) return finding;
    }
    return passed(`Denied and refused ${calls.length} sample calls, each in three ways.`);
  }),

  check("TW-PERM-009", async (context) => {
    const tools = (await context.fresh()).callable();
    const own = (call: EffectCall): boolean =>
      toolOf(tools, call)?.spec.provenance.adapter === "code";
    const calls = labelled(context.samples("effectCalls").filter(own));
    if (calls.length === 0) {
      return notApplicable("No sample call with an effect is of a function of the host's own.");
    }
    const done = "Asked the host's own functions with an effect what they would do";
    return checkEach(calls, done, ({ call }) => silentFault(context, tools, call));
  }),
];

function toolOf(tools: readonly Tool[], { tool }: EffectCall): Tool | undefined {
  return tools.find(({ spec }) => spec.name === tool);
}

/** A policy that knows one answer only, once the tool has said what the call would do. */
function always(answer: "ask" | "deny"): PolicyFunction {
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
    options: { policy: ["autonomous", always("deny")] },
    code: "permission_denied",
  },
  {
    done: "Had a person refuse the call.",
    options: { policy: ["autonomous", always("ask")], onAsk: () => ({ approved: false }) },
    code: "approval_rejected",
  },
  {
    done: "Called it under a policy that asks, where nobody can be asked.",
    options: { policy: ["autonomous", always("ask")], onAsk: "deny" },
    code: "permission_denied",
  },
];

async function refusedFault(
  context: CheckContext,
  tools: readonly Tool[],
  call: EffectCall,
): Promise<Finding | undefined> {
  const count = (): Promise<number> => countOf(context, call);
  const label = callLabel(call);
  const tool = toolOf(tools, call);
  const first = await count();
  for (const { done, options, code } of refusals) {
    const before = await count();
    const outcome = await runSample(context, executorOver(tools, options), call);
    const grown = (await count()) - before;
    if (grown !== 0) {
      // More of it may be on its way, and other rules count, too.
      await context.quiet();
      return failed(
        `${label} has its effect although it is refused: preflight and validate must do none of it.`,
        done,
        `${grown} more`,
      );
    }
    if (outcome.status !== "failed" || outcome.error.code !== code) {
      return failed(`${label} does not end with ${code}.`, done, outcomeLabel(outcome));
    }
  }
  // Nothing of the tool has run that could have begun something.
  if (tool?.preflight === undefined && tool?.validate === undefined) return undefined;
  await context.quiet();
  const late = (await count()) - first;
  if (late === 0) return undefined;
  const message = `${label} has its effect some time after it was refused.`;
  return failed(message, "Refused the call in three ways, and waited a moment.", `${late} more`);
}

/** Nothing tells a policy or a person that the call changes something, and the default lets it run. */
async function silentFault(
  context: CheckContext,
  tools: readonly Tool[],
  call: EffectCall,
): Promise<Fault | undefined> {
  const tool = toolOf(tools, call);
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
  await runSample(context, executorOver(tools, { policy: ["autonomous", note] }), call);
  if (asked > 0) return undefined;
  const wrong =
    "changes something without a word: declare destructiveHint or access, or propose it in a preflight";
  return { wrong, seen: annotations };
}
