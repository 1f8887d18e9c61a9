import { settled } from "@toolweave/test-support/fake-clock";
import { describe, expect, test } from "vitest";
import type { Tool, ToolContext } from "@toolweave/core";
import {
  call,
  executorFor,
  foreignTool,
  recorded,
  tool,
  listTypes,
} from "../support/executor-for.ts";
import { readCode, completed, failed } from "../support/outcomes.ts";
import { TestSource } from "../support/test-source.ts";

const never = (): Promise<string> => new Promise(() => {});

/** A tool that reports its start, and never answers. */
function hanging(name = "hang"): { tool: Tool; started: () => number } {
  let started = 0;
  return { tool: tool(name, () => ((started += 1), never())), started: () => started };
}

describe("cancelling", () => {
  test("TC27 before the start prevents the tool from running", async () => {
    const { tool, started } = hanging();
    const executor = executorFor(tool);
    const events = recorded(executor);
    const signal = AbortSignal.abort();
    for (const outcome of [
      await executor.execute(call("hang"), { signal }),
      await executor.startRun({ signal }).execute(call("hang")),
      await executor.startRun().execute(call("hang"), { signal }),
    ]) {
      const { error, result } = failed(outcome);
      expect([error.code, error.retryable, result.durationMs]).toEqual(["cancelled", false, 0]);
    }
    expect(started()).toBe(0);
    expect(listTypes(events)).toEqual(
      Array.from({ length: 3 }, () => ["tool.requested", "tool.rejected"]).flat(),
    );
  });

  test("a run ends all of its calls, and those of other runs continue", async () => {
    const executor = executorFor([hanging().tool, tool("quick")]);
    const [run, other] = [executor.startRun(), executor.startRun()];
    const [a, b, c] = [
      run.execute(call("hang")),
      run.execute(call("hang")),
      other.execute(call("hang")),
    ];
    await settled();
    run.cancel("The user has left.");
    expect(failed(await a).error.message).toBe("The user has left.");
    expect(readCode(await b)).toBe("cancelled");
    completed(await other.execute(call("quick")));
    expect(readCode(await run.execute(call("quick")))).toBe("cancelled");
    other.cancel();
    expect(readCode(await c)).toBe("cancelled");
  });

  test("a call ends it alone, with its signal", async () => {
    const executor = executorFor(hanging().tool);
    const run = executor.startRun();
    const controller = new AbortController();
    const cancelled = run.execute(call("hang"), { signal: controller.signal });
    let others = 0;
    void run.execute(call("hang")).then(() => (others += 1));
    await settled();
    controller.abort();
    expect(readCode(await cancelled)).toBe("cancelled");
    await settled();
    expect(others).toBe(0);
    run.cancel();
  });

  test("by the run's signal is the same as by the run, and only the first reason counts", async () => {
    const controller = new AbortController();
    const executor = executorFor(hanging().tool);
    const run = executor.startRun({ signal: controller.signal });
    const outcome = run.execute(call("hang"));
    await settled();
    controller.abort();
    run.cancel("later");
    expect(failed(await outcome).error.message).toBe("The run was cancelled.");
  });

  test("fires the tool's signal, which is created when it is read, even after the cancellation", async () => {
    let first: AbortSignal | undefined;
    let ctx: ToolContext | undefined;
    const executor = executorFor([
      tool("early", (_, { signal }) => ((first = signal), never())),
      tool("late", (_, context) => ((ctx = context), never())),
    ]);
    const run = executor.startRun();
    const outcomes = [run.execute(call("early")), run.execute(call("late"))];
    await settled();
    expect(first?.aborted).toBe(false);
    run.cancel();
    await Promise.all(outcomes);
    expect([first?.aborted, ctx?.signal.aborted]).toEqual([true, true]);
    expect(first?.reason).toMatchObject({ code: "cancelled" });
  });

  test("is the reason of a call's end, whatever the tool throws in response", async () => {
    const executor = executorFor(
      tool(
        "notices",
        (_, { signal }) =>
          new Promise((_, reject) =>
            signal.addEventListener("abort", () => reject(new Error("I stop"))),
          ),
      ),
    );
    const run = executor.startRun();
    const outcome = run.execute(call("notices"));
    await settled();
    run.cancel();
    expect(readCode(await outcome)).toBe("cancelled");
  });

  test("from within the tool, before it has returned its promise, ends it", async () => {
    const controller = new AbortController();
    const executor = executorFor([
      tool("own", () => (controller.abort(), never())),
      tool("runs", () => (run.cancel("from within"), never())),
    ]);
    expect(readCode(await executor.execute(call("own"), { signal: controller.signal }))).toBe(
      "cancelled",
    );
    const run = executor.startRun();
    expect(failed(await run.execute(call("runs"))).error.message).toBe("from within");
  });

  test("by a listener, when a call starts or before, takes effect", async () => {
    for (const type of ["tool.requested", "tool.authorized", "tool.started"]) {
      const { tool, started } = hanging();
      const executor = executorFor(tool);
      const run = executor.startRun();
      executor.on((event) => {
        if (event.type === type) run.cancel();
      });
      expect(readCode(await run.execute(call("hang")))).toBe("cancelled");
      expect(started()).toBe(type === "tool.started" ? 1 : 0);
    }
  });

  test("while the tool checks its arguments or its answer is checked ends the call", async () => {
    const executor = executorFor(
      new TestSource("s", [
        foreignTool("checks", { validate: never as never }),
        foreignTool("proposes", { preflight: never as never }),
      ]),
      { policy: "autonomous" },
    );
    for (const name of ["checks", "proposes"]) {
      const run = executor.startRun();
      const outcome = run.execute(call(name));
      await settled();
      run.cancel();
      expect(readCode(await outcome)).toBe("cancelled");
    }
  });

  test("leaves no listener on a signal that outlives the call", async () => {
    const { signal } = new AbortController();
    let listening = 0;
    const add = signal.addEventListener.bind(signal);
    const remove = signal.removeEventListener.bind(signal);
    signal.addEventListener = ((...args: Parameters<typeof add>) => (
      (listening += 1),
      add(...args)
    )) as never;
    signal.removeEventListener = ((...args: Parameters<typeof add>) => (
      (listening -= 1),
      remove(...args)
    )) as never;
    const executor = executorFor([tool("a"), tool("ask", undefined, { needsApproval: true })]);
    for (const name of ["a", "ask", "unknown"]) await executor.execute(call(name), { signal });
    const run = executor.startRun({ signal });
    await run.executeAll([call("a"), call("ask")], { signal });
    await run[Symbol.asyncDispose]();
    expect(listening).toBe(0);
  });
});

describe("the end of a run", () => {
  test("cancels running and later calls", async () => {
    const executor = executorFor(hanging().tool);
    let outcome;
    {
      await using run = executor.startRun();
      outcome = run.execute(call("hang"));
      await settled();
    }
    expect(failed(await outcome).error.message).toBe("The run has ended.");
  });

  test("alone changes nothing for ended calls", async () => {
    const executor = executorFor(tool("a"));
    const run = executor.startRun();
    const outcome = await run.execute(call("a"));
    run.cancel();
    run.cancel();
    expect(completed(outcome).result.isError).toBe(false);
  });
});
