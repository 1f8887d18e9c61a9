import type { Approver, RunOptions, Tool, ToolOutcome } from "@toolweave/core";
import { check, type Check, type CheckContext } from "../check.ts";
import { failed, messageOf, passed, type Finding } from "../finding.ts";
import type { EffectCall, SampleCall } from "../manifest.ts";
import { within } from "../within.ts";
import { around, callLabel, executorOver, outcomeLabel, runSample } from "../sample-run.ts";

/** Time for a call to get under way, so that there is something to cancel: a request on the wire. */
const underWayMs = 20;

/** A tool that goes on for longer than this has not stopped but come to its own end. */
const mostStopMs = 1000;

/** What cancellation does. */
export const cancellationChecks: readonly Check[] = [
  check("TW-CANCEL-001", async (context) => {
    const tools = (await context.fresh()).callable();
    const calls = context.samples("effectCalls");
    for (const call of calls) {
      const finding = await beforeStart(context, tools, call);
      if (finding !== undefined) return finding;
    }
    return passed(`Cancelled and refused ${calls.length} sample calls before they started.`);
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
];

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
  const count = async (): Promise<number> =>
    context.within(Promise.resolve(call.count()), "count()");
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
  if ((await count()) > before) return undefined;
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
      done: "Refused the call when the policy asked.",
      code: "approval_rejected",
      run: () => ask(() => ({ approved: false })),
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
  let started = (): void => {};
  let stopped = (): void => {};
  const start = new Promise<void>((resolve) => (started = resolve));
  const end = new Promise<void>((resolve) => (stopped = resolve));
  const watched = tools.map((tool) =>
    around(tool, {
      invoke: async (args, ctx) => {
        if (when === "starting") controller.abort();
        started();
        try {
          return await tool.invoke(args, ctx);
        } finally {
          stopped();
        }
      },
    }),
  );
  const label = callLabel(call);
  const outcome = runSample(context, executorOver(watched), call, { signal: controller.signal });
  await Promise.race([start, outcome]);
  if (when === "running") {
    await new Promise((resolve) => setTimeout(resolve, underWayMs));
    controller.abort();
  }
  const done =
    when === "running" ? "Cancelled the running call." : "Cancelled it as the tool started.";
  const came = await outcome;
  if (came.status !== "failed" || came.error.code !== "cancelled") {
    return failed(`${label} was cancelled and ends otherwise.`, done, outcomeLabel(came));
  }
  try {
    await within(end, mostStopMs, "the tool's own end");
    return undefined;
  } catch (error) {
    return failed(`${label} goes on after it was cancelled.`, done, messageOf(error));
  }
}
