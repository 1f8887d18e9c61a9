import { FakeClock, settled } from "@toolweave/test-support/fake-clock";
import { describe, expect, test } from "vitest";
import { text, ToolError } from "@toolweave/core";
import { deferred } from "../support/deferred.ts";
import { call, executorFor, recorded, tool, listTypes } from "../support/executor-for.ts";
import { completed, failed } from "../support/outcomes.ts";

/** A stream that yields these pieces and then neither ends nor yields any more. */
function stuck(...pieces: readonly unknown[]) {
  const left = [...pieces];
  const cancelled: unknown[] = [];
  const stream = new ReadableStream({
    pull: (controller) =>
      left.length === 0 ? new Promise(() => {}) : controller.enqueue(left.shift()),
    cancel: (reason) => void cancelled.push(reason),
  });
  return { stream, cancelled };
}

function breaking(error: unknown, ...pieces: readonly unknown[]) {
  const left = [...pieces];
  return new ReadableStream({
    pull: (controller) =>
      left.length === 0 ? controller.error(error) : controller.enqueue(left.shift()),
  });
}

describe("TC16: an interrupted stream", () => {
  test("is an error with the received pieces, and the reason", async () => {
    const broken = () => breaking(new Error("connection lost"), "one ", "two");
    const { result, error } = completed(await executorFor(tool("t", broken)).execute(call("t")));
    expect(result.isError).toBe(true);
    expect(result.content).toEqual([
      text("[the answer broke off: t failed: connection lost]"),
      text("one two"),
    ]);
    expect([error?.code, String(error?.cause)]).toEqual([
      "execution_failed",
      "Error: connection lost",
    ]);
  });

  test("without a piece fails the call as if the tool had thrown", async () => {
    const executor = executorFor(tool("t", () => breaking(new Error("connection lost"))));
    expect(failed(await executor.execute(call("t"))).error.message).toBe(
      "t failed: connection lost",
    );
  });

  test("with a ToolError keeps that, and is retried if it is retryable", async () => {
    let attempts = 0;
    const flaky = tool(
      "t",
      () => {
        attempts += 1;
        if (attempts > 1) return "whole";
        return breaking(new ToolError("unavailable", "Gone for a moment."), "half");
      },
      { annotations: { idempotentHint: true }, retry: { attempts: 2, initialDelayMs: 0 } },
    );
    const { result } = completed(await executorFor(flaky).execute(call("t")));
    expect([attempts, result.content]).toEqual([2, [text("whole")]]);
  });

  test("of a generator that throws keeps its earlier pieces", async () => {
    const iterable = {
      async *[Symbol.asyncIterator]() {
        yield { row: 1 };
        throw new Error("lost");
      },
    };
    const { result } = completed(await executorFor(tool("t", () => iterable)).execute(call("t")));
    expect(result).toMatchObject({ isError: true, value: [{ row: 1 }] });
  });
});

describe("TC16: a stream that never ends", () => {
  test("is stopped at the attempt's timeout, with the received pieces, and cancelled", async () => {
    const clock = new FakeClock();
    const { stream, cancelled } = stuck("so far");
    const executor = executorFor(
      tool("t", async () => stream, { timeoutMs: 50 }),
      { clock },
    );
    const events = recorded(executor);
    const outcome = executor.execute(call("t"));
    await clock.advance(49);
    expect(listTypes(events)).not.toContain("tool.completed");
    await clock.advance(1);
    const { result, error } = completed(await outcome);
    expect([error?.code, result.content[1]]).toEqual(["timeout", text("so far")]);
    expect(cancelled).toHaveLength(1);
    await settled();
    expect(listTypes(events).slice(-1)).toEqual(["tool.completed"]);
    expect(clock.timers).toBe(0);
  });

  test("and yields nothing is a timeout like any other, whether or not it was returned at once", async () => {
    for (const give of [(it: unknown) => it, (it: unknown) => Promise.resolve(it)]) {
      const clock = new FakeClock();
      const { stream, cancelled } = stuck();
      const executor = executorFor(
        tool("t", () => give(stream), { timeoutMs: 50 }),
        { clock },
      );
      const outcome = executor.execute(call("t"));
      await clock.advance(50);
      expect(failed(await outcome).error.code).toBe("timeout");
      expect(cancelled).toHaveLength(1);
    }
  });

  test("has only the remaining time of the tool", async () => {
    const clock = new FakeClock();
    const { stream } = stuck("so far");
    const late = deferred<unknown>();
    const executor = executorFor(
      tool("t", () => late.promise, { timeoutMs: 50 }),
      { clock },
    );
    const outcome = executor.execute(call("t"));
    await clock.advance(40);
    late.resolve(stream);
    await clock.advance(10);
    expect(completed(await outcome).error?.code).toBe("timeout");
  });

  test("has the timeout of its own attempt, at the second one, too", async () => {
    const clock = new FakeClock();
    const { stream, cancelled } = stuck("so far");
    const flaky = tool(
      "t",
      (_, { attempt }) => {
        if (attempt === 1) throw new ToolError("unavailable", "Gone for a moment.");
        return stream;
      },
      {
        timeoutMs: 50,
        annotations: { idempotentHint: true },
        retry: { attempts: 2, initialDelayMs: 30 },
      },
    );
    const outcome = executorFor(flaky, { clock }).execute(call("t"), { deadlineMs: 1000 });
    // The wait between them is 15 ms at least.
    await clock.advance(64);
    expect(cancelled).toHaveLength(0);
    await clock.advance(40);
    expect(completed(await outcome).error?.code).toBe("timeout");
    expect(clock.timers).toBe(0);
  });

  test("but always has the next piece ready still meets its deadline", async () => {
    const endless = {
      async *[Symbol.asyncIterator]() {
        for (;;) yield "";
      },
    };
    const executor = executorFor(tool("t", () => endless, { timeoutMs: 50 }));
    expect(failed(await executor.execute(call("t"))).error.code).toBe("timeout");
  });

  test("ends at the limit: the rest is not requested, and the source is cancelled", async () => {
    let given = 0;
    let isOver = false;
    const endless = {
      async *[Symbol.asyncIterator]() {
        try {
          for (;;) {
            given += 1;
            yield "x".repeat(100);
          }
        } finally {
          isOver = true;
        }
      },
    };
    const executor = executorFor(
      tool("t", () => endless),
      { largeOutputs: { maxCapturedBytes: 1050 } },
    );
    const { result } = completed(await executor.execute(call("t")));
    expect([given, isOver]).toEqual([11, true]);
    expect(result.content).toContainEqual(text("x".repeat(1050)));
    expect(result.content).toHaveLength(2);
  });

  test.each<[string, () => unknown]>([
    ["bytes", () => new Uint8Array(100)],
    ["objects", () => ({ some: "thing" })],
    ["numbers", () => 1],
  ])("of %s ends at the limit, too", async (_, piece) => {
    let given = 0;
    const endless = {
      async *[Symbol.asyncIterator]() {
        for (;;) {
          given += 1;
          yield piece();
        }
      },
    };
    const executor = executorFor(
      tool("t", () => endless),
      { largeOutputs: { maxCapturedBytes: 5000 } },
    );
    const { result } = completed(await executor.execute(call("t")));
    expect(given).toBeLessThan(5000);
    expect(result.value).toBeUndefined();
  });
});

describe("TC15: a call that is stopped", () => {
  test("cancels its stream, and nothing more is read", async () => {
    const { stream, cancelled } = stuck("so far");
    const executor = executorFor(tool("t", () => stream));
    const events = recorded(executor);
    const controller = new AbortController();
    const outcome = executor.execute(call("t"), { signal: controller.signal });
    await settled();
    controller.abort();
    expect(failed(await outcome).error.code).toBe("cancelled");
    expect(cancelled).toHaveLength(1);
    await settled();
    expect(listTypes(events).slice(-1)).toEqual(["tool.failed"]);
  });

  test("ends a generator at its next piece, and a Node.js stream at once", async () => {
    const { Readable } = await import("node:stream");
    const readable = new Readable({ read: () => {} });
    readable.push("so far");
    const executor = executorFor(tool("t", () => readable));
    const controller = new AbortController();
    const outcome = executor.execute(call("t"), { signal: controller.signal });
    await settled();
    controller.abort();
    await outcome;
    expect(readable.destroyed).toBe(true);
  });

  test("by its deadline does, too; later pieces are not read", async () => {
    const clock = new FakeClock();
    const { stream, cancelled } = stuck("so far");
    const executor = executorFor(
      tool("t", () => stream),
      { clock },
    );
    const outcome = executor.execute(call("t"), { deadlineMs: 30 });
    await clock.advance(30);
    expect(failed(await outcome).error.code).toBe("timeout");
    expect(cancelled).toHaveLength(1);

    const late = deferred<unknown>();
    const another = stuck("too late");
    const slow = executorFor(
      tool("t", () => late.promise, { timeoutMs: 50 }),
      { clock },
    );
    const timedOut = slow.execute(call("t"));
    await clock.advance(50);
    expect(failed(await timedOut).error.code).toBe("timeout");
    late.resolve(another.stream);
    await settled();
    expect(another.cancelled).toHaveLength(1);
  });

  test.each<[string, () => unknown]>([
    ["whose next throws", () => ({ [Symbol.asyncIterator]: () => ({ next: raise }) })],
    ["whose iterator throws", () => ({ [Symbol.asyncIterator]: raise })],
    ["whose iterator is undefined", () => ({ [Symbol.asyncIterator]: () => undefined })],
    [
      "whose next returns undefined",
      () => ({ [Symbol.asyncIterator]: () => ({ next: () => {} }) }),
    ],
    [
      "whose steps throw when they are read",
      () => ({
        [Symbol.asyncIterator]: () => ({
          next: () => ({
            get done() {
              return raise();
            },
          }),
        }),
      }),
    ],
  ])("has no effect on others with a stream %s", async (_, make) => {
    const executor = executorFor([tool("t", make), tool("good")]);
    expect(failed(await executor.execute(call("t"))).error.code).toBe("execution_failed");
    completed(await executor.execute(call("good")));
  });

  test("requests nothing more, even of a source that continues", async () => {
    const clock = new FakeClock();
    const next = deferred<unknown>();
    let asked = 0;
    const deaf = {
      [Symbol.asyncIterator]: () => ({
        next: () => ((asked += 1) === 1 ? { value: "so far" } : next.promise),
      }),
    };
    const executor = executorFor(
      tool("t", () => deaf, { timeoutMs: 50 }),
      { clock },
    );
    const outcome = executor.execute(call("t"));
    await clock.advance(50);
    expect(completed(await outcome).result.content[1]).toEqual(text("so far"));
    next.resolve({ value: "more" });
    await settled();
    expect(asked).toBe(2);
  });

  test("tolerates a stream that cannot be cancelled", async () => {
    const clock = new FakeClock();
    const stubborn = {
      [Symbol.asyncIterator]: () => ({ next: () => new Promise(() => {}), return: raise }),
    };
    const executor = executorFor(
      tool("t", () => stubborn, { timeoutMs: 50 }),
      { clock },
    );
    const outcome = executor.execute(call("t"));
    await clock.advance(50);
    expect(failed(await outcome).error.code).toBe("timeout");
  });
});

function raise(): never {
  throw new Error("hostile");
}
