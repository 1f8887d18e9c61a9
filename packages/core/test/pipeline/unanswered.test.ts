import { FakeClock, settled } from "@toolweave/test-support/fake-clock";
import { describe, expect, test } from "vitest";
import type { ExecutorOptions, Tool } from "@toolweave/core";
import { memoryGrants } from "@toolweave/core/stores";
import { deferred } from "../support/deferred.ts";
import { call, executorFor, recorded, tool, listTypes } from "../support/executor-for.ts";
import { readCode, completed, failed } from "../support/outcomes.ts";
import { TestSource } from "../support/test-source.ts";

const never = (): Promise<never> => new Promise(() => {});
const request = (target: string) =>
  ({ kind: "network", target, summary: `Reach ${target}` }) as const;

type Options = Omit<ExecutorOptions, "registry">;

/** Code that runs before the call starts, and the end of the call if it does not answer. */
const cases: [string, Partial<Tool>, Options, string, RegExp][] = [
  [
    "a preflight",
    { preflight: never },
    {},
    "execution_failed",
    /^t was not run: its preflight did not answer within 10000 ms\.$/,
  ],
  [
    "a tool's own check",
    { validate: never },
    {},
    "execution_failed",
    /^t was not run: its check of the arguments did not answer within 10000 ms\.$/,
  ],
  ["a policy function", {}, { policy: never }, "permission_denied", /did not decide in time/],
  [
    "a policy function that is asked about several permissions",
    { preflight: () => [request("a"), request("b")] },
    { policy: ({ permission }) => (permission?.target === "a" ? never() : "allow") },
    "permission_denied",
    /did not decide in time/,
  ],
  [
    "a store of grants",
    {},
    { policy: { rules: [{ effect: "ask" }] }, grants: { ...memoryGrants(), list: never } },
    "store_unavailable",
    /the store of grants does not answer/,
  ],
];

function setUp(more: Partial<Tool>, options: Options) {
  const clock = new FakeClock();
  let ran = 0;
  const t: Tool = { ...tool("t", () => void (ran += 1)), ...more };
  const executor = executorFor(
    [new TestSource("own", [t], { trusted: true }), tool("good", () => "fine")],
    { policy: "autonomous", ...options, clock },
  );
  return { clock, executor, ran: () => ran };
}

describe.each(cases)("%s that never answers", (_, more, options, code, message) => {
  test("TC22 ends its call after the timeout of a hook, and the tool never starts", async () => {
    const { clock, executor, ran } = setUp(more, options);
    const events = recorded(executor);
    const outcome = executor.execute(call("t"));
    let ended = false;
    void outcome.then(() => (ended = true));
    await settled();
    await clock.advance(9_999);
    expect(ended).toBe(false);
    await clock.advance(1);
    const { error } = failed(await outcome);
    expect([error.code, ran()]).toEqual([code, 0]);
    expect(error.message).toMatch(message);
    expect(listTypes(events)).toEqual(["tool.requested", "tool.rejected"]);
    expect(clock.timers).toBe(0);
  });

  test("is awaited without end if the host configures that", async () => {
    const { clock, executor } = setUp(more, { ...options, hookTimeoutMs: 0 });
    const controller = new AbortController();
    const outcome = executor.execute(call("t"), { signal: controller.signal });
    await settled();
    await clock.advance(1_000_000);
    controller.abort();
    expect(readCode(await outcome)).toBe("cancelled");
  });
});

test.each(cases.filter(([, , options]) => options.policy === undefined))(
  "%s that never answers delays other calls no longer than that",
  async (_, more, options) => {
    const { clock, executor } = setUp(more, { ...options, hookTimeoutMs: 50 });
    const outcomes = executor.startRun().executeAll([call("t"), call("good")]);
    await settled();
    await clock.advance(50);
    const [first, second] = await outcomes;
    expect(readCode(first)).toBe("execution_failed");
    completed(second);
  },
);

test("an answer that arrives too late starts nothing", async () => {
  const late = deferred<[]>();
  const { clock, executor, ran } = setUp({ preflight: () => late.promise }, { hookTimeoutMs: 50 });
  const outcome = executor.execute(call("t"));
  await clock.advance(50);
  late.resolve([]);
  await settled();
  expect([readCode(await outcome), ran()]).toEqual(["execution_failed", 0]);
});

test("each of them has that timeout for itself, and a person who is asked then has no timeout", async () => {
  const clock = new FakeClock();
  const slowly = <T>(value: T): Promise<T> =>
    new Promise((resolve) => void clock.setTimeout(() => resolve(value), 40));
  const asked = deferred<() => void>();
  const t: Tool = {
    ...tool("t", () => "done"),
    validate: () => slowly(undefined),
    preflight: () => slowly([request("a"), request("b")]),
  };
  const executor = executorFor(t, {
    clock,
    hookTimeoutMs: 50,
    policy: () => slowly("ask" as const),
    onAsk: () => new Promise((resolve) => asked.resolve(() => resolve({ approved: true }))),
  });
  const outcome = executor.execute(call("t"));
  await clock.advance(120);
  const approve = await asked.promise;
  await clock.advance(24 * 60 * 60_000);
  approve();
  expect(completed(await outcome).result.content).toMatchObject([{ text: "done" }]);
});
