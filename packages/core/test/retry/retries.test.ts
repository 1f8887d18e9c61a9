import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { suspend, text, ToolError, type Tool } from "@toolweave/core";
import { call, tool, listTypes } from "../support/executor-for.ts";
import { readCode, completed, failed, getInterruption, textFor } from "../support/outcomes.ts";
import { busy, flaky, idempotent, listRetries, retrying, withoutJitter } from "./flaky.ts";

beforeEach(withoutJitter);
afterEach(() => void vi.restoreAllMocks());

describe("a call that is retried", () => {
  test("TC24 answers with its first successful attempt, and emits the others", async () => {
    const { tool, attempts } = flaky(busy(), busy());
    const { clock, executor, events } = retrying(tool, { attempts: 4 });
    const outcome = executor.execute(call("t"));
    await clock.advance(1000);
    expect(textFor(await outcome)).toBe("the answer of attempt 3");
    expect(attempts()).toBe(3);
    expect(listRetries(events)).toEqual([
      [1, "upstream", 200],
      [2, "upstream", 400],
    ]);
    expect(listTypes(events)).toEqual([
      "tool.requested",
      "tool.authorized",
      "tool.started",
      "tool.retried",
      "tool.retried",
      "tool.completed",
    ]);
    expect(events.find(({ type }) => type === "tool.started")).toMatchObject({ attempt: 1 });
    expect(events.at(-1)).toMatchObject({ attempt: 3, durationMs: 600 });
    expect(clock.timers).toBe(0);
  });

  test("costs no model turn: one call, one outcome (vercel/ai #16181)", async () => {
    const { tool } = flaky(busy());
    const { clock, executor } = retrying(tool, { attempts: 2 });
    const outcomes: unknown[] = [];
    void executor.execute(call("t")).then((outcome) => outcomes.push(outcome));
    await clock.advance(10_000);
    expect(outcomes).toHaveLength(1);
    expect(outcomes[0]).toMatchObject({ status: "completed", result: { callId: "t" } });
  });

  test("fails with the error of its last attempt if none is left", async () => {
    const last = busy();
    const { tool, attempts } = flaky(busy(), busy(), last, busy());
    const { clock, executor, events } = retrying(tool, { attempts: 3 });
    const outcome = executor.execute(call("t"));
    await clock.advance(10_000);
    expect(failed(await outcome).error).toBe(last);
    expect(attempts()).toBe(3);
    expect(events.at(-1)).toMatchObject({ type: "tool.failed", attempt: 3 });
  });

  test("receives its attempt number, and its own signal and arguments for each", async () => {
    const seen: { attempt: number; args: unknown; signal: AbortSignal }[] = [];
    const { clock, executor } = retrying(
      tool(
        "t",
        async (args, { attempt, signal }) => {
          seen.push({ attempt, args: structuredClone(args), signal });
          (args as { list: number[] }).list.push(attempt);
          if (attempt < 3) throw busy();
          return "done";
        },
        idempotent,
      ),
      { attempts: 3 },
    );
    const outcome = executor.execute(call("t", { list: [0] }));
    await clock.advance(1000);
    completed(await outcome);
    expect(seen.map(({ attempt, args }) => [attempt, args])).toEqual([
      [1, { list: [0] }],
      [2, { list: [0] }],
      [3, { list: [0] }],
    ]);
    expect(seen.map(({ signal }) => signal.aborted)).toEqual([true, true, false]);
    expect(new Set(seen.map(({ signal }) => signal)).size).toBe(3);
  });

  test("runs the middleware in each attempt, and the other hooks once", async () => {
    const received: string[] = [];
    const { tool } = flaky(busy(), busy());
    const { clock, executor } = retrying(
      tool,
      { attempts: 3 },
      {
        hooks: [
          {
            beforeCall: () => void received.push("before"),
            around: (_, next) => (received.push("around"), next()),
            afterCall: () => void received.push("after"),
          },
        ],
      },
    );
    const outcome = executor.execute(call("t"));
    await clock.advance(1000);
    completed(await outcome);
    expect(received).toEqual(["before", "around", "around", "around", "after"]);
  });

  test("counts once against the run's calls, and asks for its approval once", async () => {
    let attempts = 0;
    let asked = 0;
    const { clock, executor } = retrying(
      tool("t", () => (++attempts < 3 ? Promise.reject(busy()) : "done"), {
        ...idempotent,
        needsApproval: true,
      }),
      { attempts: 3 },
      { onAsk: async () => ((asked += 1), { approved: true }) },
    );
    const run = executor.startRun({ limits: { calls: 1 } });
    const outcome = run.execute(call("t"));
    await vi.waitFor(async () => {
      await clock.advance(1000);
      expect(attempts).toBe(3);
    });
    completed(await outcome);
    expect([attempts, asked]).toEqual([3, 1]);
    expect(readCode(await run.execute(call("t")))).toBe("limit_exceeded");
  });

  test("continues in its own turn, even if it need not wait and fails at once", async () => {
    let attempts = 0;
    const { executor } = retrying(
      tool(
        "t",
        () => {
          if (++attempts < 20_000) throw busy();
          return "at last";
        },
        idempotent,
      ),
      { attempts: 20_000, initialDelayMs: 0 },
    );
    expect(textFor(await executor.execute(call("t")))).toBe("at last");
  });

  test("may wait for a person in a later attempt, and is resumed in the next one", async () => {
    const seen: number[] = [];
    const { clock, executor } = retrying(
      tool(
        "t",
        (_, { attempt, resumed }) => {
          seen.push(attempt);
          if (attempt === 1 || attempt === 3) throw busy();
          return resumed === undefined
            ? suspend([{ id: "q", type: "input", message: "?" }], null)
            : "done";
        },
        idempotent,
      ),
      { attempts: 2 },
    );
    const first = executor.execute(call("t"));
    await clock.advance(1000);
    const outcome = executor.resume(getInterruption(await first), [{ type: "input", value: 1 }]);
    await vi.waitFor(async () => {
      await clock.advance(1000);
      expect(seen).toEqual([1, 2, 3, 4]);
    });
    completed(await outcome);
  });
});

describe("an answer that is an error", () => {
  const answering = (...errors: (ToolError | undefined)[]): Tool => {
    let attempt = 0;
    return tool(
      "t",
      () => {
        const error = errors[attempt++];
        return error === undefined
          ? { content: [text(`attempt ${attempt}`)], isError: attempt <= errors.length }
          : { content: [text(`attempt ${attempt}: ${error.message}`)], isError: true, error };
      },
      idempotent,
    );
  };

  test("that is retryable is tried again", async () => {
    const { clock, executor, events } = retrying(answering(busy()), { attempts: 3 });
    const outcome = executor.execute(call("t"));
    await clock.advance(1000);
    expect(completed(await outcome).result).toMatchObject({
      isError: false,
      content: [text("attempt 2")],
    });
    expect(listRetries(events)).toEqual([[1, "upstream", 200]]);
  });

  test("stays an answer if no attempt is left", async () => {
    const { clock, executor } = retrying(answering(busy(), busy()), { attempts: 2 });
    const outcome = executor.execute(call("t"));
    await clock.advance(1000);
    const { result, error } = completed(await outcome);
    expect([result.isError, result.content, error?.code]).toEqual([
      true,
      [text("attempt 2: 503 busy")],
      "upstream",
    ]);
  });

  test("that is not retryable is final, as is one without the flag", async () => {
    const notFound = new ToolError("upstream", "404", { status: 404 });
    for (const error of [notFound, undefined]) {
      const { executor, events } = retrying(answering(error), { attempts: 3 });
      expect(completed(await executor.execute(call("t"))).result.isError).toBe(true);
      expect(listRetries(events)).toEqual([]);
    }
  });

  test("that is retryable, with an afterCall hook, reaches the hook only if it is final", async () => {
    const seen: unknown[] = [];
    const { clock, executor } = retrying(
      answering(busy()),
      { attempts: 3 },
      {
        hooks: [{ afterCall: (_, { isError }) => void seen.push(isError) }],
      },
    );
    const outcome = executor.execute(call("t"));
    await clock.advance(1000);
    completed(await outcome);
    expect(seen).toEqual([false]);
  });
});
