import type { PolicyInput, ToolSpec } from "@toolweave/core";
import { spending } from "../limits/controlled.ts";
import { call, foreignTool, tool } from "../support/executor-for.ts";
import { TestSource } from "../support/test-source.ts";
import {
  asking,
  behindAnother,
  cancel,
  meanwhile,
  never,
  raise,
  timePasses,
  ways,
  type Scenario,
} from "./scenarios.ts";

const deny: PolicyInput = [
  "autonomous",
  { rules: [{ effect: "deny", tools: "t", permissions: { kind: "spend" } }] },
];

/** Every exit of the stages from the host's hooks on, before a call starts. */
export const notStarted: readonly Scenario[] = [
  ...ways(
    "beforeHooks",
    "permission_denied",
    "rejected",
    { how: "one blocks", setup: { hooks: [{ when: ofT, beforeCall: () => ({ block: "no" }) }] } },
    { how: "one throws", setup: { hooks: [{ when: ofT, beforeCall: () => raise("no") }] } },
    {
      how: "one returns an unknown value",
      setup: { hooks: [{ when: ofT, beforeCall: () => true as never }] },
    },
    {
      how: "one times out",
      setup: { hooks: [{ when: ofT, timeoutMs: 30, beforeCall: never }] },
    },
    {
      how: "one has a filter that throws",
      setup: { hooks: [{ when: throwsOfT, beforeCall: () => {} }] },
    },
  ),
  ...ways("beforeHooks", "internal", "rejected", {
    how: "one changes the arguments to invalid ones",
    setup: { hooks: [{ when: ofT, beforeCall: () => ({ arguments: [] as never }) }] },
  }),
  ...ways(
    "authorize",
    "permission_denied",
    "rejected",
    { how: "a rule denies a permission", setup: { options: { policy: deny } } },
    { how: "a function throws", setup: { options: { policy: ({ spec }) => denies(spec) } } },
    {
      how: "there is no approver",
      setup: { ...asking, options: { ...asking.options, onAsk: "deny" } },
    },
    {
      how: "the approver throws",
      setup: { ...asking, options: { ...asking.options, onAsk: () => raise("no") } },
    },
  ),
  ...ways("authorize", "approval_rejected", "rejected", {
    how: "the approver rejects",
    setup: { ...asking, options: { ...asking.options, onAsk: () => ({ approved: false }) } },
  }),
  ...ways("authorize", "interrupted", "interrupted", { how: "the policy asks", setup: asking }),
  ...ways(
    "authorize",
    "limit_exceeded",
    "rejected",
    { how: "the amount is above the run's limit", setup: { limits: { spend: 3 } } },
    {
      how: "the tool declares no amount",
      setup: { definition: { preflight: () => [spending("a lot")] } },
    },
    {
      how: "the run's time is used up",
      setup: { limits: { durationMs: 50 }, definition: { preflight: never } },
      act: meanwhile(timePasses),
    },
  ),
  ...ways("authorize", "rate_limited", "rejected", {
    how: "the rate of spending is used up",
    setup: { rate: { spend: 3 } },
  }),
  ...ways(
    "authorize",
    "store_unavailable",
    "rejected",
    {
      how: "the store of grants does not answer",
      setup: {
        ...asking,
        options: {
          ...asking.options,
          grants: { add: () => {}, list: () => raise("down"), revoke: () => false },
        },
      },
    },
    {
      how: "the audit does not answer",
      act: (lab) => ((lab.audit = () => raise("down")), lab.execute()),
    },
    {
      how: "the store of pending calls does not answer",
      setup: asking,
      act: (lab) => ((lab.store.before.add = () => raise("down")), lab.execute()),
    },
  ),
  ...ways("authorize", "execution_failed", "rejected", {
    how: "the preflight throws",
    setup: { definition: { preflight: () => raise(new Error("no")) } },
  }),
  ...ways("authorize", "execution_failed", "rejected", {
    how: "the preflight times out",
    setup: { definition: { preflight: never }, options: { hookTimeoutMs: 50 } },
  }),
  ...ways("authorize", "internal", "rejected", {
    how: "the preflight returns no permission requests",
    setup: { definition: { preflight: () => "ls" as never } },
  }),
  ...ways(
    "authorize",
    "cancelled",
    "rejected",
    {
      how: "during the preflight",
      setup: { definition: { preflight: never } },
      act: meanwhile(cancel),
    },
    {
      how: "during the approver's answer",
      setup: { ...asking, options: { ...asking.options, onAsk: never } },
      act: meanwhile(cancel),
    },
    {
      how: "while the call is being stored",
      setup: asking,
      act: async (lab) => {
        lab.store.before.add = never;
        return meanwhile(cancel)(lab);
      },
    },
  ),
  ...ways("authorize", "timeout", "rejected", {
    how: "the deadline passes",
    setup: { definition: { preflight: never } },
    act: meanwhile(timePasses, { deadlineMs: 50 }),
  }),
  ...ways(
    "acquireSlot",
    "skipped",
    "rejected",
    {
      how: "steering gives a reason",
      act: async (lab) => {
        const calls = [call("t", {}, "first"), call("t")];
        const steering = { strategy: "sequential", stopWhen: () => "That is enough." } as const;
        return (await lab.run.executeAll(calls, steering))[1];
      },
    },
    {
      how: "steering throws",
      act: async (lab) => {
        const calls = [call("t", {}, "first"), call("t")];
        const steering = { strategy: "sequential", stopWhen: () => raise("no") } as const;
        return (await lab.run.executeAll(calls, steering))[1];
      },
    },
  ),
  ...ways("acquireSlot", "cancelled", "rejected", {
    how: "in the queue",
    ...behindAnother(cancel),
  }),
  ...ways("acquireSlot", "timeout", "rejected", {
    how: "in the queue",
    ...behindAnother(timePasses, { deadlineMs: 50 }),
  }),
  ...ways("acquireSlot", "limit_exceeded", "rejected", {
    how: "in the queue",
    ...limited(behindAnother(timePasses)),
  }),
  ...ways("acquireSlot", "unavailable", "rejected", {
    how: "the maximum of calls waits",
    setup: {
      others: [tool("holds", never, { timeoutMs: 500 })],
      options: { limits: { concurrency: { max: 1, maxWaiting: 0 } } },
    },
    act: async (lab) => {
      const held = lab.executor.execute(call("holds"));
      await lab.settle();
      const outcome = await lab.execute();
      await lab.until(held, 1000);
      return outcome;
    },
  }),
  ...ways(
    "beginInLedger",
    "outcome_unknown",
    "rejected",
    {
      how: "another process has started the call",
      setup: { ledger: { begin: () => ({ status: "running" }) } },
    },
    {
      how: "the process that started the call has ended",
      setup: { ledger: { begin: () => ({ status: "unknown" }) } },
    },
    {
      how: "the stored outcome cannot be read",
      setup: { ledger: { begin: () => ({ status: "ended", outcome: "{" }) } },
    },
  ),
  ...ways("beginInLedger", "internal", "rejected", {
    how: "another call was made under the same id",
    setup: { ledger: { begin: () => ({ status: "conflict" }) } },
  }),
  ...ways("beginInLedger", "cancelled", "rejected", {
    how: "another process has the run",
    setup: { ledger: { begin: () => ({ status: "superseded" }) } },
  }),
  ...ways(
    "beginInLedger",
    "store_unavailable",
    "rejected",
    { how: "the ledger throws", setup: { ledger: { begin: () => raise("down") } } },
    {
      how: "the ledger does not answer",
      setup: { ledger: { begin: never } },
      act: (lab) => lab.until(lab.execute(), 10_000),
    },
  ),
  ...ways("commitLimits", "store_unavailable", "rejected", {
    how: "the store of rates does not answer",
    act: (lab) => ((lab.rates.broken = "commit"), lab.execute()),
  }),
  ...ways(
    "run",
    "invalid_configuration",
    "rejected",
    { how: "its timeout is invalid", setup: foreign({ timeoutMs: -1 }) },
    { how: "its retry policy is invalid", setup: foreign({ retry: { attempts: 0 } }) },
  ),
];

function ofT({ spec }: { readonly spec: ToolSpec }): boolean {
  return spec.name === "t";
}

function throwsOfT({ spec }: { readonly spec: ToolSpec }): boolean {
  return spec.name === "t" ? raise("no") : false;
}

function denies({ name }: ToolSpec): "allow" {
  return name === "t" ? raise("no") : "allow";
}

function limited(way: ReturnType<typeof behindAnother>): ReturnType<typeof behindAnother> {
  return { ...way, setup: { ...way.setup, limits: { durationMs: 50 } } };
}

/** The tool `t` of a trusted source. */
function foreign(spec: Partial<ToolSpec>): NonNullable<Scenario["setup"]> {
  const made = foreignTool("t", { spec, preflight: () => [spending(4)] });
  return { instead: new TestSource("far", [made], { trusted: true }) };
}
