import { FakeClock, settled } from "@toolweave/test-support/fake-clock";
import { recordUnhandledRejections } from "@toolweave/test-support/unhandled-rejections";
import { describe, expect, test } from "vitest";
import { suspend, text, type ToolContext, type ToolOutput } from "@toolweave/core";
import { deferred } from "../support/deferred.ts";
import { call, executorFor, recorded, tool } from "../support/executor-for.ts";
import { readCode, completed, getInterruption } from "../support/outcomes.ts";

const said = (what: string): ToolOutput => ({ content: [text(what)] });
const readText = ({ content: [block] }: ToolOutput): string =>
  block?.type === "text" ? block.text : "";

/** A tool that sends updates, and waits until each update has been taken. */
const counting = (name = "t", upTo = 3) =>
  tool(name, async function* () {
    for (let at = 1; at <= upTo; at++) yield `${name} ${at}`;
    return "done";
  });

describe("the updates of one call", () => {
  test("are sent to the caller of execute, after hooks, with the call", async () => {
    const seen: string[] = [];
    const executor = executorFor(counting(), {
      hooks: [{ beforeUpdate: (_, update) => said(`${readText(update)}!`) }],
    });
    const run = executor.startRun();
    const onUpdate = (output: ToolOutput, { id }: { id: string }): void =>
      void seen.push(`${id}: ${readText(output)}`);
    completed(await run.execute(call("t", {}, "a"), { onUpdate }));
    completed(await run.execute(call("t", {}, "b")));
    completed(await executor.execute(call("t", {}, "c"), { onUpdate }));
    const expected = (id: string): string[] => [1, 2, 3].map((at) => `${id}: t ${at}!`);
    expect(seen).toEqual([...expected("a"), ...expected("c")]);
  });

  test("are sent for each of several calls, and for one that was admitted before", async () => {
    const seen: string[] = [];
    const run = executorFor(counting("t", 1)).startRun();
    const onUpdate = (_: ToolOutput, { id }: { id: string }): void => void seen.push(id);
    const calls = [call("t", {}, "a"), call("t", {}, "b")];
    await run.executeAll(calls, { onUpdate });
    const others = [call("t", {}, "c"), call("t", {}, "d")];
    for await (const { outcome } of run.stream(others, { onUpdate })) completed(outcome);
    const admitted = call("t", {}, "e");
    expect(await run.checkAdmission(admitted)).toBeUndefined();
    completed(await run.execute(admitted, { onUpdate }));
    expect(seen.toSorted()).toEqual(["a", "b", "c", "d", "e"]);
  });

  test("are sent to the caller of resume when the call is resumed", async () => {
    const seen: string[] = [];
    const executor = executorFor(
      tool("t", async (_, ctx) => {
        await ctx.update(said(ctx.resumed === undefined ? "before" : "after"));
        if (ctx.resumed !== undefined) return "done";
        return suspend([{ id: "q", type: "input", message: "?" }], null);
      }),
    );
    const onUpdate = (output: ToolOutput): void => void seen.push(readText(output));
    const interruption = getInterruption(await executor.execute(call("t"), { onUpdate }));
    completed(
      await executor.resume(interruption, [{ type: "input", value: 1 }], {
        onUpdate: (output) => void seen.push(`resumed: ${readText(output)}`),
      }),
    );
    expect(seen).toEqual(["before", "resumed: after"]);
  });

  test("of a nested call are not sent as those of the outer one", async () => {
    const seen: string[] = [];
    const executor = executorFor([
      tool("outer", async (_, ctx) => {
        await ctx.scope.execute(call("t"));
        await ctx.update(said("outer"));
        return "done";
      }),
      counting(),
    ]);
    completed(
      await executor.execute(call("outer"), {
        onUpdate: (output) => void seen.push(readText(output)),
      }),
    );
    expect(seen).toEqual(["outer"]);
  });

  test("change nothing if the receiver throws, at once or later", async () => {
    const unhandled = recordUnhandledRejections();
    const executor = executorFor(counting());
    let times = 0;
    completed(
      await executor.execute(call("t"), {
        onUpdate: () => {
          times += 1;
          if (times === 1) throw new Error("no");
          return Promise.reject(new Error("no"));
        },
      }),
    );
    await settled();
    expect(times).toBe(3);
    expect(unhandled).toEqual([]);
  });

  test("are dropped after the end: those that wait and those that arrive later", async () => {
    const seen: string[] = [];
    const go = deferred<void>();
    let kept: ToolContext | undefined;
    const executor = executorFor(
      tool("t", (_, ctx) => {
        kept = ctx;
        void ctx.update(said("one"));
        void ctx.update(said("two"));
        return "done";
      }),
    );
    completed(
      await executor.execute(call("t"), {
        onUpdate: (output) => (seen.push(readText(output)), go.promise),
      }),
    );
    await kept?.update(said("late"));
    go.resolve();
    await settled();
    expect(seen).toEqual(["one"]);
  });

  test("are received by a function, and anything else is refused with the reason", () => {
    const executor = executorFor(counting());
    const options = { onUpdate: {} as never };
    expect(() => executor.execute(call("t"), options)).toThrow(/onUpdate is \{\}; use a function/);
    expect(() => executor.resume({} as never, [], options)).toThrow(/executor\.resume: onUpdate/);
  });
});

describe("a slow user interface", () => {
  test("slows down a generator: it continues when its yield has been taken", async () => {
    const steps: string[] = [];
    const taken: (() => void)[] = [];
    const executor = executorFor(
      tool("t", async function* () {
        for (const at of [1, 2, 3]) {
          steps.push(`made ${at}`);
          yield `${at}`;
        }
        return "done";
      }),
    );
    const outcome = executor.execute(call("t"), {
      onUpdate: (output) => {
        steps.push(`got ${readText(output)}`);
        return new Promise<void>((resolve) => taken.push(resolve));
      },
    });
    await settled();
    expect(steps).toEqual(["made 1", "got 1"]);
    taken.shift()?.();
    await settled();
    expect(steps).toEqual(["made 1", "got 1", "made 2", "got 2"]);
    taken.shift()?.();
    await settled();
    taken.shift()?.();
    completed(await outcome);
    expect(steps.slice(4)).toEqual(["made 3", "got 3"]);
  });

  test("receives the latest of the updates that arrived meanwhile, and all of them are awaited until then", async () => {
    const seen: string[] = [];
    const taken: (() => void)[] = [];
    const ends: string[] = [];
    const executor = executorFor(
      tool("t", async (_, ctx) => {
        await Promise.all(
          Array.from({ length: 1000 }, async (_, at) => {
            await ctx.update(said(`${at}`));
            if (at % 333 === 0) ends.push(`${at} taken`);
          }),
        );
        return "done";
      }),
    );
    const outcome = executor.execute(call("t"), {
      onUpdate: (output) => {
        seen.push(readText(output));
        return new Promise<void>((resolve) => taken.push(resolve));
      },
    });
    await settled();
    expect([seen, ends]).toEqual([["0"], []]);
    taken.shift()?.();
    await settled();
    expect([seen, ends]).toEqual([["0", "999"], ["0 taken"]]);
    taken.shift()?.();
    completed(await outcome);
    expect(ends).toEqual(["0 taken", "333 taken", "666 taken", "999 taken"]);
  });

  test.each(["onUpdate", "beforeUpdate", "afterUpdate"] as const)(
    "that never answers in %s delays the tool no longer than a hook may",
    async (where) => {
      const clock = new FakeClock();
      const never = (): Promise<never> => new Promise<never>(() => {});
      const executor = executorFor(counting("t", 2), {
        clock,
        hookTimeoutMs: 100,
        hooks: where === "onUpdate" ? [] : [{ [where]: never }],
      });
      const events = recorded(executor);
      const outcome = executor.execute(call("t"), where === "onUpdate" ? { onUpdate: never } : {});
      await clock.advance(199);
      expect(events.at(-1)?.type).not.toBe("tool.completed");
      await clock.advance(2);
      completed(await outcome);
      const updates = events.filter(({ type }) => type === "tool.updated");
      // An update that an earlier hook has not passed on may contain secrets.
      expect(updates).toHaveLength(where === "beforeUpdate" ? 0 : 2);
      expect(clock.timers).toBe(0);
    },
  );

  test("does not prevent a call from being stopped, and updates that it has not taken by then are dropped", async () => {
    let cleaned = false;
    const executor = executorFor(
      tool("t", async function* () {
        try {
          yield "one";
          yield "two";
          return "done";
        } finally {
          cleaned = true;
        }
      }),
    );
    const seen: string[] = [];
    const run = executor.startRun();
    const go = deferred<void>();
    const outcome = run.execute(call("t"), {
      onUpdate: (output) => (seen.push(readText(output)), go.promise),
    });
    await settled();
    run.cancel();
    expect(readCode(await outcome)).toBe("cancelled");
    await settled();
    expect(cleaned).toBe(true);
    go.resolve();
    await settled();
    expect(seen).toEqual(["one"]);
  });

  test("of an earlier attempt receives nothing of the next one out of order", async () => {
    const clock = new FakeClock();
    const seen: string[] = [];
    const executor = executorFor(
      tool(
        "t",
        async (_, ctx) => {
          void ctx.update(said(`attempt ${ctx.attempt}, one`));
          void ctx.update(said(`attempt ${ctx.attempt}, two`));
          if (ctx.attempt === 1) return new Promise(() => {});
          return "done";
        },
        { timeoutMs: 10, annotations: { idempotentHint: true }, retry: { attempts: 2 } },
      ),
      { clock, hookTimeoutMs: 0 },
    );
    const hold = deferred<void>();
    const outcome = executor.execute(call("t"), {
      onUpdate: (output) => {
        seen.push(readText(output));
        return seen.length === 1 ? hold.promise : undefined;
      },
    });
    await clock.advance(5000);
    hold.resolve();
    completed(await outcome);
    await settled();
    expect(seen).toEqual(["attempt 1, one", "attempt 2, one", "attempt 2, two"]);
  });
});

test("an update is bounded: text, blocks, value, details", async () => {
  const seen: ToolOutput[] = [];
  const executor = executorFor(
    tool("t", async (_, ctx) => {
      const long = "é".repeat(1000);
      await ctx.update(said(long));
      await ctx.update({ content: [text("ok")], value: { long }, details: { long } });
      await ctx.update({ content: Array.from({ length: 5000 }, () => text("")) });
      await ctx.update({ content: [text("a"), { type: "image", data: long, mimeType: "a/b" }] });
      await ctx.update({ content: [{ ...text("a"), _meta: { long } }] });
      return "done";
    }),
    { maxOutputBytes: 101 },
  );
  completed(await executor.execute(call("t"), { onUpdate: (output) => void seen.push(output) }));
  expect(seen).toEqual([
    said("é".repeat(50)),
    said("ok"),
    { content: Array.from({ length: 1000 }, () => text("")) },
    said("a"),
    said("a"),
  ]);
});
