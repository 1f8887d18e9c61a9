import type { Tool } from "@toolweave/core";
import { collectCallTraces, type CallTraces } from "../../calls/call-traces.ts";
import { formatCall, createExecutor, runSample } from "../../execution/run-sample.ts";
import { defineCheck, type Check, type CheckContext } from "../../context/check.ts";
import { failed, passed, type Finding } from "../../contract/finding.ts";
import { checkEach } from "../../faults/check-each.ts";
import type { SampleCall } from "../../contract/manifest.ts";
import { drawSubset } from "../../schema/generation-settings.ts";
import {
  ResourceTracker,
  ListenerTracker,
  type OpenResource,
} from "../../observation/resource-tracker.ts";
import type { ProcessChange } from "../../observation/process-changes.ts";

/** How often a call is made to find a leak. */
const callsPerLeakTest = 2;
/** The maximum number of calls that are tested for leaks. */
const maxCalls = 20;
/** The maximum number of waits for resources that close in the background. */
const maxWaits = 4;

/** Checks of what calls change in the process. */
export const traceChecks: readonly Check[] = [
  defineCheck("TW-CALL-018", checkLeaks),

  defineCheck("TW-CALL-019", async (context) => {
    const [first] = (await collectCallTraces(context)).escaped;
    return first === undefined
      ? passed("Made the sample calls and waited for unhandled errors.")
      : failed(
          `${first.label} causes an unhandled error, which would end the process.`,
          "Made the call and waited for unhandled errors.",
          first.error,
        );
  }),

  defineCheck("TW-CALL-020", async (context) =>
    toTouchFinding(
      await collectCallTraces(context),
      ["output"],
      "writes to standard output, which the stdio transport uses: use a log or standard error",
    ),
  ),

  defineCheck("TW-CALL-021", async (context) =>
    toTouchFinding(
      await collectCallTraces(context),
      ["folder", "environment"],
      "changes the working directory or the environment of the whole process, which affects all other calls",
    ),
  ),
];

function toTouchFinding(
  { touches, calls }: CallTraces,
  kinds: readonly ProcessChange["kind"][],
  wrong: string,
): Finding {
  const done = `Made ${calls} sample calls, and observed the process.`;
  const [first] = touches.filter(({ kind }) => kinds.includes(kind));
  return first === undefined
    ? passed(done)
    : failed(`${first.label} ${wrong}.`, done, first.what === "" ? "an empty line" : first.what);
}

async function checkLeaks(context: CheckContext): Promise<Finding> {
  const tools = (await context.createReady()).callableTools();
  const calls = drawSubset(context.samples("succeedingCalls"), maxCalls, context.seed);
  // Resources that stay open between calls are opened by the first call.
  for (const call of calls) await runSample(context, createExecutor(tools), call).catch(() => {});
  return checkEach(
    calls.map((call) => ({ call, label: formatCall(call) })),
    `Made each call ${callsPerLeakTest} times and looked for open resources`,
    async ({ call }) => {
      const left = await findLeaks(context, tools, call);
      return left.length < callsPerLeakTest
        ? undefined
        : { wrong: "leaves a resource open each time it is made", seen: left };
    },
  );
}

/** Finds what several calls leave: timers, child processes, listeners of `process`. */
async function findLeaks(
  context: CheckContext,
  tools: readonly Tool[],
  call: SampleCall,
): Promise<readonly (OpenResource | string)[]> {
  using open = new ResourceTracker();
  using listeners = new ListenerTracker();
  const executor = createExecutor(tools);
  for (let count = 0; count < callsPerLeakTest; count++) {
    await listeners.run(() => open.run(() => runSample(context, executor, call).catch(() => {})));
  }
  const leaked = (): readonly OpenResource[] =>
    open.openResources().filter(({ what }) => what === "a timer" || what === "a child process");
  if (leaked().length >= callsPerLeakTest)
    await open.waitUntilClosed(() => context.waitQuietly(), maxWaits);
  // A resource that several calls leave together is shared on purpose.
  const kinds = [
    leaked(),
    listeners.remainingEvents().map((event) => `a listener to ${event} of process`),
  ];
  return kinds.find(({ length }) => length >= callsPerLeakTest) ?? [];
}
