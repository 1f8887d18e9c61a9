import { settled } from "@toolweave/test-support/fake-clock";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type QueuedEvent, type ToolEvent, type ToolExecutor } from "@toolweave/core";
import { deferred } from "../support/deferred.ts";
import { call, executorFor, foreignTool, recorded, tool } from "../support/executor-for.ts";
import { heapUsed } from "../support/heap-used.ts";
import { completed } from "../support/outcomes.ts";
import { TestSource } from "../support/test-source.ts";

type Reader = AsyncIterableIterator<QueuedEvent, undefined>;

/** The events that a reader receives until nothing waits for it any more. */
async function drained(reader: Reader): Promise<QueuedEvent[]> {
  const events: QueuedEvent[] = [];
  let isOver = false;
  const reading = (async () => {
    for (;;) {
      const { done, value } = await reader.next();
      if (done === true) return;
      events.push(value);
    }
  })();
  while (!isOver) {
    const before = events.length;
    await settled();
    isOver = events.length === before;
  }
  await reader.return?.();
  await reading;
  return events;
}

const listSeqs = (events: readonly QueuedEvent[]): number[] => events.map(({ seq }) => seq);

/** Every number from `after` on arrives, or is reported as missing, once and in order. */
function expectGapless(events: readonly QueuedEvent[], after = 0): void {
  let seq = after;
  for (const event of events) {
    const missing = event.type === "events.dropped" ? event.dropped + event.replaced : 1;
    expect(event.seq).toBe(seq + missing);
    seq = event.seq;
  }
}

describe("reading events", () => {
  test("returns the same events as a listener receives, from the call on, in order", async () => {
    const executor = executorFor(tool("t"));
    const reader = executor.events();
    const events = recorded(executor);
    completed(await executor.execute(call("t")));
    expect(await drained(reader)).toEqual(events);
  });

  test("waits for the next event, for any number of readers", async () => {
    const executor = executorFor(tool("t"));
    const reader = executor.events();
    const asked = [reader.next(), reader.next()];
    completed(await executor.execute(call("t")));
    expect((await Promise.all(asked)).map(({ value }) => value?.type)).toEqual([
      "tool.requested",
      "tool.authorized",
    ]);
    await reader.return?.();
  });

  test("ends when the loop is left, and the executor stops emitting", async () => {
    const executor = executorFor(tool("t"));
    void executor.execute(call("t"));
    const reader = executor.events();
    const reading = (async () => {
      for await (const event of reader) if (event.type === "tool.completed") break;
    })();
    completed(await executor.execute(call("t")));
    await reading;
    const late = executor.events();
    completed(await executor.execute(call("t")));
    // The numbers continue where they stopped: nothing was emitted while there was no listener.
    expect(listSeqs(await drained(late))[0]).toBeLessThan(9);
    expect(await reader.next()).toEqual({ done: true, value: undefined });
  });

  test("that waits ends when it is returned from outside", async () => {
    const reader = executorFor(tool("t")).events();
    const waiting = reader.next();
    await reader.return?.();
    expect(await waiting).toEqual({ done: true, value: undefined });
  });

  test("returns changes of the registry, too", async () => {
    const source = new TestSource("s", [foreignTool("a")]);
    const executor = executorFor([source]);
    await executor.registry.ready;
    const reader = executor.events();
    source.set(foreignTool("b"));
    expect(await drained(reader)).toMatchObject([{ type: "registry.changed", added: ["b"] }]);
  });
});

describe("RE02: a tool that emits a million events to a slow reader", () => {
  test("keeps only the latest of updates and progress, and the reader learns how many it did not receive", async () => {
    let grown = 0;
    const executor = executorFor(
      tool("t", (_, ctx) => {
        const before = heapUsed();
        for (let done = 0; done < 500_000; done++) {
          ctx.progress({ done });
          void ctx.update({ content: [] });
        }
        grown = heapUsed() - before;
      }),
    );
    const reader = executor.events();
    completed(await executor.execute(call("t")));
    const events = await drained(reader);
    expect(events.map(({ type }) => type)).toEqual([
      "tool.requested",
      "tool.authorized",
      "tool.started",
      "events.dropped",
      "tool.progressed",
      "tool.updated",
      "tool.completed",
    ]);
    expect(events[3]).toMatchObject({ replaced: 999_998, dropped: 0 });
    expect(events[4]).toMatchObject({ progress: { done: 499_999 } });
    expectGapless(events);
    expect(grown).toBeLessThan(2_000_000);
  });

  test("keeps the latest of each of two calls, whatever their ids are", async () => {
    const executor = executorFor(tool("t", (_, ctx) => ctx.progress({ message: ctx.callId })));
    const reader = executor.events();
    completed(await executor.execute(call("t", {}, "c d"), { id: "r" }));
    completed(await executor.execute(call("t", {}, "d"), { id: "r c" }));
    const events = await drained(reader);
    expect(events.filter(({ type }) => type === "tool.progressed")).toMatchObject([
      { progress: { message: "c d" } },
      { progress: { message: "d" } },
    ]);
  });

  test("events of many calls are dropped from the oldest on, updates first, and counted", async () => {
    const go = deferred<void>();
    const executor = executorFor(
      tool("t", async (_, ctx) => {
        ctx.progress({ done: 1 });
        await go.promise;
      }),
    );
    const reader = executor.events({ maxQueued: 50 });
    const calls = Array.from({ length: 12 }, (_, at) => executor.execute(call("t", {}, `c${at}`)));
    go.resolve();
    for (const outcome of await Promise.all(calls)) completed(outcome);
    const events = await drained(reader);
    expect(events.filter(({ type }) => type === "tool.progressed").length).toBeLessThan(12);
    expect(events.filter(({ type }) => type === "tool.completed")).toHaveLength(12);
    expect(events.filter(({ type }) => type !== "events.dropped")).toHaveLength(50);
    expectGapless(events);
  });
});

describe("EX17: a reader that reconnects", () => {
  const emitEvents = async (executor: ToolExecutor, times = 1): Promise<void> => {
    for (let at = 0; at < times; at++) completed(await executor.execute(call("t")));
  };

  test("receives the events that it has missed, without gap and without duplicate", async () => {
    const executor = executorFor(tool("t"), { eventBacklog: 100 });
    const all = recorded(executor);
    const first = executor.events();
    await emitEvents(executor);
    const before = await drained(first);
    await emitEvents(executor, 3);
    const second = executor.events({ after: before.at(-1)!.seq });
    await emitEvents(executor);
    const after = await drained(second);
    expect([...before, ...after]).toEqual(all);
    expectGapless([...before, ...after]);
  });

  test("too late learns how many are lost", async () => {
    const executor = executorFor(tool("t"), { eventBacklog: 6 });
    await emitEvents(executor, 5);
    const events = await drained(executor.events({ after: 2 }));
    expect(events[0]).toMatchObject({ type: "events.dropped", seq: 14, dropped: 12, replaced: 0 });
    expect(listSeqs(events.slice(1))).toEqual([15, 16, 17, 18, 19, 20]);
  });

  test("from another process is asked to start again", async () => {
    const executor = executorFor(tool("t"), { eventBacklog: 100 });
    const reader = executor.events({ after: 7000 });
    await emitEvents(executor);
    const events = await drained(reader);
    expect(events[0]).toMatchObject({ type: "events.dropped", seq: 0, dropped: 0, reset: true });
    expect(listSeqs(events.slice(1))).toEqual([1, 2, 3, 4]);
    const again = await drained(executor.events({ after: 7000 }));
    expect(again).toEqual(events);
  });

  test("may begin while an event is emitted to it", async () => {
    const executor = executorFor(tool("t"), { eventBacklog: 100 });
    const readers: Reader[] = [];
    executor.on(({ seq }) => {
      if (seq === 2) readers.push(executor.events(), executor.events({ after: 0 }));
    });
    await emitEvents(executor);
    const [now, all] = await Promise.all(readers.map(drained));
    expect(listSeqs(all!)).toEqual([1, 2, 3, 4]);
    expect(listSeqs(now!)).toEqual([3, 4]);
  });

  test("needs a backlog: without one nothing is stored, and the request is refused", () => {
    const executor = executorFor(tool("t"));
    expect(() => executor.events({ after: 1 })).toThrow(/eventBacklog: 1000/);
  });
});

test("whatever is emitted and read, in any order, each number arrives once or is reported as missing", async () => {
  const step = fc.oneof(
    fc.record({ does: fc.constantFrom("call", "progress", "update"), of: fc.nat(3) }),
    fc.record({ does: fc.constant("read"), of: fc.nat(4) }),
    fc.record({ does: fc.constantFrom("leave and return", "return"), of: fc.nat(3) }),
  );
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { maxLength: 60 }),
      fc.integer({ min: 1, max: 8 }),
      fc.integer({ min: 1, max: 20 }),
      async (steps, maxQueued, eventBacklog) => {
        const ends: (() => void)[] = [];
        const contexts: { progress(of: object): void; update(of: object): void }[] = [];
        const executor = executorFor(
          [
            tool("t"),
            tool("runs", (_, ctx) => {
              contexts.push(ctx as never);
              return new Promise<void>((resolve) => ends.push(resolve));
            }),
          ],
          { eventBacklog },
        );
        const all: ToolEvent[] = recorded(executor);
        const running = Array.from({ length: 4 }, (_, at) =>
          executor.execute(call("runs", {}, `r${at}`)),
        );
        await settled();
        let reader = executor.events({ after: 0, maxQueued });
        const read: QueuedEvent[] = [];
        for (const { does, of } of steps) {
          if (does === "call") await executor.execute(call("t"));
          else if (does === "progress") contexts[of]!.progress({ done: of });
          else if (does === "update") contexts[of]!.update({ content: [] });
          else if (does === "read") {
            for (let at = 0; at < of && (read.at(-1)?.seq ?? 0) < all.length; at++) {
              const { value } = await reader.next();
              read.push(value!);
            }
          } else {
            await reader.return?.();
            if (does === "leave and return") contexts[of]!.progress({ done: of });
            reader = executor.events({ after: read.at(-1)?.seq ?? 0, maxQueued });
          }
        }
        for (const end of ends) end();
        await Promise.all(running);
        read.push(...(await drained(reader)));
        expectGapless(read);
        expect(read.at(-1)?.seq).toBe(all.length);
        const came = read.filter(({ type }) => type !== "events.dropped");
        expect(came).toEqual(came.map(({ seq }) => all[seq - 1]));
      },
    ),
    { numRuns: 60 },
  );
});

test.each([
  [{ maxQueued: 0 }, /maxQueued is 0; use a whole number above 0/],
  [{ maxQueued: Infinity }, /maxQueued is Infinity/],
  [{ after: -1 }, /after is -1; use the seq/],
  [{ after: "3" }, /after is "3"/],
  [{ afterr: 3 }, /Did you mean after\?/],
])("reading with %j is refused with the reason", (options, message) => {
  const executor = executorFor(tool("t"), { eventBacklog: 5 });
  expect(() => executor.events(options as never)).toThrow(message);
});

test.each([-1, 1.5, Number.NaN, "10"])("a backlog of %j is refused with the reason", (given) => {
  expect(() => executorFor(tool("t"), { eventBacklog: given as never })).toThrow(/eventBacklog is/);
});
