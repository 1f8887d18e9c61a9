import fc from "fast-check";
import { arbitraryRun } from "./arbitrary-run.ts";
import type { Fault, Plan, ToolPlan } from "./plan.ts";

const manyFaults = fc.array(fc.constantFrom<Fault[]>("now", "now", "now", "later", "throws"), {
  minLength: 2,
  maxLength: 5,
});

/** A plan with much spending, and a faulty store of rates. */
const ofLimits = fc.tuple(arbitraryRun, manyFaults).map(([plan, rates]): Plan => ({
  ...plan,
  tools: plan.tools.map((tool) => ({ ...tool, preflight: "spends" })),
  host: {
    ...plan.host,
    rate: { calls: 8, spend: 20, windowMs: 5000, per: "all", ...plan.host.rate },
    faults: { ...plan.host.faults, rates },
  },
}));

/** A plan with approvals, and a faulty store of pending calls. */
const ofPeople = fc.tuple(arbitraryRun, manyFaults).map(([plan, pending]): Plan => ({
  ...plan,
  tools: plan.tools.map((tool, at) => (at % 2 === 0 ? { ...tool, asks: "always" } : tool)),
  host: {
    ...plan.host,
    policy: [{ layer: "supervised" }],
    onAsk: "interrupt",
    faults: { ...plan.host.faults, pending },
  },
}));

/** A plan in which every failure is retried. */
const ofRetries = fc
  .tuple(
    arbitraryRun,
    fc.constantFrom<ToolPlan["end"][]>("throwsRetryable", "hangs", "mayPass", "throwsRetryAfter"),
    fc.constantFrom("tool.retried", "tool.started", "tool.failed"),
    fc.constantFrom("cancels" as const, "aborts" as const, "throws" as const),
  )
  .map(([plan, end, on, does]): Plan => ({
    ...plan,
    tools: plan.tools.map((tool, at) => (at % 2 === 0 ? { ...tool, end } : tool)),
    host: {
      ...plan.host,
      retries: { attempts: 3, any: true },
      listener: plan.host.listener ?? { on, nth: 1, does },
    },
  }));

/** A plan with many tasks, and a faulty store of tasks. */
const ofTasks = fc
  .tuple(arbitraryRun, manyFaults, fc.boolean())
  .map(([plan, tasks, isWell]): Plan => ({
    ...plan,
    tools: plan.tools.map((tool, at) => (at % 2 === 0 ? { ...tool, execution: "task" } : tool)),
    host: { ...plan.host, faults: { ...plan.host.faults, ...(isWell ? {} : { tasks }) } },
  }));

/** Any life of an executor. */
export const arbitraryPlan: fc.Arbitrary<Plan> = fc.oneof(
  { weight: 3, arbitrary: arbitraryRun },
  { weight: 1, arbitrary: ofLimits },
  { weight: 1, arbitrary: ofPeople },
  { weight: 1, arbitrary: ofRetries },
  { weight: 1, arbitrary: ofTasks },
);
