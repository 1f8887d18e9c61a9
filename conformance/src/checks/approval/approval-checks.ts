import type {
  InterruptedOutcome,
  Interruption,
  PolicyFunction,
  ToolOutcome,
} from "@toolweave/core";
import { formatOutcome } from "../../execution/call-result.ts";
import { formatCall, runSample } from "../../execution/run-sample.ts";
import { PersonStub, countEffectsOrZero } from "../../calls/waiting-calls.ts";
import { defineCheck, type Check, type CheckContext } from "../../context/check.ts";
import { failed, passed, type Finding } from "../../contract/finding.ts";
import type { EffectCall } from "../../contract/manifest.ts";

/** Checks of approved calls. */
export const approvalChecks: readonly Check[] = [
  defineCheck("TW-SUSPEND-012", async (context) => {
    const calls = context.samples("effectCalls");
    for (const call of calls) {
      const finding = await approveElsewhere(context, call);
      if (finding !== undefined) return finding;
    }
    return passed(`Approved ${calls.length} sample calls in another executor.`);
  }),
];

/** The maximum number of approvals for nested calls. */
const maxNestedApprovals = 10;

function needsNestedApproval(outcome: ToolOutcome): outcome is InterruptedOutcome {
  return (
    outcome.status === "interrupted" &&
    outcome.interruption.requests.every(
      (request) => request.type === "approval" && request.call !== undefined,
    )
  );
}

/** Has one executor interrupt the call, and approves it in another one with another instance. */
async function approveElsewhere(
  context: CheckContext,
  call: EffectCall,
): Promise<Finding | undefined> {
  const done =
    "Interrupted the call with a policy, serialized the interruption, and approved it in another executor.";
  const label = formatCall(call);
  const ask: PolicyFunction = () => "ask";
  const policy = ["autonomous", ask] as const;
  const person = new PersonStub();
  const tools = (await context.createReady()).callableTools();
  const asking = person.executor(tools, { policy });
  const waiting = await runSample(context, asking, call);
  if (waiting.status !== "interrupted") {
    return failed(`${label} does not wait for approval.`, done, formatOutcome(waiting));
  }
  const before = await countEffectsOrZero(context, call);
  const resuming = person.executor((await context.createReady()).callableTools(), { policy });
  const restored = JSON.parse(JSON.stringify(waiting.interruption)) as Interruption;
  const { injected } = context.manifest;
  const resumed = (interruption: Interruption): Promise<ToolOutcome> =>
    context.withDeadline(
      resuming.resume(
        interruption,
        [{ type: "approve" }],
        injected === undefined ? {} : { injected },
      ),
      `${label} when it is approved`,
    );
  let outcome = await resumed(restored);
  // Nested calls need their own approvals.
  for (let asked = 0; asked < maxNestedApprovals && needsNestedApproval(outcome); asked++) {
    outcome = await resumed(outcome.interruption);
  }
  const newEffects = (await countEffectsOrZero(context, call)) - before;
  if (outcome.status === "interrupted") {
    const message = `${label} was approved, but has a different request in another instance.`;
    return failed(message, done, outcome.interruption.requests);
  }
  if (outcome.status !== "completed") {
    const message = `${label} was approved, but does not run in another instance.`;
    return failed(message, done, formatOutcome(outcome));
  }
  if (newEffects === 1) return undefined;
  const counted = await countEffectsOrZero(context, call);
  await runSample(context, person.executor(tools), call);
  // The effect of one call may be counted several times, as with rows.
  if ((await countEffectsOrZero(context, call)) - counted === newEffects) return undefined;
  return failed(
    `${label} was approved once, but has its effect ${newEffects} times.`,
    done,
    `${newEffects} more`,
  );
}
