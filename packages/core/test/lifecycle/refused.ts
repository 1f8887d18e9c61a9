import { call, executorFor, foreignTool } from "../support/executor-for.ts";
import { TestSource } from "../support/test-source.ts";
import { answered, asking, raise, ways, within, type Scenario } from "./scenarios.ts";

const numbers = {
  type: "object",
  properties: { n: { type: "number" } },
  required: ["n"],
} as const;

/** Every exit of the stages before the host's code runs: of resumed calls, and of new ones. */
export const refused: readonly Scenario[] = [
  ...ways(
    "openInterruption",
    "approval_invalid",
    "rejected",
    {
      how: "the arguments were changed",
      setup: asking,
      pending: 1,
      act: answered(undefined, (_, interruption) => ({
        ...interruption,
        call: { ...interruption.call, arguments: { n: 2 } },
      })),
    },
    {
      how: "another executor has sealed it, with another key",
      setup: asking,
      pending: 1,
      act: answered(undefined, async (lab) => {
        const other = executorFor([...lab.executor.registry.toolset()], asking.options);
        const outcome = await other.execute({ ...call("t"), id: "t" });
        return outcome.status === "interrupted" ? outcome.interruption : undefined;
      }),
    },
    {
      how: "it belongs to another caller",
      setup: asking,
      pending: 1,
      act: answered(undefined, undefined, ({ executor }) => ({
        run: executor.startRun({ caller: { id: "eve" } }),
      })),
    },
    {
      how: "the answers leave a request open",
      setup: asking,
      pending: 1,
      act: answered([]),
    },
  ),
  ...ways("openInterruption", "unavailable", "rejected", {
    how: "the executor is draining",
    setup: asking,
    pending: 1,
    act: answered(undefined, (lab) => void lab.drain(0)),
  }),
  ...ways(
    "claim",
    "approval_invalid",
    "rejected",
    {
      how: "it has expired",
      setup: asking,
      act: answered(undefined, (lab) => lab.clock.skip(25 * 60 * 60 * 1000)),
    },
    {
      how: "it was answered before",
      setup: asking,
      act: answered(undefined, async (lab, interruption) => {
        await lab.until(lab.executor.resume(interruption, [{ type: "reject" }]));
        lab.forget();
      }),
    },
    {
      how: "the tool has changed",
      setup: asking,
      act: answered(undefined, (lab) => lab.change()),
    },
  ),
  ...ways("claim", "approval_rejected", "rejected", {
    how: "a person rejects",
    setup: asking,
    act: answered([{ type: "reject", reason: "no" }]),
  }),
  ...ways("claim", "outcome_unknown", "rejected", {
    how: "another process has begun, and has ended",
    setup: asking,
    pending: 1,
    act: answered(undefined, (lab) => void (lab.store.claims = "unfinished")),
  }),
  ...ways(
    "claim",
    "store_unavailable",
    "rejected",
    {
      how: "the store does not answer",
      setup: asking,
      pending: 1,
      act: answered(undefined, (lab) => void (lab.store.before.claim = () => raise("down"))),
    },
    {
      how: "the store returns no time",
      setup: asking,
      pending: 1,
      act: answered(undefined, (lab) => void (lab.store.before.now = () => raise("down"))),
    },
  ),

  ...ways(
    "begin",
    "cancelled",
    "rejected",
    { how: "the run is cancelled", act: async (lab) => (lab.run.cancel(), lab.execute()) },
    {
      how: "the call's signal is aborted",
      act: (lab) => lab.execute({ signal: AbortSignal.abort() }),
    },
    {
      how: "the run has been disposed of",
      act: async (lab) => {
        await lab.run[Symbol.asyncDispose]();
        return lab.execute();
      },
    },
  ),
  ...ways("begin", "skipped", "rejected", {
    how: "an earlier call of the durable run has its id",
    setup: { ledger: {} },
    act: async (lab) => {
      await lab.run.execute(call("missing", {}, "t"));
      lab.forget();
      return lab.execute();
    },
  }),
  ...ways("begin", "unavailable", "rejected", {
    how: "the executor is draining",
    act: async (lab) => {
      void lab.drain(0);
      return lab.execute();
    },
  }),
  ...ways("begin", "timeout", "rejected", {
    how: "the deadline is not a time",
    act: (lab) => lab.execute({ deadlineMs: 0 }),
  }),
  ...ways(
    "begin",
    "limit_exceeded",
    "rejected",
    { how: "the run's time is used up", setup: { limits: { durationMs: 0 } } },
    {
      how: "calls nest too deeply",
      ...within(({ n }, { scope }) => (n === 16 ? scope.execute(call("t")) : undefined)),
    },
  ),
  ...ways("begin", "invalid_configuration", "rejected", {
    how: "the tool narrows by an invalid policy",
    ...within((_, { scope }) => scope.execute(call("t"), { narrow: "nothing" as never })),
  }),

  ...ways("resolve", "not_found", "rejected", {
    how: "no tool has the name",
    act: (lab) => lab.run.execute(call("missing", {}, "t")),
  }),
  ...ways(
    "resolve",
    "not_advertised",
    "rejected",
    {
      how: "the policy never lets it run",
      setup: { options: { policy: ["autonomous", { rules: [{ effect: "deny", tools: "t" }] }] } },
    },
    {
      how: "the turn has other tools",
      act: (lab) => {
        lab.run.nextTurn(lab.executor.toolset.select({ include: ["probe"] }));
        return lab.execute();
      },
    },
  ),
  ...ways("resolve", "unavailable", "rejected", {
    how: "it reports that it is unavailable",
    setup: { tool: { availability: { status: "unavailable", reason: "it is away" } } },
  }),
  ...ways("resolve", "invalid_configuration", "rejected", {
    how: "a redaction rule is invalid",
    setup: {
      instead: new TestSource(
        "far",
        [foreignTool("t", { spec: { annotations: { redact: [{ path: "account" }] } } })],
        { trusted: true },
      ),
    },
  }),
  ...ways(
    "parse",
    "invalid_arguments",
    "rejected",
    { how: "the text is not JSON", act: (lab) => lab.run.execute(call("t", "{")) },
    { how: "the JSON is not an object", act: (lab) => lab.run.execute(call("t", "[]")) },
  ),
  ...ways("removeInjected", "invalid_configuration", "rejected", {
    how: "the host's value is missing",
    setup: { definition: { injected: [{ name: "tenant", required: true }] } },
  }),
  ...ways(
    "validate",
    "invalid_arguments",
    "rejected",
    { how: "the schema refuses", setup: { definition: { input: numbers } } },
    {
      how: "the tool's own check refuses",
      setup: { tool: { validate: () => [{ path: "/n", message: "is no good" }] } },
    },
  ),
  ...ways("validate", "execution_failed", "rejected", {
    how: "the tool's own check throws",
    setup: { tool: { validate: () => raise(new Error("no")) } },
  }),
  ...ways("validate", "execution_failed", "rejected", {
    how: "the tool's own check times out",
    setup: { tool: { validate: () => new Promise(() => {}) }, options: { hookTimeoutMs: 50 } },
  }),
  ...ways("validate", "invalid_configuration", "rejected", {
    how: "the schema is invalid",
    setup: {
      definition: {
        input: { type: "object", properties: { n: { $ref: "https://other.example/n" } } },
      },
    },
  }),
  ...ways("skipDuplicates", "skipped", "rejected", {
    how: "the call before has the same arguments",
    act: async (lab) => {
      const calls = [call("t", {}, "first"), call("t")];
      const outcomes = await lab.run.executeAll(calls, { duplicates: "skip" });
      return outcomes[1];
    },
  }),
  ...ways(
    "reserveLimits",
    "limit_exceeded",
    "rejected",
    { how: "the limit of calls is used up", setup: { limits: { calls: 0 } } },
    { how: "the limit of calls of this tool is used up", setup: { limits: { callsPerTool: 0 } } },
    { how: "the run repeats itself", setup: { limits: { identicalCalls: 0 } } },
  ),
  ...ways("reserveLimits", "rate_limited", "rejected", {
    how: "the rate is used up",
    setup: { rate: { calls: 0 } },
  }),
  ...ways("reserveLimits", "store_unavailable", "rejected", {
    how: "the store of rates does not answer",
    act: (lab) => ((lab.rates.broken = "reserve"), lab.execute()),
  }),
];
