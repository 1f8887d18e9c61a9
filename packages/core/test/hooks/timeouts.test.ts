import { FakeClock, settled } from "@toolweave/test-support/fake-clock";
import { describe, expect, test } from "vitest";
import type { ExecutorOptions, Hook } from "@toolweave/core";
import { call, executorFor, recorded, tool, listTypes } from "../support/executor-for.ts";
import { readCode, completed, failed } from "../support/outcomes.ts";

const never = (): Promise<never> => new Promise(() => {});

/** The status of a call under hooks, and after how many milliseconds it ended. */
function started(
  hooks: readonly Hook[],
  options: Omit<ExecutorOptions, "registry" | "hooks"> = {},
) {
  const clock = new FakeClock();
  const executor = executorFor(
    tool("t", () => "the secret"),
    { ...options, hooks, clock },
  );
  const events = recorded(executor);
  const start = clock.now();
  let endedAfter = Infinity;
  const outcome = executor.execute(call("t"));
  void outcome.then(() => (endedAfter = clock.now() - start));
  return { clock, events, outcome, endedAfter: () => endedAfter };
}

describe("the time limit of a hook", () => {
  test("TC22 ends a hook that never settles, and blocks the call", async () => {
    const { clock, outcome, endedAfter, events } = started([{ beforeCall: never }]);
    await clock.advance(9_999);
    expect(endedAfter()).toBe(Infinity);
    await clock.advance(1);
    const { error } = failed(await outcome);
    expect([error.code, error.audience, error.message]).toEqual([
      "permission_denied",
      "host",
      "t was blocked because a check of the host failed.",
    ]);
    expect(error.cause).toMatchObject({
      code: "timeout",
      message: "The host's code did not answer within 10000 ms.",
    });
    expect(listTypes(events)).toEqual(["tool.requested", "tool.rejected"]);
    expect(clock.timers).toBe(0);
  });

  test("TC22 ends a hook after the call, which fails, since the checked output may contain a secret", async () => {
    const { clock, outcome, endedAfter, events } = started([{ afterCall: never }]);
    await clock.advance(60_000);
    expect(endedAfter()).toBe(10_000);
    expect(readCode(await outcome)).toBe("internal");
    expect(JSON.stringify([await outcome, events])).not.toContain("the secret");
    expect(listTypes(events).at(-1)).toBe("tool.failed");
  });

  test.each<[string, Hook, ExecutorOptions["hookTimeoutMs"], number]>([
    ["the executor's", { beforeCall: never }, 300, 300],
    ["its own", { beforeCall: never, timeoutMs: 70 }, 300, 70],
    [
      "its own, even if that is longer",
      { beforeCall: never, timeoutMs: 20_000 },
      undefined,
      20_000,
    ],
    ["infinite, if the executor sets that", { beforeCall: never }, 0, Infinity],
    ["infinite, if it sets that itself", { beforeCall: never, timeoutMs: 0 }, 300, Infinity],
  ])("is %s", async (_, hook, hookTimeoutMs, ms) => {
    const { clock, endedAfter } = started(
      [hook],
      hookTimeoutMs === undefined ? {} : { hookTimeoutMs },
    );
    await clock.advance(100_000);
    expect(endedAfter()).toBe(ms);
  });

  test("is separate for each hook and from the tool's: none uses that of another", async () => {
    const clock = new FakeClock();
    const slowly = (): Promise<void> =>
      new Promise((resolve) => void clock.setTimeout(resolve, 90));
    const executor = executorFor(
      tool("t", () => slowly().then(() => "done"), { timeoutMs: 100 }),
      {
        clock,
        hookTimeoutMs: 100,
        hooks: [
          { beforeCall: slowly },
          { beforeCall: slowly, afterCall: slowly },
          { afterCall: slowly },
        ],
      },
    );
    const outcome = executor.execute(call("t"));
    await clock.advance(90 * 5);
    completed(await outcome);
    expect(clock.timers).toBe(0);
  });

  test("starts again for each hook, and is not the reason of a tool's own timeout", async () => {
    const clock = new FakeClock();
    const executor = executorFor(tool("t", never, { timeoutMs: 300 }), {
      clock,
      hooks: [
        { beforeCall: () => new Promise((resolve) => void clock.setTimeout(resolve, 5000)) },
        { timeoutMs: 50, when: ({ callId }) => callId === "hooked", beforeCall: never },
      ],
    });
    const start = clock.now();
    const outcomes = [executor.execute(call("t", {}, "hooked")), executor.execute(call("t"))];
    await clock.advance(20_000);
    const ended = await Promise.all(outcomes);
    expect(
      ended.map((outcome) => [readCode(outcome), failed(outcome).result.timestamp - start]),
    ).toEqual([
      ["permission_denied", 5050],
      ["timeout", 5300],
    ]);
  });

  test("is final: a late answer of the hook changes nothing", async () => {
    let answer: (value: { arguments: { n: number } }) => void = () => {};
    const { clock, outcome, events } = started([
      { beforeCall: () => new Promise((resolve) => (answer = resolve)) },
    ]);
    await clock.advance(10_000);
    expect(readCode(await outcome)).toBe("permission_denied");
    answer({ arguments: { n: 1 } });
    await settled();
    expect(listTypes(events)).toEqual(["tool.requested", "tool.rejected"]);
  });

  test("uses no timer if hooks answer at once", async () => {
    const clock = new FakeClock();
    const executor = executorFor(tool("t"), {
      clock,
      hooks: [{ beforeCall: () => {}, afterCall: () => {} }],
    });
    const outcome = executor.execute(call("t"));
    expect(clock.timers).toBe(0);
    completed(await outcome);
  });

  test("uses one timer, however many hooks wait", async () => {
    const clock = new FakeClock();
    const executor = executorFor(tool("t"), { clock, hooks: [{ beforeCall: never }] });
    const outcomes = Array.from({ length: 50 }, () => executor.execute(call("t")));
    await settled();
    expect(clock.timers).toBe(1);
    await clock.advance(10_000);
    for (const outcome of outcomes) expect(readCode(await outcome)).toBe("permission_denied");
  });
});

test("hooks that answer at once keep a call in one turn: the tool runs before execute returns", () => {
  let ran = 0;
  const executor = executorFor(
    tool("t", () => void (ran += 1)),
    {
      hooks: [
        { beforeCall: () => {}, afterCall: () => {} },
        { beforeCall: () => ({ arguments: {} }) },
      ],
    },
  );
  void executor.execute(call("t"));
  expect(ran).toBe(1);
});
