import type { Tool } from "@toolweave/core";
import { callTraces, type CallTraces } from "../calling/call-traces.ts";
import { callLabel, executorOver, runSample } from "../execution/sample-run.ts";
import { check, type Check, type CheckContext } from "../context/check.ts";
import { failed, passed, type Finding } from "../contract/finding.ts";
import { checkEach } from "../reading/check-each.ts";
import type { SampleCall } from "../contract/manifest.ts";
import { drawn } from "../schema/drawn.ts";
import { OpenResources, type OpenResource } from "../watching/open-resources.ts";
import { ProcessListeners } from "../watching/process-listeners.ts";
import type { ProcessTouch } from "../watching/process-touches.ts";

/** How often a call is made to see whether something stays each time. */
const leakCalls = 2;
/** How many calls are made so often. */
const mostCalls = 20;
/** How often what is left is asked for again: what closes in the background is soon gone. */
const mostWaits = 4;

/** What calls leave in the process that they share with their host. */
export const traceChecks: readonly Check[] = [
  check("TW-CALL-018", leavesNothing),

  check("TW-CALL-019", async (context) => {
    const [first] = (await callTraces(context)).escaped;
    return first === undefined
      ? passed("Made the sample calls, and waited for errors that nobody handles.")
      : failed(
          `An error of ${first.label} escapes that nobody can catch: it ends the process.`,
          "Made the call, and waited for errors that nobody handles.",
          first.error,
        );
  }),

  check("TW-CALL-020", async (context) =>
    touchFinding(
      await callTraces(context),
      ["output"],
      "writes to standard output, where a server over stdio speaks: use a log, or standard error",
    ),
  ),

  check("TW-CALL-021", async (context) =>
    touchFinding(
      await callTraces(context),
      ["folder", "environment"],
      "changes the working directory or the environment of the whole process: what runs beside it is changed, too",
    ),
  ),
];

function touchFinding(
  { touches, calls }: CallTraces,
  kinds: readonly ProcessTouch["kind"][],
  wrong: string,
): Finding {
  const done = `Made ${calls} sample calls, and watched the process.`;
  const [first] = touches.filter(({ kind }) => kinds.includes(kind));
  return first === undefined
    ? passed(done)
    : failed(`${first.label} ${wrong}.`, done, first.what === "" ? "an empty line" : first.what);
}

async function leavesNothing(context: CheckContext): Promise<Finding> {
  const tools = (await context.fresh()).callable();
  const calls = drawn(context.samples("succeedingCalls"), mostCalls, context.seed);
  // What stays open from one call to the next is opened by the first.
  for (const call of calls) await runSample(context, executorOver(tools), call).catch(() => {});
  return checkEach(
    calls.map((call) => ({ call, label: callLabel(call) })),
    `Made each call ${leakCalls} times, and looked for what it had opened`,
    async ({ call }) => {
      const left = await leftBy(context, tools, call);
      return left.length < leakCalls
        ? undefined
        : { wrong: "leaves something behind each time that it is made", seen: left };
    },
  );
}

/** What is left of several calls: timers, child processes, listeners of `process`. */
async function leftBy(
  context: CheckContext,
  tools: readonly Tool[],
  call: SampleCall,
): Promise<readonly (OpenResource | string)[]> {
  using open = new OpenResources();
  using listeners = new ProcessListeners();
  const executor = executorOver(tools);
  for (let count = 0; count < leakCalls; count++) {
    await listeners.run(() => open.run(() => runSample(context, executor, call).catch(() => {})));
  }
  const leaked = (): readonly OpenResource[] =>
    open.left().filter(({ what }) => what === "a timer" || what === "a child process");
  if (leaked().length >= leakCalls) await open.settled(() => context.quiet(), mostWaits);
  // One that is left by several calls together is kept on purpose.
  const kinds = [leaked(), listeners.left().map((event) => `a listener to ${event} of process`)];
  return kinds.find(({ length }) => length >= leakCalls) ?? [];
}
