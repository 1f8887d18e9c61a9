import type { Approver, Clock, RunOptions, Tool, ToolOutcome } from "@toolweave/core";
import { cancelSlowCalls } from "../../calls/cancelled-calls.ts";
import { countEffects, countNewEffects } from "../../calls/effect-count.ts";
import { formatOutcome } from "../../execution/call-result.ts";
import { RunningCall, waitUntilRunning } from "../../calls/running-call.ts";
import {
  overrideTool,
  formatCall,
  createExecutor,
  labelCalls,
  runSample,
} from "../../execution/run-sample.ts";
import { defineCheck, type Check, type CheckContext } from "../../context/check.ts";
import {
  failed,
  formatError,
  notApplicable,
  passed,
  type Finding,
} from "../../contract/finding.ts";
import { checkEach } from "../../faults/check-each.ts";
import type { EffectCall, SampleCall } from "../../contract/manifest.ts";
import { ResourceTracker, type OpenResource } from "../../observation/resource-tracker.ts";
import { ToolObserver } from "../../observation/tool-observer.ts";
import { waitForTurns, EscapedErrors } from "../../context/escaped-errors.ts";

/** How often a call is cancelled to find a leak. */
const callsPerLeakTest = 2;

/** A clock whose timers do not keep the process alive, so that only timers of tools count. */
const unreferencedClock: Clock = {
  now: () => Date.now(),
  setTimeout: (callback, ms) => setTimeout(callback, ms).unref(),
  clearTimeout: (timer) => clearTimeout(timer as NodeJS.Timeout),
};

/** Checks of cancellation. */
export const cancellationChecks: readonly Check[] = [
  defineCheck("TW-CANCEL-001", async (context) => {
    const tools = (await context.createReady()).callableTools();
    const calls = context.samples("effectCalls");
    for (const call of calls) {
      const finding = await checkEarlyEnds(context, tools, call);
      if (finding !== undefined) return finding;
    }
    return passed(`Cancelled ${calls.length} sample calls before they started, each in two ways.`);
  }),

  defineCheck("TW-CANCEL-002", async (context) => {
    const tools = (await context.createReady()).callableTools();
    const calls = context.samples("slowCalls");
    for (const call of calls) {
      const finding = await checkCancellation(context, tools, call, "running");
      if (finding !== undefined) return finding;
    }
    return passed(`Cancelled ${calls.length} running sample calls.`);
  }),

  defineCheck("TW-CANCEL-003", async (context) => {
    const tools = (await context.createReady()).callableTools();
    const calls = context.samples("slowCalls");
    for (const call of calls) {
      const finding = await checkCancellation(context, tools, call, "starting");
      if (finding !== undefined) return finding;
    }
    return passed(`Started ${calls.length} sample calls with an aborted signal.`);
  }),

  defineCheck("TW-CANCEL-004", async (context) => {
    const unproven = await findCallWithoutEffect(context);
    if (unproven !== undefined) return unproven;
    const { calls } = await cancelSlowCalls(context);
    const counted = calls.filter(({ newEffects }) => newEffects !== undefined);
    if (counted.length === 0) return notApplicable("No slow sample call has a count.");
    const done = "Cancelled running calls and waited for their effects";
    return checkEach(counted, done, ({ newEffects }) =>
      newEffects === 0
        ? undefined
        : { wrong: "has its effect although it was cancelled", seen: newEffects },
    );
  }),

  defineCheck("TW-CANCEL-005", checkLeaks),

  defineCheck("TW-CANCEL-006", async (context) => {
    const { calls, after } = await cancelSlowCalls(context);
    const done = "Cancelled running calls and made calls afterwards";
    return checkEach(
      [...calls.flatMap(({ again }) => again ?? []), ...after],
      done,
      ({ wrong, seen }) => (wrong === undefined ? undefined : { wrong, seen }),
    );
  }),

  defineCheck("TW-CANCEL-007", async (context) => {
    const { calls } = await cancelSlowCalls(context);
    const beside = calls.filter(({ other }) => other !== undefined);
    if (beside.length === 0) {
      return notApplicable("No slow sample call can run twice at the same time.");
    }
    const done = "Made each call twice concurrently and cancelled the first one";
    return checkEach(beside, done, ({ other }) =>
      other === "runs on"
        ? undefined
        : { wrong: "ends when another call of the tool is cancelled", seen: other },
    );
  }),
  defineCheck("TW-CANCEL-008", async (context) => {
    const calls = context.samples("slowCalls");
    const tools = (await context.createReady()).callableTools();
    using errors = new EscapedErrors(context.manifest);
    for (const call of calls) {
      const controller = new AbortController();
      const watch = new ToolObserver(tools);
      const { signal } = controller;
      await errors.run(async () => {
        const outcome = runSample(context, createExecutor(watch.tools), call, { signal });
        await Promise.race([watch.started, outcome.catch(() => {})]);
        await waitForTurns();
        controller.abort();
        // Other rules check the result.
        await outcome.catch(() => {});
        await waitForTurns();
      });
      const [escaped] = errors.caught;
      if (escaped === undefined) continue;
      const message = `${formatCall(call)} causes an unhandled error when it is cancelled, which would end the process.`;
      return failed(message, "Cancelled the running call.", formatError(escaped));
    }
    return passed(`Cancelled ${calls.length} running sample calls.`);
  }),
];

/** Makes every slow call that declares when its effect happens, and lets it happen. */
async function findCallWithoutEffect(context: CheckContext): Promise<Finding | undefined> {
  const tools = (await context.createReady()).callableTools();
  for (const call of context.samples("slowCalls")) {
    const { count, effectMs } = call;
    if (count === undefined || effectMs === undefined) continue;
    const before = await countEffects(context, { count });
    const running = new RunningCall(context, createExecutor(tools), call);
    await new Promise((resolve) => setTimeout(resolve, effectMs));
    const newEffects = await countNewEffects(context, { count }, before);
    await running.cancel();
    if (newEffects > 0) continue;
    const message = `${running.label} has no effect after ${effectMs} ms that count() reports, so that the sample proves nothing.`;
    return failed(message, "Made the call and let it run.", "no effect");
  }
  return undefined;
}

async function checkLeaks(context: CheckContext): Promise<Finding> {
  const tools = (await context.createReady()).callableTools();
  const calls = labelCalls(context.samples("slowCalls"));
  const cancel = async (call: SampleCall): Promise<void> => {
    const controller = new AbortController();
    const watch = new ToolObserver(tools);
    const executor = createExecutor(watch.tools, { clock: unreferencedClock });
    const outcome = runSample(context, executor, call, { signal: controller.signal });
    await Promise.race([watch.started, outcome]);
    await new Promise((resolve) => setImmediate(resolve));
    controller.abort();
    await outcome;
    await watch.waitForStop();
  };
  return checkEach(calls, "Cancelled each call and looked for open resources", async ({ call }) => {
    // Resources that stay open between calls are opened by the first call.
    await cancel(call);
    using open = new ResourceTracker();
    for (let count = 0; count < callsPerLeakTest; count++) await open.run(() => cancel(call));
    const leaked = (): readonly OpenResource[] =>
      open.openResources().filter(({ what }) => what === "a timer" || what === "a child process");
    // Handles close in the background.
    if (leaked().length >= callsPerLeakTest)
      await open.waitUntilClosed(() => context.waitQuietly(), 10);
    const left = leaked();
    // A resource that several calls leave together is shared on purpose.
    return left.length < callsPerLeakTest
      ? undefined
      : { wrong: "leaves a resource open each time it is cancelled", seen: left };
  });
}

/** A way to end a call before it starts, and the expected error code. */
interface EarlyEnd {
  readonly done: string;
  readonly code: string;
  readonly run: () => Promise<ToolOutcome>;
}

async function checkEarlyEnds(
  context: CheckContext,
  tools: readonly Tool[],
  call: EffectCall,
): Promise<Finding | undefined> {
  const count = (): Promise<number> => countEffects(context, call);
  const label = formatCall(call);
  for (const { done, code, run } of earlyEnds(context, tools, call)) {
    const before = await count();
    const outcome = await run();
    const newEffects = (await count()) - before;
    if (newEffects !== 0) {
      return failed(
        `${label} has its effect although it did not start.`,
        done,
        `${newEffects} more`,
      );
    }
    if (outcome.status !== "failed" || outcome.error.code !== code) {
      return failed(`${label} does not end with ${code}.`, done, formatOutcome(outcome));
    }
  }
  const before = await count();
  const outcome = await runSample(context, createExecutor(tools), call);
  if ((await countNewEffects(context, call, before)) > 0) return undefined;
  const message = `${label} has no effect that count() reports, so that the sample proves nothing.`;
  return failed(message, "Made the call.", formatOutcome(outcome));
}

function earlyEnds(
  context: CheckContext,
  tools: readonly Tool[],
  call: EffectCall,
): readonly EarlyEnd[] {
  const asking = tools.map((tool) => (tool.spec.name === call.tool ? withApproval(tool) : tool));
  const ask = (onAsk: Approver, options?: RunOptions): Promise<ToolOutcome> => {
    const executor = createExecutor(asking, { policy: "supervised", onAsk });
    return runSample(context, executor, call, options);
  };
  const controller = new AbortController();
  return [
    {
      done: "Called with an aborted signal.",
      code: "cancelled",
      run: () => runSample(context, createExecutor(tools), call, { signal: AbortSignal.abort() }),
    },
    {
      done: "Cancelled the call while it waited for approval.",
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

/** Marks a tool so that every preset asks. */
function withApproval(tool: Tool): Tool {
  const { spec } = tool;
  const annotations = { ...spec.annotations, needsApprovalHint: true };
  return overrideTool(tool, { spec: { ...spec, annotations } });
}

async function checkCancellation(
  context: CheckContext,
  tools: readonly Tool[],
  call: SampleCall,
  when: "starting" | "running",
): Promise<Finding | undefined> {
  const controller = new AbortController();
  const watch = new ToolObserver(tools, () => {
    if (when === "starting") controller.abort();
  });
  const label = formatCall(call);
  const executor = createExecutor(watch.tools);
  const outcome = runSample(context, executor, call, { signal: controller.signal });
  await Promise.race([watch.started, outcome]);
  if (when === "running") {
    await waitUntilRunning();
    controller.abort();
  }
  const done =
    when === "running"
      ? "Cancelled the running call."
      : "Cancelled the call when the tool started.";
  const callResult = await outcome;
  if (callResult.status !== "failed" || callResult.error.code !== "cancelled") {
    return failed(
      `${label} was cancelled, but does not end with cancelled.`,
      done,
      formatOutcome(callResult),
    );
  }
  const late = await watch.waitForStop();
  return late === undefined
    ? undefined
    : failed(
        `${label} continues after it was cancelled: stop when ctx.signal is aborted.`,
        done,
        late,
      );
}
