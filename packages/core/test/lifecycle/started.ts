import { suspend, ToolError } from "@toolweave/core";
import { memoryArtifacts } from "@toolweave/core/stores";
import {
  busy,
  cancel,
  meanwhile,
  never,
  raise,
  timePasses,
  ways,
  type Scenario,
} from "./scenarios.ts";

const question = { id: "q", type: "input", message: "How many?" } as const;
const ofT = ({ spec }: { readonly spec: { readonly name: string } }): boolean => spec.name === "t";
const retry = { attempts: 3, initialDelayMs: 10 };

/** It can be read until hooks have read it: `readable` is reset for each call. */
let readable = true;
const unreadable = {
  get a(): string {
    return readable ? "x" : raise(new Error("no"));
  },
};

/** Every exit of the stages after a call has started. */
export const started: readonly Scenario[] = [
  ...ways(
    "run",
    "execution_failed",
    "failed",
    { how: "it throws", setup: { execute: () => raise(new Error("no")) } },
    { how: "it rejects", setup: { execute: () => Promise.reject(new Error("no")) } },
    {
      how: "its stream fails at once",
      setup: {
        execute: () => new ReadableStream({ start: (it) => it.error(new Error("no")) }),
      },
    },
  ),
  ...(["upstream", "auth_required", "artifact_missing"] as const).flatMap((code) =>
    ways("run", code, "failed", {
      how: "it throws one",
      setup: { execute: () => raise(new ToolError(code, "As the tool says.")) },
    }),
  ),
  ...ways(
    "run",
    "timeout",
    "failed",
    { how: "the attempt times out", setup: { execute: never } },
    {
      how: "the call reaches its deadline",
      setup: { execute: never },
      act: meanwhile(timePasses, { deadlineMs: 50 }),
    },
    {
      how: "no attempt is left",
      setup: { execute: never, definition: { retry, timeoutMs: 20 } },
    },
  ),
  ...ways("run", "limit_exceeded", "failed", {
    how: "the run's time is used up",
    setup: { execute: never, limits: { durationMs: 50 } },
  }),
  ...ways(
    "run",
    "cancelled",
    "failed",
    { how: "the run is cancelled", setup: { execute: never }, act: meanwhile(cancel) },
    {
      how: "the call is cancelled",
      setup: { execute: never },
      act: async (lab) => {
        const controller = new AbortController();
        const outcome = lab.execute({ signal: controller.signal });
        await lab.settle();
        controller.abort();
        return outcome;
      },
    },
    {
      how: "the grace period of a drain ends",
      setup: { execute: never },
      act: meanwhile((lab) => void lab.drain(20)),
    },
    {
      how: "between two attempts",
      setup: { execute: () => busy(), definition: { retry } },
      act: meanwhile(cancel),
    },
  ),
  ...ways(
    "run",
    "rate_limited",
    "failed",
    {
      how: "the server requests too long a wait",
      setup: { execute: () => busy(1_000_000), definition: { retry } },
    },
    {
      how: "the rate is used up before another attempt",
      setup: { execute: () => busy(), definition: { retry }, rate: { calls: 1 } },
    },
  ),
  ...ways("run", "store_unavailable", "failed", {
    how: "the store of rates does not answer before another attempt",
    setup: { execute: () => busy(), definition: { retry } },
    act: meanwhile((lab) => void (lab.rates.broken = "reserve")),
  }),
  ...ways(
    "run",
    "internal",
    "failed",
    {
      how: "a middleware calls next twice",
      setup: { hooks: [{ when: ofT, around: async (_, next) => [await next(), await next()] }] },
    },
    {
      how: "the filter of one throws",
      setup: {
        hooks: [
          { when: ({ spec }) => spec.name === "t" && raise("no"), around: (_, next) => next() },
        ],
      },
    },
  ),
  ...ways(
    "normalise",
    "invalid_output",
    "failed",
    { how: "the value does not match", setup: { definition: { output: { type: "number" } } } },
    {
      how: "the schema is invalid",
      setup: { definition: { output: { $ref: "https://other.example/n" } } },
    },
  ),
  ...ways("normalise", "interrupted", "suspended", {
    how: "the tool asks",
    setup: { execute: () => suspend([question], null) },
  }),
  ...ways("normalise", "internal", "failed", {
    how: "the tool uses one request id twice",
    setup: { execute: () => suspend([question, question], null) },
  }),
  ...ways("normalise", "store_unavailable", "failed", {
    how: "the store of pending calls does not answer",
    setup: { execute: () => suspend([question], null) },
    act: (lab) => ((lab.store.before.add = () => raise("down")), lab.until(lab.execute())),
  }),
  ...ways(
    "afterHooks",
    "internal",
    "failed",
    { how: "one throws", setup: { hooks: [{ when: ofT, afterCall: () => raise("no") }] } },
    {
      how: "one returns an invalid output",
      setup: { hooks: [{ when: ofT, afterCall: () => "x" as never }] },
    },
    {
      how: "one times out",
      setup: { hooks: [{ when: ofT, timeoutMs: 30, afterCall: never }] },
    },
  ),
  ...ways("redact", "internal", "failed", {
    how: "the output cannot be searched for secrets",
    setup: {
      execute: () => {
        readable = true;
        return unreadable;
      },
      hooks: [{ when: ofT, afterCall: () => void (readable = false) }],
    },
  }),
  ...ways("bound", "limit_exceeded", "failed", {
    how: "the output is too large, and the policy is to fail",
    setup: {
      execute: () => "x".repeat(1000),
      options: { maxOutputBytes: 100, largeOutputs: { onOverflow: "fail" } },
    },
  }),
  ...ways("bound", "cancelled", "failed", {
    how: "the run is cancelled while the output is stored",
    setup: {
      execute: () => "x".repeat(1000),
      options: { maxOutputBytes: 100, artifacts: Object.assign(memoryArtifacts(), { put: never }) },
    },
    act: async (lab) => {
      const outcome = lab.execute();
      await lab.settle();
      lab.run.cancel();
      return lab.until(outcome);
    },
  }),
  ...ways(
    "endInLedger",
    "store_unavailable",
    "failed",
    { how: "the ledger throws", setup: { ledger: { end: () => raise("down") } } },
    {
      how: "the ledger does not answer",
      setup: { ledger: { end: never } },
      act: (lab) => lab.until(lab.execute(), 10_000),
    },
  ),
  ...ways("endInLedger", "limit_exceeded", "failed", {
    how: "the outcome is larger than 4 MiB",
    setup: { execute: () => ({ content: [], value: "x".repeat(5_000_000) }), ledger: {} },
  }),
  ...ways("endInLedger", "outcome_unknown", "failed", {
    how: "another process has taken the call over",
    setup: { ledger: { end: () => false } },
  }),
  ...ways("run", "store_unavailable", "failed", {
    how: "it throws, and the ledger throws",
    setup: { execute: () => raise(new Error("no")), ledger: { end: () => raise("down") } },
  }),
  ...ways(
    "end",
    "completed",
    "completed",
    { how: "at once" },
    { how: "in a durable run", setup: { ledger: {} } },
    { how: "later", setup: { execute: () => Promise.resolve(1) } },
    {
      how: "at the second attempt",
      setup: {
        execute: (_, { attempt }) => (attempt === 1 ? busy() : "fine"),
        definition: { retry },
      },
    },
    {
      how: "with an upstream error",
      setup: {
        execute: () => ({ content: [{ type: "text", text: "no such thing" }], isError: true }),
      },
    },
    {
      how: "with a stream that ends",
      setup: { execute: () => ReadableStream.from(["a", "b"]) },
    },
    {
      how: "with a stream that does not end in time",
      setup: { execute: () => new ReadableStream({ start: (it) => it.enqueue("a") }) },
      act: meanwhile(timePasses),
    },
    {
      how: "with an output above the model's limit",
      setup: { execute: () => "x".repeat(1000), options: { maxOutputBytes: 100 } },
    },
    {
      how: "with an output above the model's limit, and a store that does not answer",
      setup: {
        execute: () => "x".repeat(1000),
        options: {
          maxOutputBytes: 100,
          artifacts: Object.assign(memoryArtifacts(), { put: never }),
        },
      },
      act: (lab) => lab.until(lab.execute(), 10_000),
    },
  ),
];
