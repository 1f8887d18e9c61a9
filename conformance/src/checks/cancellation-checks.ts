import type { Approver, Clock, RunOptions, Tool, ToolOutcome } from "@toolweave/core";
import { cancelledCalls } from "../calling/cancelled-calls.ts";
import { countOf, grownBy } from "../calling/effect-count.ts";
import { outcomeLabel } from "../execution/outcome.ts";
import { underWay } from "../calling/running-call.ts";
import { around, callLabel, executorOver, labelled, runSample } from "../execution/sample-run.ts";
import { check, type Check, type CheckContext } from "../context/check.ts";
import { failed, messageOf, notApplicable, passed, type Finding } from "../contract/finding.ts";
import { checkEach } from "../reading/check-each.ts";
import type { EffectCall, SampleCall } from "../contract/manifest.ts";
import { OpenResources, type OpenResource } from "../watching/open-resources.ts";
import { StopWatch } from "../watching/stop-watch.ts";
import { someTurns, StrayErrors } from "../context/stray-errors.ts";

/** How often a call is cancelled to see whether something stays each time. */
const leakCalls = 2;

/** The executor's own timers keep no process alive, so that only those of tools count. */
const looseClock: Clock = {
  now: () => Date.now(),
  setTimeout: (callback, ms) => setTimeout(callback, ms).unref(),
  clearTimeout: (timer) => clearTimeout(timer as NodeJS.Timeout),
};

/** What cancellation does. */
export const cancellationChecks: readonly Check[] = [
  check("TW-CANCEL-001", async (context) => {
    const tools = (await context.fresh()).callable();
    const calls = context.samples("effectCalls");
    for (const call of calls) {
      const finding = await beforeStart(context, tools, call);
      if (finding !== undefined) return finding;
    }
    return passed(`Cancelled ${calls.length} sample calls before they started, each in two ways.`);
  }),

  check("TW-CANCEL-002", async (context) => {
    const tools = (await context.fresh()).callable();
    const calls = context.samples("slowCalls");
    for (const call of calls) {
      const finding = await stops(context, tools, call, "running");
      if (finding !== undefined) return finding;
    }
    return passed(`Cancelled ${calls.length} running sample calls.`);
  }),

  check("TW-CANCEL-003", async (context) => {
    const tools = (await context.fresh()).callable();
    const calls = context.samples("slowCalls");
    for (const call of calls) {
      const finding = await stops(context, tools, call, "starting");
      if (finding !== undefined) return finding;
    }
    return passed(`Started ${calls.length} sample calls with a signal that had fired.`);
  }),

  check("TW-CANCEL-004", async (context) => {
    const { calls } = await cancelledCalls(context);
    const counted = calls.filter(({ grown }) => grown !== undefined);
    if (counted.length === 0) return notApplicable("No slow sample call has a count.");
    const done = "Cancelled running calls and waited whether their effects come all the same";
    return checkEach(counted, done, ({ grown }) =>
      grown === 0 ? undefined : { wrong: "has its effect although it was cancelled", seen: grown },
    );
  }),

  check("TW-CANCEL-005", leavesNothing),

  check("TW-CANCEL-006", async (context) => {
    const { calls, after } = await cancelledCalls(context);
    const done = "Cancelled running calls, and made calls afterwards";
    return checkEach(
      [...calls.flatMap(({ again }) => again ?? []), ...after],
      done,
      ({ wrong, seen }) => (wrong === undefined ? undefined : { wrong, seen }),
    );
  }),

  check("TW-CANCEL-007", async (context) => {
    const { calls } = await cancelledCalls(context);
    const beside = calls.filter(({ other }) => other !== undefined);
    if (beside.length === 0) {
      return notApplicable("No slow sample call can be made twice at the same time.");
    }
    const done = "Made each call twice at the same time, and cancelled the first of them";
    return checkEach(beside, done, ({ other }) =>
      other === "runs on"
        ? undefined
        : { wrong: "ends when another call of it is cancelled", seen: other },
    );
  }),
  check("TW-CANCEL-008", async (context) => {
    const calls = context.samples("slowCalls");
    const tools = (await context.fresh()).callable();
    using errors = new StrayErrors(context.manifest);
    for (const call of calls) {
      const controller = new AbortController();
      const watch = new StopWatch(tools);
      const { signal } = controller;
      await errors.run(async () => {
        const outcome = runSample(context, executorOver(watch.tools), call, { signal });
        await Promise.race([watch.started, outcome.catch(() => {})]);
        await someTurns();
        controller.abort();
        // What becomes of it is for other rules to say.
        await outcome.catch(() => {});
        await someTurns();
      });
      const [escaped] = errors.caught;
      if (escaped === undefined) continue;
      const message = `${callLabel(call)} is cancelled, and an error escapes that nobody can catch: it ends the process.`;
      return failed(message, "Cancelled the running call.", messageOf(escaped));
    }
    return passed(`Cancelled ${calls.length} running sample calls.`);
  }),
];

async function leavesNothing(context: CheckContext): Promise<Finding> {
  const tools = (await context.fresh()).callable();
  const calls = labelled(context.samples("slowCalls"));
  const cancel = async (call: SampleCall): Promise<void> => {
    const controller = new AbortController();
    const watch = new StopWatch(tools);
    const executor = executorOver(watch.tools, { clock: looseClock });
    const outcome = runSample(context, executor, call, { signal: controller.signal });
    await Promise.race([watch.started, outcome]);
    await new Promise((resolve) => setImmediate(resolve));
    controller.abort();
    await outcome;
    await watch.goesOn();
  };
  return checkEach(
    calls,
    "Cancelled each call, and looked for what it had opened",
    async ({ call }) => {
      // What stays open from one call to the next is opened by the first.
      await cancel(call);
      using open = new OpenResources();
      for (let count = 0; count < leakCalls; count++) await open.run(() => cancel(call));
      const leaked = (): readonly OpenResource[] =>
        open.left().filter(({ what }) => what === "a timer" || what === "a child process");
      // Handles close in the background.
      if (leaked().length >= leakCalls) await open.settled(() => context.quiet(), 10);
      const left = leaked();
      // One that is left by several calls together is kept on purpose.
      return left.length < leakCalls
        ? undefined
        : { wrong: "leaves something open each time that it is cancelled", seen: left };
    },
  );
}

/** A moment before the start at which a call comes to its end, and what must come of it. */
interface Moment {
  readonly done: string;
  readonly code: string;
  readonly run: () => Promise<ToolOutcome>;
}

async function beforeStart(
  context: CheckContext,
  tools: readonly Tool[],
  call: EffectCall,
): Promise<Finding | undefined> {
  const count = (): Promise<number> => countOf(context, call);
  const label = callLabel(call);
  for (const { done, code, run } of moments(context, tools, call)) {
    const before = await count();
    const outcome = await run();
    const grown = (await count()) - before;
    if (grown !== 0) {
      return failed(`${label} has its effect before it starts.`, done, `${grown} more`);
    }
    if (outcome.status !== "failed" || outcome.error.code !== code) {
      return failed(`${label} does not end with ${code}.`, done, outcomeLabel(outcome));
    }
  }
  const before = await count();
  const outcome = await runSample(context, executorOver(tools), call);
  if ((await grownBy(context, call, before)) > 0) return undefined;
  const message = `${label} has no effect that count() sees: the sample proves nothing.`;
  return failed(message, "Made the call.", outcomeLabel(outcome));
}

function moments(
  context: CheckContext,
  tools: readonly Tool[],
  call: EffectCall,
): readonly Moment[] {
  const asking = tools.map((tool) => (tool.spec.name === call.tool ? asked(tool) : tool));
  const ask = (onAsk: Approver, options?: RunOptions): Promise<ToolOutcome> => {
    const executor = executorOver(asking, { policy: "supervised", onAsk });
    return runSample(context, executor, call, options);
  };
  const controller = new AbortController();
  return [
    {
      done: "Called with a signal that had fired.",
      code: "cancelled",
      run: () => runSample(context, executorOver(tools), call, { signal: AbortSignal.abort() }),
    },
    {
      done: "Cancelled the call while the policy asked.",
      code: "cancelled",
      run: () =>
        ask(
          () => {
            controller.abort();
            return { approved: true };
          },
          { signal: controller.signal },
        ),
    },
  ];
}

/** The tool, marked so that every policy but one asks. */
function asked(tool: Tool): Tool {
  const { spec } = tool;
  const annotations = { ...spec.annotations, needsApprovalHint: true };
  return around(tool, { spec: { ...spec, annotations } });
}

async function stops(
  context: CheckContext,
  tools: readonly Tool[],
  call: SampleCall,
  when: "starting" | "running",
): Promise<Finding | undefined> {
  const controller = new AbortController();
  const watch = new StopWatch(tools, () => {
    if (when === "starting") controller.abort();
  });
  const label = callLabel(call);
  const executor = executorOver(watch.tools);
  const outcome = runSample(context, executor, call, { signal: controller.signal });
  await Promise.race([watch.started, outcome]);
  if (when === "running") {
    await underWay();
    controller.abort();
  }
  const done =
    when === "running" ? "Cancelled the running call." : "Cancelled it as the tool started.";
  const came = await outcome;
  if (came.status !== "failed" || came.error.code !== "cancelled") {
    return failed(`${label} was cancelled and ends otherwise.`, done, outcomeLabel(came));
  }
  const late = await watch.goesOn();
  return late === undefined
    ? undefined
    : failed(
        `${label} goes on after it was cancelled: stop the work when ctx.signal fires.`,
        done,
        late,
      );
}
