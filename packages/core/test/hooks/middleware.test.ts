import { FakeClock, settled } from "@toolweave/test-support/fake-clock";
import { recordUnhandledRejections } from "@toolweave/test-support/unhandled-rejections";
import { describe, expect, test } from "vitest";
import {
  suspend,
  text,
  ToolError,
  type Hook,
  type Middleware,
  type ToolContext,
  type ToolErrorCode,
} from "@toolweave/core";
import { call, executorFor, recorded, tool, listTypes } from "../support/executor-for.ts";
import { readCode, completed, failed, getInterruption, textFor } from "../support/outcomes.ts";

const question = { id: "q", type: "input", message: "?" } as const;

describe("middleware", () => {
  test("wraps the tool: its return value replaces the tool's answer", async () => {
    const shout: Middleware = async (_, next) => `${String(await next())}!`;
    const executor = executorFor(
      tool("t", () => "hello"),
      { hooks: [shout] },
    );
    expect(textFor(await executor.execute(call("t")))).toBe("hello!");
  });

  test("receives the tool's return value before it is converted", async () => {
    const answer = new Map([["a", 1n]]);
    const seen: unknown[] = [];
    const executor = executorFor(
      tool("t", () => answer),
      {
        hooks: [
          async (_, next) => {
            const returned = await next();
            seen.push(returned);
            return returned;
          },
        ],
      },
    );
    const { result } = completed(await executor.execute(call("t")));
    expect(seen[0]).toBe(answer);
    expect(result.value).toEqual({ a: "1" });
  });

  test("is nested by priority: the lowest is outermost, and ties keep the order of registration", async () => {
    const order: string[] = [];
    const noting =
      (name: string): Middleware =>
      async (_, next) => {
        order.push(`${name} in`);
        const returned = await next();
        order.push(`${name} out`);
        return returned;
      };
    const executor = executorFor(
      tool("t", () => void order.push("tool")),
      {
        hooks: [
          { priority: 5, around: noting("late") },
          noting("a"),
          { priority: -5, around: noting("early") },
          noting("b"),
        ],
      },
    );
    completed(await executor.execute(call("t")));
    expect(order).toEqual([
      ...["early in", "a in", "b in", "late in", "tool"],
      ...["late out", "b out", "a out", "early out"],
    ]);
  });

  test("is in one list with the other hooks: the same priority, the same filter", async () => {
    const order: string[] = [];
    const both = (name: string, priority: number): Hook => ({
      priority,
      when: ({ spec }) => spec.name === "t",
      beforeCall: () => void order.push(`before ${name}`),
      around: (_, next) => (order.push(`around ${name}`), next()),
      afterCall: () => void order.push(`after ${name}`),
    });
    const executor = executorFor([tool("t"), tool("other")], {
      hooks: [both("two", 2), both("one", 1)],
    });
    completed(await executor.execute(call("t")));
    completed(await executor.execute(call("other")));
    expect(order).toEqual(
      ["before", "around", "after"].flatMap((when) => [`${when} one`, `${when} two`]),
    );
  });

  test("runs after the call was authorized and its start was emitted", async () => {
    const executor = executorFor([tool("t"), tool("ask", undefined, { needsApproval: true })], {
      hooks: [(_, next) => (seen.push(...listTypes(events)), next())],
    });
    const events = recorded(executor);
    const seen: string[] = [];
    completed(await executor.execute(call("t")));
    expect(seen).toEqual(["tool.requested", "tool.authorized", "tool.started"]);
    seen.length = 0;
    getInterruption(await executor.execute(call("ask")));
    expect(seen).toEqual([]);
  });

  test("AR06 cannot change the arguments: they are the authorized ones", async () => {
    const got: unknown[] = [];
    const sneaky: Middleware = (call, next) => {
      expect(() => ((call.arguments as { path: string }).path = "/etc")).toThrow(TypeError);
      expect(() => ((call as { arguments: unknown }).arguments = {})).toThrow(TypeError);
      return (next as (args: unknown) => Promise<unknown>)({ path: "/etc" });
    };
    const executor = executorFor(
      tool("t", (args) => void got.push(args), { injected: [{ name: "user", required: false }] }),
      { hooks: [sneaky] },
    );
    completed(await executor.execute(call("t", { path: "/safe", user: "root" })));
    expect(got).toEqual([{ path: "/safe" }]);
  });

  test("TC17 receives the arguments that the tool got, even if the tool has changed them", async () => {
    const seen: unknown[] = [];
    const executor = executorFor(
      tool("t", (args) => void ((args as Record<string, unknown>)["n"] = 2)),
      {
        hooks: [
          async ({ arguments: args }, next) => {
            await next();
            seen.push(args);
          },
        ],
      },
    );
    completed(await executor.execute(call("t", { n: 1 })));
    expect(seen).toEqual([{ n: 1 }]);
  });

  test("may answer instead of the tool, and its answer is validated like the tool's", async () => {
    let ran = 0;
    const cache: Middleware = ({ arguments: args }) => args["cached"];
    const executor = executorFor(
      tool("t", () => (ran += 1), { output: { type: "number" } }),
      {
        hooks: [cache],
      },
    );
    const { result } = completed(await executor.execute(call("t", { cached: 7 })));
    expect(result).toMatchObject({ value: 7, content: [text("7")] });
    expect(readCode(await executor.execute(call("t", { cached: "seven" })))).toBe("invalid_output");
    expect(ran).toBe(0);
  });

  test("may replace the tool's error by its own, and the other way round", async () => {
    const executor = executorFor(
      [
        tool("throws", () => {
          throw new Error("disk full");
        }),
        tool("answers"),
      ],
      {
        hooks: [
          async ({ spec }, next) => {
            if (spec.name === "answers") throw new ToolError("unavailable", "Not today.");
            return next().catch((error: Error) => `it said: ${error.message}`);
          },
        ],
      },
    );
    expect(textFor(await executor.execute(call("throws")))).toBe("it said: disk full");
    expect(readCode(await executor.execute(call("answers")))).toBe("unavailable");
  });

  test("that throws at once fails the call, whose tool has not run", async () => {
    let ran = 0;
    const executor = executorFor(
      tool("t", () => void (ran += 1)),
      {
        hooks: [
          () => {
            throw new Error("no");
          },
        ],
      },
    );
    const events = recorded(executor);
    expect(readCode(await executor.execute(call("t")))).toBe("execution_failed");
    expect([ran, listTypes(events).at(-1)]).toEqual([0, "tool.failed"]);
  });

  test("whose filter throws fails the call as the host's defect, whatever the outer ones make of that", async () => {
    let ran = 0;
    const executor = executorFor(
      tool("t", () => void (ran += 1)),
      {
        hooks: [
          (_, next) => next().catch(() => "all is well"),
          {
            when: () => {
              throw new Error("secret detail");
            },
            around: (_, next) => next(),
          },
        ],
      },
    );
    const { error } = failed(await executor.execute(call("t")));
    expect([error.code, error.message, ran]).toEqual([
      "internal",
      "t was not run because a check of the host failed.",
      0,
    ]);
  });
});

describe("next", () => {
  test("called twice is a defect: the tool runs once, and the call fails whatever the answer is", async () => {
    let ran = 0;
    const twice: Middleware = async (_, next) => {
      await next();
      return next().catch(() => "all is well");
    };
    const executor = executorFor(
      tool("t", () => void (ran += 1)),
      { hooks: [twice] },
    );
    const { error } = failed(await executor.execute(call("t")));
    expect([error.code, error.audience, ran]).toEqual(["internal", "host", 1]);
    expect(error.message).toBe(
      "A middleware around t called next() twice, or after it had answered. The tool may have run: do not repeat the call before checking what it did.",
    );
  });

  test("called after the answer runs nothing", async () => {
    let ran = 0;
    let late: (() => Promise<unknown>) | undefined;
    const executor = executorFor(
      tool("t", () => void (ran += 1)),
      { hooks: [(_, next) => ((late = next), "at once")] },
    );
    expect(textFor(await executor.execute(call("t")))).toBe("at once");
    await expect(late?.()).rejects.toMatchObject({ code: "internal" });
    expect(ran).toBe(0);
  });

  test("called after the call has ended runs nothing", async () => {
    const clock = new FakeClock();
    let ran = 0;
    let go: () => void = () => {};
    const executor = executorFor(
      tool("t", () => void (ran += 1), { timeoutMs: 50 }),
      {
        clock,
        hooks: [
          async (_, next) => {
            await new Promise<void>((resolve) => (go = resolve));
            return next();
          },
        ],
      },
    );
    const timedOut = executor.execute(call("t"));
    await clock.advance(50);
    expect(readCode(await timedOut)).toBe("timeout");
    go();
    await settled();
    const run = executor.startRun();
    const cancelled = run.execute(call("t"));
    await settled();
    run.cancel();
    go();
    expect(readCode(await cancelled)).toBe("cancelled");
    await settled();
    expect(ran).toBe(0);
  });

  test("that is not awaited breaks neither the call nor the process", async () => {
    const unhandled = recordUnhandledRejections();
    const executor = executorFor(
      tool("t", () => Promise.reject(new Error("not awaited"))),
      { hooks: [(_, next) => (void next(), "at once")] },
    );
    expect(textFor(await executor.execute(call("t")))).toBe("at once");
    await settled();
    expect(unhandled).toEqual([]);
  });

  test("that lost a race stops its tool, whose result is not awaited", async () => {
    let ctx: ToolContext | undefined;
    const executor = executorFor(
      tool("t", (_, context) => ((ctx = context), void context.signal, new Promise(() => {}))),
      { hooks: [(_, next) => Promise.race([next(), Promise.resolve("the fallback")])] },
    );
    const events = recorded(executor);
    expect(textFor(await executor.execute(call("t")))).toBe("the fallback");
    expect(ctx?.signal.aborted).toBe(true);
    ctx?.update({ content: [] });
    expect(listTypes(events).slice(2)).toEqual(["tool.started", "tool.completed"]);
    expect(readCode(await ctx?.scope.execute(call("t")))).toBe("cancelled");
  });
});

describe("a middleware cannot suppress", () => {
  const swallowing: [string, Middleware][] = [
    ["answers all the same", async (_, next) => (await next().catch(() => {}), "all is well")],
    [
      "throws something else",
      async (_, next) => {
        await next().catch(() => {});
        throw new Error("something else");
      },
    ],
  ];

  test.each(swallowing)("a wait for a person, if it %s", async (_, middleware) => {
    const executor = executorFor(
      tool("t", (_, { resumed }) =>
        resumed === undefined
          ? suspend([question], { step: 1 })
          : `went on from ${JSON.stringify(resumed.state)}`,
      ),
      { hooks: [middleware] },
    );
    const events = recorded(executor);
    const interruption = getInterruption(await executor.execute(call("t")));
    expect(interruption.requests).toMatchObject([question]);
    expect(listTypes(events).at(-1)).toBe("tool.suspended");
  });

  test.each(swallowing)("a refusal or an exhausted limit, if it %s", async (_, middleware) => {
    const codes: ToolErrorCode[] = [
      "permission_denied",
      "approval_rejected",
      "limit_exceeded",
      "cancelled",
    ];
    for (const code of codes) {
      const refusal = new ToolError(code, "No.");
      const executor = executorFor(
        tool("t", () => Promise.reject(refusal)),
        { hooks: [middleware] },
      );
      expect(failed(await executor.execute(call("t"))).error).toBe(refusal);
    }
  });

  test.each(swallowing)("a cancellation, if it %s", async (_, middleware) => {
    const executor = executorFor(
      tool(
        "t",
        (_, { signal }) =>
          new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason))),
      ),
      { hooks: [middleware] },
    );
    const run = executor.startRun();
    const outcome = run.execute(call("t"));
    await settled();
    run.cancel("enough");
    expect(failed(await outcome).error.message).toBe("enough");
  });

  test("the timeout of the attempt, which also applies to the middleware", async () => {
    const clock = new FakeClock();
    const executor = executorFor(tool("t", undefined, { timeoutMs: 50 }), {
      clock,
      hooks: [() => new Promise(() => {})],
    });
    const outcome = executor.execute(call("t"));
    await clock.advance(50);
    expect(readCode(await outcome)).toBe("timeout");
  });
});
