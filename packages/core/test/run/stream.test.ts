import { settled } from "@toolweave/test-support/fake-clock";
import { describe, expect, test } from "vitest";
import { ToolError, type FinishedCall } from "@toolweave/core";
import { controlledTools } from "../support/controlled-tools.ts";
import { call, executorFor, recorded, tool, listTypes } from "../support/executor-for.ts";
import { readCode } from "../support/outcomes.ts";
import { TestSource } from "../support/test-source.ts";

const names = ["a", "b", "c", "d"];
const calls = names.map((name) => call(name));

/** Everything that a stream yields, in order. */
async function collected(stream: AsyncIterable<FinishedCall>, into: FinishedCall[] = []) {
  for await (const finished of stream) into.push(finished);
  return into;
}

/** The iterator that `for await` would use. */
const iterate = (stream: AsyncIterable<FinishedCall>): AsyncIterator<FinishedCall> =>
  stream[Symbol.asyncIterator]();

/** The yielded items: index, id and status. */
const seen = (list: readonly FinishedCall[]): string[] =>
  list.map(({ index, call, outcome }) => `${index} ${call.id} ${outcome.status}`);

describe("a stream of calls", () => {
  test("yields each outcome as it becomes known, with the call and its index", async () => {
    const { tools, finish } = controlledTools(names);
    const got: FinishedCall[] = [];
    const all = collected(executorFor(tools).startRun().stream(calls), got);
    for (const name of ["c", "a", "d", "b"]) {
      await settled();
      finish(name);
      await settled();
      expect(got.at(-1)?.call.id).toBe(name);
    }
    expect(seen(await all)).toEqual([
      ...["2 c completed", "0 a completed"],
      ...["3 d completed", "1 b completed"],
    ]);
    expect(got[0]?.call).toBe(calls[2]);
  });

  test("yields refused and waiting calls, too, before the others have ended", async () => {
    const { tools, finish } = controlledTools(["a"]);
    const executor = executorFor([...tools, tool("ask", undefined, { needsApproval: true })]);
    const stream = iterate(executor.startRun().stream([call("a"), call("ask"), call("missing")]));
    const got = [(await stream.next()).value, (await stream.next()).value] as FinishedCall[];
    expect(seen(got).toSorted()).toEqual(["1 ask interrupted", "2 missing failed"]);
    finish("a");
    expect(seen([(await stream.next()).value as FinishedCall])).toEqual(["0 a completed"]);
  });

  test("starts nothing before the first outcome is requested", async () => {
    const { tools, started } = controlledTools(names);
    const executor = executorFor(tools);
    const events = recorded(executor);
    const run = executor.startRun();
    const iterator = iterate(run.stream(calls));
    await settled();
    expect([started, events]).toEqual([[], []]);
    const first = iterator.next();
    await settled();
    expect(started).toEqual(names);
    run.cancel();
    expect((await first).done).toBe(false);
  });

  test("of no calls ends at once, and can be read after its end", async () => {
    const iterator = iterate(executorFor([]).startRun().stream([]));
    expect(await iterator.next()).toEqual({ done: true, value: undefined });
    expect(await iterator.next()).toEqual({ done: true, value: undefined });
  });

  test("answers several simultaneous reads, in turn", async () => {
    const iterator = iterate(
      executorFor([tool("a"), tool("b")])
        .startRun()
        .stream(calls.slice(0, 2)),
    );
    const answers = await Promise.all([iterator.next(), iterator.next(), iterator.next()]);
    expect(answers.map(({ done }) => done)).toEqual([false, false, true]);
  });

  test("can be iterated once: the calls are not made again", async () => {
    const ran: string[] = [];
    const stream = executorFor(tool("a", () => void ran.push("a")))
      .startRun()
      .stream([call("a")]);
    await collected(stream);
    await expect(collected(stream)).rejects.toSatisfy(
      (error) =>
        ToolError.is(error) &&
        error.code === "invalid_configuration" &&
        /made already/.test(error.message),
    );
    expect(ran).toEqual(["a"]);
  });

  test("waits for the registry to load", async () => {
    const source = new TestSource("s", [tool("late")], { loading: true, trusted: true });
    const all = collected(
      executorFor(source, { policy: "autonomous" })
        .startRun()
        .stream([call("late")]),
    );
    await settled();
    source.load();
    expect(seen(await all)).toEqual(["0 late completed"]);
  });

  test("follows the strategy, and is steered as executeAll is", async () => {
    const { tools, started, running, finish } = controlledTools(names);
    const got: FinishedCall[] = [];
    const all = collected(
      executorFor(tools)
        .startRun()
        .stream(calls, {
          strategy: { batched: 2 },
          stopWhen: ({ finished }) => (finished.length === 2 ? "enough" : undefined),
        }),
      got,
    );
    await settled();
    expect(running).toEqual(["a", "b"]);
    finish("b");
    await settled();
    expect(seen(got)).toEqual(["1 b completed"]);
    finish("a");
    expect(seen(await all)).toEqual([
      ...["1 b completed", "0 a completed"],
      ...["2 c failed", "3 d failed"],
    ]);
    expect(got.slice(2).map(({ outcome }) => readCode(outcome))).toEqual(["skipped", "skipped"]);
    expect(started).toEqual(["a", "b"]);
  });

  test("yields cancelled outcomes until its end if the run or the signal cancels", async () => {
    for (const how of ["run", "signal"]) {
      const { tools } = controlledTools(names);
      const run = executorFor(tools).startRun();
      const controller = new AbortController();
      const all = collected(
        run.stream(calls, { strategy: "sequential", signal: controller.signal }),
      );
      await settled();
      if (how === "run") run.cancel();
      else controller.abort();
      expect((await all).map(({ outcome }) => readCode(outcome))).toEqual(
        names.map(() => "cancelled"),
      );
    }
  });
});

describe("leaving a stream", () => {
  test.each([
    ["by break", false],
    ["by throwing", true],
  ])("%s aborts running calls, starts nothing more and waits for nothing", async (_, throws) => {
    const { tools, started, running, aborted, finish } = controlledTools(names);
    const executor = executorFor(tools);
    const events = recorded(executor);
    const got: FinishedCall[] = [];
    const consumed = (async () => {
      for await (const finished of executor.startRun().stream(calls, { maxConcurrency: 2 })) {
        got.push(finished);
        if (throws) throw new Error("enough");
        break;
      }
    })().catch((error: Error) => error.message);
    await settled();
    finish("a");
    expect(await consumed).toBe(throws ? "enough" : undefined);
    await settled();
    expect(seen(got)).toEqual(["0 a completed"]);
    // `b` ignores its signal and continues; it is not awaited. `c` had received the slot of `a`.
    expect([started, running, aborted]).toEqual([
      ["a", "b", "c"],
      ["b", "c"],
      ["b", "c"],
    ]);
    const ends = events.filter(({ type }) => /completed|failed|rejected/.test(type));
    expect(ends.map((event) => "callId" in event && `${event.callId} ${event.type}`)).toEqual([
      "a tool.completed",
      "b tool.failed",
      "c tool.failed",
      "d tool.rejected",
    ]);
    expect(ends.slice(1)).toMatchObject([
      { code: "cancelled" },
      { code: "cancelled" },
      { code: "cancelled" },
    ]);
  });

  test("while an outcome is awaited ends that wait, though no call has ended", async () => {
    const { tools, aborted } = controlledTools(names);
    const iterator = iterate(executorFor(tools).startRun().stream(calls));
    const next = iterator.next();
    await settled();
    expect(await iterator.return?.()).toEqual({ done: true, value: undefined });
    expect(await next).toEqual({ done: true, value: undefined });
    expect(await iterator.next()).toEqual({ done: true, value: undefined });
    expect(aborted).toEqual(names);
  });

  test("before it began makes no call", async () => {
    const { tools, started } = controlledTools(names);
    const executor = executorFor(tools);
    const events = recorded(executor);
    const iterator = iterate(executor.startRun().stream(calls));
    await iterator.return?.();
    expect(await iterator.next()).toEqual({ done: true, value: undefined });
    await settled();
    expect([started, events]).toEqual([[], []]);
  });

  test("while calls are being admitted starts none of them", async () => {
    let admit: (() => void) | undefined;
    const ran: string[] = [];
    const executor = executorFor(
      names.map((name) => tool(name, () => void ran.push(name))),
      {
        hooks: [
          { beforeCall: () => new Promise<undefined>((go) => (admit = () => go(undefined))) },
        ],
      },
    );
    const events = recorded(executor);
    const iterator = iterate(executor.startRun().stream(calls));
    const next = iterator.next();
    await settled();
    await iterator.return?.();
    expect((await next).done).toBe(true);
    admit?.();
    await settled();
    expect(ran).toEqual([]);
    expect(listTypes(events)).toEqual(names.flatMap(() => ["tool.requested", "tool.rejected"]));
  });

  test("while steering decides starts nothing, whatever it answers", async () => {
    const { tools, started, finish } = controlledTools(names);
    let answer: (() => void) | undefined;
    const iterator = iterate(
      executorFor(tools)
        .startRun()
        .stream(calls, {
          strategy: "sequential",
          stopWhen: () => new Promise<undefined>((resolve) => (answer = () => resolve(undefined))),
        }),
    );
    const first = iterator.next();
    await settled();
    finish("a");
    expect((await first).done).toBe(false);
    await settled();
    await iterator.return?.();
    answer?.();
    await settled();
    expect(started).toEqual(["a"]);
  });

  test("does not affect other calls of the run, and releases reservations", async () => {
    const { tools, running } = controlledTools(["a", "b", "other"]);
    const run = executorFor([...tools, tool("later")]).startRun({ limits: { calls: 3 } });
    void run.execute(call("other"));
    const iterator = iterate(run.stream([call("a"), call("b")], { strategy: "sequential" }));
    void iterator.next();
    await settled();
    expect(running).toEqual(["other", "a"]);
    await iterator.return?.();
    expect((await run.execute(call("later"))).status).toBe("completed");
    expect(readCode(await run.execute(call("later")))).toBe("limit_exceeded");
    run.cancel();
  });
});

test("a stream whose calls cannot be made rejects, and leaves nothing waiting", async () => {
  const executor = executorFor(tool("a"));
  executor.registry.toolset = () => {
    throw new Error("broken");
  };
  await expect(collected(executor.startRun().stream([call("a")]))).rejects.toThrow("broken");
});
