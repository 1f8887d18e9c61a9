import { FakeClock, settled } from "@toolweave/test-support/fake-clock";
import { describe, expect, test, vi } from "vitest";
import { ToolError, type BatchProgress } from "@toolweave/core";
import { controlledTools } from "../support/controlled-tools.ts";
import { call, executorFor, recorded, tool } from "../support/executor-for.ts";
import { readCode, completed, failed, textFor } from "../support/outcomes.ts";

const names = ["a", "b", "c", "d"];
const calls = names.map((name) => call(name));
const tools = names.map((name) => tool(name));

/** Stores its arguments as ids, and returns each answer in turn. */
function steering(answers: readonly (string | undefined)[] = []) {
  const asked: { finished: string[]; remaining: string[] }[] = [];
  const stopWhen = ({ finished, remaining }: BatchProgress): string | undefined => {
    asked.push({
      finished: finished.map(({ call, outcome }) => `${call.id} ${outcome.status}`),
      remaining: remaining.map(({ id }) => id),
    });
    return answers[asked.length - 1];
  };
  return { asked, stopWhen };
}

describe("F2.5 steering", () => {
  test("is called between sequential calls, not before the first and not after the last", async () => {
    const { asked, stopWhen } = steering();
    const run = executorFor(tools).startRun();
    await run.executeAll(calls.slice(0, 3), { strategy: "sequential", stopWhen });
    expect(asked).toEqual([
      { finished: ["a completed"], remaining: ["b", "c"] },
      { finished: ["a completed", "b completed"], remaining: ["c"] },
    ]);
  });

  test("is called between batches, not after the last", async () => {
    const { asked, stopWhen } = steering();
    const run = executorFor(tools).startRun();
    await run.executeAll(calls, { strategy: { batched: 2 }, stopWhen });
    expect(asked).toEqual([{ finished: ["a completed", "b completed"], remaining: ["c", "d"] }]);
  });

  test("is called once when parallel calls have all ended; there is nothing left to stop", async () => {
    const { asked, stopWhen } = steering(["too late"]);
    const run = executorFor(tools).startRun();
    const outcomes = await run.executeAll(calls.slice(0, 2), { stopWhen });
    expect(asked).toEqual([{ finished: ["a completed", "b completed"], remaining: [] }]);
    outcomes.forEach(completed);
    await run.executeAll([], { stopWhen });
    expect(asked).toHaveLength(1);
  });

  test("receives refused and waiting calls as finished, and is not called for them", async () => {
    const { asked, stopWhen } = steering();
    const executor = executorFor([...tools, tool("ask", undefined, { needsApproval: true })]);
    const list = [call("missing"), call("ask"), call("a"), call("b")];
    await executor.startRun().executeAll(list, { strategy: "sequential", stopWhen });
    expect(asked).toHaveLength(1);
    expect(asked[0]?.finished.toSorted()).toEqual([
      "a completed",
      "ask interrupted",
      "missing failed",
    ]);
    expect(asked[0]?.remaining).toEqual(["b"]);
  });

  test("receives the calls and outcomes themselves, with their indexes", async () => {
    const seen: BatchProgress[] = [];
    const run = executorFor(tools).startRun();
    const outcomes = await run.executeAll([call("missing"), ...calls.slice(0, 2)], {
      strategy: "sequential",
      stopWhen: (progress) => void seen.push(progress) as undefined,
    });
    const [progress] = seen;
    expect(progress?.finished.map(({ index }) => index)).toEqual([0, 1]);
    expect(progress?.finished[1]?.call).toBe(calls[0]);
    expect(progress?.finished[1]?.outcome).toBe(outcomes[1]);
    expect(progress?.remaining[0]).toBe(calls[1]);
  });

  test("stops calls that have not started: they fail with skipped, and the model reads the reason", async () => {
    const { stopWhen } = steering([undefined, "The user asked for something else."]);
    const ran: string[] = [];
    const executor = executorFor(names.map((name) => tool(name, () => void ran.push(name))));
    const events = recorded(executor);
    const outcomes = await executor
      .startRun()
      .executeAll(calls, { strategy: "sequential", stopWhen });
    expect(outcomes.map(({ status }) => status)).toEqual([
      ...["completed", "completed"],
      ...["failed", "failed"],
    ]);
    expect(textFor(outcomes[2] as never)).toBe(
      "c was skipped and has not run. Call it again if it is still wanted. Reason: The user asked for something else.",
    );
    expect(outcomes.slice(2).map(readCode)).toEqual(["skipped", "skipped"]);
    expect(outcomes.slice(2).map((outcome) => failed(outcome).result.callId)).toEqual(["c", "d"]);
    expect(ran).toEqual(["a", "b"]);
    expect(
      events.flatMap((event) =>
        event.type === "tool.rejected" ? [[event.callId, event.code]] : [],
      ),
    ).toEqual([
      ["c", "skipped"],
      ["d", "skipped"],
    ]);
  });

  test("TC28 can stop the rest after a failure, for a host that needs that", async () => {
    const executor = executorFor([
      ...tools,
      tool("bad", () => {
        throw new Error("no");
      }),
    ]);
    const outcomes = await executor
      .startRun()
      .executeAll([call("a"), call("bad"), call("b"), call("c"), call("d")], {
        strategy: "sequential",
        stopWhen: ({ finished }) =>
          finished.some(({ outcome }) => outcome.status === "failed")
            ? "A call before it failed."
            : undefined,
      });
    expect(
      outcomes.map((outcome) => (outcome.status === "failed" ? readCode(outcome) : outcome.status)),
    ).toEqual(["completed", "execution_failed", "skipped", "skipped", "skipped"]);
  });

  test("releases the run limits that skipped calls had reserved", async () => {
    const run = executorFor(tools).startRun({ limits: { calls: 4, callsPerTool: 1 } });
    const { stopWhen } = steering(["stop"]);
    await run.executeAll(calls, { strategy: "sequential", stopWhen });
    const again = await run.executeAll(
      ["b", "c", "d"].map((name) => call(name, {}, `${name} again`)),
    );
    expect(again.map(({ status }) => status)).toEqual(["completed", "completed", "completed"]);
    expect(readCode(await run.execute(call("a", {}, "a again")))).toBe("limit_exceeded");
  });

  test("releases the rate that skipped calls had reserved", async () => {
    const executor = executorFor(tools, {
      clock: new FakeClock(),
      limits: { rates: [{ calls: 3, windowMs: 1000 }] },
    });
    const run = executor.startRun();
    const { stopWhen } = steering(["stop"]);
    const outcomes = await run.executeAll(calls.slice(0, 3), { strategy: "sequential", stopWhen });
    expect(outcomes.map(({ status }) => status)).toEqual(["completed", "failed", "failed"]);
    await settled();
    const again = await run.executeAll(
      ["b", "c", "d"].map((name) => call(name, {}, `${name} again`)),
    );
    expect(
      again.map((outcome) => (outcome.status === "failed" ? readCode(outcome) : outcome.status)),
    ).toEqual(["completed", "completed", "rate_limited"]);
  });

  test("starts nothing while its answer is awaited, and cancelling does not wait for it", async () => {
    const { tools, running, started, finish } = controlledTools(names);
    const run = executorFor(tools).startRun();
    let answer: ((text: string | undefined) => void) | undefined;
    const outcomes = run.executeAll(calls, {
      strategy: { batched: 2 },
      stopWhen: () => new Promise<string | undefined>((resolve) => (answer = resolve)),
    });
    await settled();
    finish("a");
    finish("b");
    await settled();
    expect([running, answer]).toEqual([[], expect.any(Function)]);
    run.cancel();
    expect((await outcomes).map(({ status }) => status)).toEqual([
      ...["completed", "completed"],
      ...["failed", "failed"],
    ]);
    answer?.(undefined);
    await settled();
    expect(started).toEqual(["a", "b"]);
  });

  test("is not called for calls that are cancelled with the one before them", async () => {
    const { tools } = controlledTools(names);
    const { asked, stopWhen } = steering();
    const run = executorFor(tools).startRun();
    const outcomes = run.executeAll(calls, { strategy: "sequential", stopWhen });
    await settled();
    run.cancel();
    expect((await outcomes).map(readCode)).toEqual(names.map(() => "cancelled"));
    expect(asked).toEqual([]);
  });

  test.each([
    ["throws", () => Promise.reject(new Error("database down")), /database down/],
    [
      "throws at once",
      () => {
        throw new Error("database down");
      },
      /database down/,
    ],
    ["answers with an invalid value", () => true, /neither a text nor undefined/],
  ])(
    "that %s starts nothing more, loses no result, and gives the reason to the host only",
    async (_, stopWhen, cause) => {
      const outcomes = await executorFor(tools)
        .startRun()
        .executeAll(calls.slice(0, 2), { strategy: "sequential", stopWhen: stopWhen as never });
      expect(textFor(completed(outcomes[0]))).toBe("a ran");
      const { error, result } = failed(outcomes[1]);
      expect([error.code, error.audience]).toEqual(["skipped", "host"]);
      expect(String(error.cause)).toMatch(cause);
      expect(JSON.stringify(result)).not.toMatch(cause);
      expect(textFor(outcomes[1] as never)).toBe(
        "b was skipped and has not run. The host could not decide whether to continue.",
      );
    },
  );

  test("that throws after all parallel calls have ended changes nothing", async () => {
    const run = executorFor(tools).startRun();
    const stopWhen = vi.fn<() => Promise<undefined>>(() =>
      Promise.reject(new ToolError("invalid_configuration", "no")),
    );
    const outcomes = await run.executeAll(calls, { stopWhen });
    await settled();
    expect(stopWhen).toHaveBeenCalledOnce();
    outcomes.forEach(completed);
  });

  test("with a reason of any length or none results in a text that a model can read", async () => {
    for (const [reason, expected] of [
      ["", /Reason: no reason given\.$/],
      ["x".repeat(100_000), /x{1000}…$/],
    ] as const) {
      const outcomes = await executorFor(tools)
        .startRun()
        .executeAll(calls.slice(0, 2), { strategy: "sequential", stopWhen: () => reason });
      expect(failed(outcomes[1]).error.message).toMatch(expected);
    }
  });
});
