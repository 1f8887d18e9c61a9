import type {
  InterruptedOutcome,
  Interruption,
  PolicyFunction,
  ToolOutcome,
} from "@toolweave/core";
import { outcomeLabel } from "../execution/outcome.ts";
import { callLabel, runSample } from "../execution/sample-run.ts";
import { PersonStub, effects } from "../calling/waiting-calls.ts";
import { check, type Check, type CheckContext } from "../context/check.ts";
import { failed, passed, type Finding } from "../contract/finding.ts";
import type { EffectCall } from "../contract/manifest.ts";

/** How calls go on that a person has approved. */
export const approvalChecks: readonly Check[] = [
  check("TW-SUSPEND-012", async (context) => {
    const calls = context.samples("effectCalls");
    for (const call of calls) {
      const finding = await approvedElsewhere(context, call);
      if (finding !== undefined) return finding;
    }
    return passed(`Approved ${calls.length} sample calls in another executor.`);
  }),
];

/** How often a call may ask about those that it makes itself. */
const mostNested = 10;

function isAboutNested(outcome: ToolOutcome): outcome is InterruptedOutcome {
  return (
    outcome.status === "interrupted" &&
    outcome.interruption.requests.every(
      (request) => request.type === "approval" && request.call !== undefined,
    )
  );
}

/** One executor asks, another one over another instance is answered. */
async function approvedElsewhere(
  context: CheckContext,
  call: EffectCall,
): Promise<Finding | undefined> {
  const done =
    "Had a policy ask, kept the interruption as JSON, and approved it in another executor.";
  const label = callLabel(call);
  const ask: PolicyFunction = () => "ask";
  const policy = ["autonomous", ask] as const;
  const desk = new PersonStub();
  const tools = (await context.fresh()).callable();
  const asking = desk.executor(tools, { policy });
  const waiting = await runSample(context, asking, call);
  if (waiting.status !== "interrupted") {
    return failed(`${label} does not wait for an approval.`, done, outcomeLabel(waiting));
  }
  const before = await effects(context, call);
  const going = desk.executor((await context.fresh()).callable(), { policy });
  const kept = JSON.parse(JSON.stringify(waiting.interruption)) as Interruption;
  const { injected } = context.manifest;
  const resumed = (interruption: Interruption): Promise<ToolOutcome> =>
    context.within(
      going.resume(interruption, [{ type: "approve" }], injected === undefined ? {} : { injected }),
      `${label} when it is approved`,
    );
  let outcome = await resumed(kept);
  // The calls that it makes itself are asked about for themselves.
  for (let asked = 0; asked < mostNested && isAboutNested(outcome); asked++) {
    outcome = await resumed(outcome.interruption);
  }
  const grown = (await effects(context, call)) - before;
  if (outcome.status === "interrupted") {
    const message = `${label} was approved and asks for something else in another instance.`;
    return failed(message, done, outcome.interruption.requests);
  }
  if (outcome.status !== "completed") {
    const message = `${label} was approved and does not run in another instance.`;
    return failed(message, done, outcomeLabel(outcome));
  }
  if (grown === 1) return undefined;
  const counted = await effects(context, call);
  await runSample(context, desk.executor(tools), call);
  // Whoever counts rows counts several for one call.
  if ((await effects(context, call)) - counted === grown) return undefined;
  return failed(
    `${label} was approved once and has its effect ${grown} times.`,
    done,
    `${grown} more`,
  );
}
