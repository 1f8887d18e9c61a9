import { FakeClock, settled } from "@toolweave/test-support/fake-clock";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { ConcurrencyLimits, Tool, ToolCall } from "@toolweave/core";
import { call, executorFor, tool } from "../support/executor-for.ts";
import { readCode, completed } from "../support/outcomes.ts";
import { Controlled } from "./controlled.ts";

/** A tool that makes calls, all at once or one after another, and returns their outcomes. */
function caller(name: string, calls: readonly ToolCall[], order: "together" | "in turn"): Tool {
  return tool(name, async (_, { scope }) => {
    const statuses: string[] = [];
    if (order === "together") {
      const outcomes = await Promise.all(calls.map((nested) => scope.execute(nested)));
      return outcomes.map(({ status }) => status);
    }
    for (const nested of calls) statuses.push((await scope.execute(nested)).status);
    return statuses;
  });
}

const one: ConcurrencyLimits = { max: 1 };

describe("the slot of a tool that makes calls", () => {
  test("is released while they run, so that a chain of sixteen needs one slot", async () => {
    let deepest = 0;
    const again = tool("again", async ({ depth }, { scope }) => {
      deepest = Number(depth);
      if (deepest === 16) return "bottom";
      const outcome = await scope.execute(call("again", { depth: deepest + 1 }));
      return outcome.status;
    });
    for (const concurrency of [one, { perTool: 1 }, { perSource: 1 }, { exclusive: "*" }]) {
      const executor = executorFor(again, { limits: { concurrency } });
      completed(await executor.execute(call("again", { depth: 0 })));
      completed(await executor.execute(call("again", { depth: 0 })));
      expect(deepest).toBe(16);
    }
  });

  test("is released for several at once, which take turns, and is reacquired once", async () => {
    const controlled = new Controlled();
    const calls = ["a1", "a2", "a3"].map((id) => call("a", {}, id));
    const executor = executorFor([caller("top", calls, "together"), controlled.tool("a")], {
      limits: { concurrency: one },
    });
    const outcome = executor.execute(call("top"));
    for (const { id } of calls) {
      await settled();
      expect(controlled.running).toEqual([id]);
      controlled.end(id);
    }
    expect(completed(await outcome).result.value).toEqual(["completed", "completed", "completed"]);
  });

  test("is reacquired before others start, and before the tool receives the outcome", async () => {
    const controlled = new Controlled();
    const seen: string[] = [];
    const top = tool("top", async (_, { scope }) => {
      await scope.execute(call("a", {}, "a1"));
      seen.push(`top continues while ${controlled.running.join() || "nothing"} runs`);
      await scope.execute(call("a", {}, "a2"));
    });
    const executor = executorFor([top, controlled.tool("a"), controlled.tool("b")], {
      limits: { concurrency: one },
    });
    const outcome = executor.execute(call("top"));
    await settled();
    void executor.execute(call("b", {}, "b1"));
    void executor.execute(call("b", {}, "b2"));
    await settled();
    controlled.end("a1");
    await settled();
    expect(seen).toEqual(["top continues while nothing runs"]);
    // In order of arrival, the tool's own next call included.
    expect(controlled.started).toEqual(["a1", "b1"]);
    controlled.end("b1");
    await settled();
    controlled.end("b2");
    await settled();
    controlled.end("a2");
    completed(await outcome);
    expect(controlled.started).toEqual(["a1", "b1", "b2", "a2"]);
  });

  test("is not awaited by one that was stopped while its call ran", async () => {
    const controlled = new Controlled();
    let went = 0;
    const clock = new FakeClock();
    const top = tool(
      "top",
      async (_, { scope }) => {
        await scope.execute(call("a"));
        went += 1;
      },
      { timeoutMs: 1000 },
    );
    const executor = executorFor([top, controlled.tool("a"), controlled.tool("b")], {
      clock,
      timeoutMs: 0,
      maxTimeoutMs: 0,
      limits: { concurrency: one },
    });
    const outcome = executor.execute(call("top"));
    await settled();
    const other = executor.execute(call("b"));
    await clock.advance(1000);
    expect(readCode(await outcome)).toBe("timeout");
    await settled();
    expect([controlled.running, went]).toEqual([["b"], 1]);
    controlled.end("b");
    completed(await other);
  });

  test("is awaited if others have taken it, and no longer than the tool's timeout", async () => {
    const controlled = new Controlled();
    const went: string[] = [];
    const top = tool("top", async (_, ctx) => {
      const outcome = await ctx.scope.execute(call("a", {}, `a of ${ctx.callId}`));
      went.push(`${ctx.callId} ${outcome.status}`);
      await controlled.work(ctx);
    });
    const executor = executorFor([top, controlled.tool("a")], {
      limits: { concurrency: { perTool: 1 } },
    });
    const runs = ["1", "2", "3"].map((id) => {
      const run = executor.startRun();
      return { run, outcome: run.execute(call("top", {}, id)) };
    });
    for (const id of ["1", "2", "3"]) {
      await settled();
      controlled.end(`a of ${id}`);
    }
    await settled();
    expect([went, controlled.running]).toEqual([["1 completed"], ["1"]]);
    runs[1]?.run.cancel();
    expect(readCode(await runs[1]?.outcome)).toBe("cancelled");
    await settled();
    expect([went.splice(0), controlled.running]).toEqual([["1 completed", "2 completed"], ["1"]]);
    controlled.end("1");
    await settled();
    expect([went, controlled.running]).toEqual([["3 completed"], ["3"]]);
    controlled.end("3");
    completed(await runs[0]?.outcome);
    completed(await runs[2]?.outcome);
  });

  test("is not reserved for a tool that has ended without awaiting its calls", async () => {
    const controlled = new Controlled();
    const top = tool("top", (_, { scope }) => {
      void scope.execute(call("a"));
      return "gone";
    });
    const executor = executorFor([top, controlled.tool("a"), tool("b")], {
      limits: { concurrency: one },
    });
    for (let index = 0; index < 3; index++) completed(await executor.execute(call("top")));
    await settled();
    expect((await executor.execute(call("b"))).status).toBe("completed");
  });

  test("stays with the tool if the nested call is refused or waits for a person", async () => {
    const executor = executorFor(
      [
        caller("top", [call("unknown"), call("ask"), call("a")], "in turn"),
        tool("ask", undefined, { needsApproval: true }),
        tool("a"),
      ],
      { limits: { concurrency: one } },
    );
    for (let index = 0; index < 2; index++) {
      const { result } = completed(await executor.execute(call("top")));
      expect(result.value).toEqual(["failed", "interrupted", "completed"]);
    }
  });
});

describe("an exclusive tool that makes calls", () => {
  test("admits its own calls, and no others until it has ended", async () => {
    const controlled = new Controlled();
    const calls = ["a1", "a2"].map((id) => call("a", {}, id));
    const executor = executorFor(
      [
        caller("migrate", [...calls, call("deploy")], "in turn"),
        caller("deploy", [call("a", {}, "a3")], "in turn"),
        controlled.tool("a"),
        controlled.tool("b"),
      ],
      { limits: { concurrency: { exclusive: ["migrate", "deploy"] } } },
    );
    const outcome = executor.execute(call("migrate"));
    await settled();
    const other = executor.execute(call("b"));
    for (const id of ["a1", "a2", "a3"]) {
      await settled();
      expect(controlled.running).toEqual([id]);
      controlled.end(id);
    }
    completed(await outcome);
    await settled();
    expect(controlled.running).toEqual(["b"]);
    controlled.end("b");
    completed(await other);
  });

  test("that is stopped admits the others", async () => {
    const controlled = new Controlled();
    const executor = executorFor(
      [caller("migrate", [call("a")], "in turn"), controlled.tool("a"), controlled.tool("b")],
      { limits: { concurrency: { exclusive: "migrate" } } },
    );
    const run = executor.startRun();
    const outcome = run.execute(call("migrate"));
    const other = executor.execute(call("b"));
    await settled();
    expect(controlled.running).toEqual(["a"]);
    run.cancel();
    expect(readCode(await outcome)).toBe("cancelled");
    await settled();
    expect(controlled.running).toEqual(["b"]);
    controlled.end("b");
    completed(await other);
  });

  test("may be called by one that is not exclusive, and does not run beside that one's other calls", async () => {
    const controlled = new Controlled();
    const calls = [call("a", {}, "a1"), call("only"), call("a", {}, "a2")];
    const executor = executorFor(
      [caller("top", calls, "together"), controlled.tool("a"), controlled.tool("only")],
      { limits: { concurrency: { exclusive: "only" } } },
    );
    const outcome = executor.execute(call("top"));
    for (const id of ["a1", "only", "a2"]) {
      await settled();
      expect(controlled.running).toEqual([id]);
      controlled.end(id);
    }
    completed(await outcome);
  });
});

test("any set of nested calls ends, whatever the limits", async () => {
  interface Node {
    readonly name: string;
    readonly together: boolean;
    readonly children: readonly Node[];
  }
  const { node } = fc.letrec<{ node: Node }>((tie) => ({
    node: fc.record({
      name: fc.constantFrom("a", "b", "only"),
      together: fc.boolean(),
      children: fc.oneof(
        { maxDepth: 4, withCrossShrink: true },
        fc.constant<readonly Node[]>([]),
        fc.array(tie("node"), { maxLength: 3 }),
      ),
    }),
  }));
  const places = fc.option(fc.integer({ min: 1, max: 3 }), { nil: undefined });
  const limits = fc.record({ max: places, perTool: places, perSource: places });
  await fc.assert(
    fc.asyncProperty(fc.array(node, { maxLength: 6 }), limits, async (forest, concurrency) => {
      let ran = 0;
      const tools = ["a", "b", "only"].map((name) =>
        tool(name, async (args, { scope }) => {
          ran += 1;
          const { together, children } = args as unknown as Node;
          const make = (child: Node) => scope.execute(toCall(child));
          if (together) return (await Promise.all(children.map(make))).length;
          for (const child of children) completed(await make(child));
          return 0;
        }),
      );
      const toCall = (at: Node): ToolCall => call(at.name, at as never);
      const size = (nodes: readonly Node[]): number =>
        nodes.reduce((sum, { children }) => sum + 1 + size(children), 0);
      const executor = executorFor(tools, {
        limits: { concurrency: { ...(concurrency as ConcurrencyLimits), exclusive: "only" } },
      });
      const outcomes = await Promise.all(forest.map((root) => executor.execute(toCall(root))));
      for (const outcome of outcomes) completed(outcome);
      expect(ran).toBe(size(forest));
    }),
  );
});
