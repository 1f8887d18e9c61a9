import { FakeClock } from "@toolweave/test-support/fake-clock";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Tool } from "@toolweave/core";
import { runAgent, subAgentTool, type AgentLimits } from "@toolweave/subagent";
import { ended, executorFor, resultsIn, tool } from "./support/executor-for.ts";
import { scriptedModel, type Said } from "./support/scripted-model.ts";

/** Never ends by itself: calls `tick` in every turn. */
const tireless = (): Said => ({ text: "On and on. ", calls: [{ name: "tick" }], tokens: [60, 40] });

function counted() {
  const count = { ticks: 0, turns: 0 };
  const tick = tool("tick", () => (count.ticks += 1));
  const worker = (limits: AgentLimits, more = {}): Tool =>
    subAgentTool({
      name: "worker",
      description: "Works.",
      system: "Work.",
      model: scriptedModel(() => ((count.turns += 1), tireless())),
      tools: ["tick"],
      limits,
      ...more,
    });
  /** Starts `n` workers at once, and answers when all have ended. */
  const leader = (n: number) =>
    scriptedModel(({ turn }) =>
      turn === 0
        ? {
            calls: Array.from({ length: n }, (_, id) => ({
              id: `w${id}`,
              name: "worker",
              input: { task: "go" },
            })),
            tokens: [60, 40],
          }
        : { text: "done", tokens: [60, 40] },
    );
  return { count, tick, worker, leader };
}

describe("SA04: the budget of an agent", () => {
  test("of tool calls is shared by all of its sub-agents, whatever each has of its own", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 6 }),
        fc.integer({ min: 1, max: 20 }),
        fc.integer({ min: 1, max: 8 }),
        async (children, most, each) => {
          const { count, tick, worker, leader } = counted();
          const executor = executorFor([tick, worker({ toolCalls: each, turns: 100 })]);
          const result = await runAgent({
            model: leader(children),
            executor,
            prompt: "go",
            limits: { toolCalls: most, turns: 1000 },
          });
          const started = Math.min(children, most);
          expect(count.ticks).toBe(Math.min(most - started, started * each));
          expect(result.usage.toolCalls).toBe(started + count.ticks);
        },
      ),
      { numRuns: 50 },
    );
  });

  test("of turns is shared, and the result of a sub-agent that could not finish says so", async () => {
    const { count, tick, worker, leader } = counted();
    const executor = executorFor([tick, worker({ turns: 50 })]);
    const result = ended(
      await runAgent({ model: leader(3), executor, prompt: "go", limits: { turns: 10 } }),
      "stopped",
    );
    expect(count.turns).toBe(9);
    expect(result.usage.turns).toBe(10);
    expect(result.limit).toBe("turns");
    expect(result.message).toContain("not a completed answer");
    for (const said of resultsIn(result)) {
      expect(said).toMatch(
        /the agents above it have used their 10 turns.*not a completed answer.*On and on/s,
      );
    }
  });

  test("of tokens is shared, except for turns that run when it is exhausted", async () => {
    const { count, tick, worker, leader } = counted();
    const executor = executorFor([tick, worker({})]);
    const result = ended(
      await runAgent({ model: leader(3), executor, prompt: "go", limits: { tokens: 1000 } }),
      "stopped",
    );
    const used = result.usage.inputTokens + result.usage.outputTokens;
    expect(used).toBeGreaterThanOrEqual(1000);
    expect(used).toBeLessThanOrEqual(1000 + 3 * 100);
    expect(used).toBe(100 * (count.turns + 1));
  });

  test("of tokens counts a quarter of the characters if the model reports nothing", async () => {
    const { tick } = counted();
    const model = scriptedModel(() => ({ ...tireless(), tokens: [undefined, undefined] as never }));
    const result = ended(
      await runAgent({
        model,
        executor: executorFor([tick]),
        prompt: "go",
        limits: { tokens: 300 },
      }),
      "stopped",
    );
    expect(result.limit).toBe("tokens");
    expect(result.usage.turns).toBeLessThan(8);
  });

  test("of a sub-agent is at most its own, whatever the parent has left", async () => {
    const { count, tick, worker, leader } = counted();
    const executor = executorFor([tick, worker({ turns: 2 })]);
    const result = ended(
      await runAgent({ model: leader(2), executor, prompt: "go", limits: { turns: 1000 } }),
      "completed",
    );
    expect(count.turns).toBe(4);
    expect(resultsIn(result)[0]).toContain("it has used its 2 turns");
  });

  test("of a sub-agent's sub-agents is part of the sub-agent's", async () => {
    const { count, tick, worker } = counted();
    const middle = subAgentTool({
      name: "middle",
      description: "Delegates.",
      system: "Delegate.",
      model: scriptedModel(({ turn }) => ({
        calls: [{ id: `${turn}`, name: "worker", input: { task: "go" } }],
      })),
      tools: ["worker"],
      maxDepth: 2,
      limits: { turns: 1000, toolCalls: 12 },
    });
    const executor = executorFor([tick, worker({ toolCalls: 5, turns: 100 }), middle]);
    const outcome = await executor.execute({ id: "1", name: "middle", arguments: { task: "go" } });
    // Two workers of five ticks each, and the rest for the third.
    expect(count.ticks).toBe(10);
    expect(outcome).toMatchObject({ error: { code: "limit_exceeded" } });
  });

  test("is also used by a tool in between", async () => {
    const { count, tick, worker } = counted();
    const proxy = tool("proxy", async (_, { scope }) => {
      await scope.execute({ id: "p", name: "worker", arguments: { task: "go" } });
      return "ok";
    });
    const model = scriptedModel(({ turn }) =>
      turn < 9 ? { calls: [{ name: "proxy" }] } : { text: "x" },
    );
    const executor = executorFor([tick, worker({ turns: 100 }), proxy]);
    ended(await runAgent({ model, executor, prompt: "go", limits: { turns: 5 } }), "stopped");
    expect(count.turns).toBe(4);
  });

  test("of time ends running work, and returns the partial result", async () => {
    const clock = new FakeClock();
    const aborted: string[] = [];
    const hangs = tool("hangs", (_, { signal }) => {
      signal.addEventListener("abort", () => aborted.push("tool"));
      return new Promise(() => {});
    });
    const sleeper = subAgentTool({
      name: "sleeper",
      description: "Sleeps.",
      system: "Sleep.",
      model: scriptedModel(() => ({ text: "Half of it. ", calls: [{ name: "hangs" }] })),
      tools: ["hangs"],
      limits: { durationMs: 500 },
    });
    const executor = executorFor([hangs, sleeper], { clock });
    const model = scriptedModel(({ turn }) =>
      turn === 0 ? { calls: [{ name: "sleeper", input: { task: "x" } }] } : { text: "done" },
    );
    const running = runAgent({ model, executor, prompt: "go", limits: { durationMs: 2000 } });
    await clock.advance(499);
    expect(aborted).toEqual([]);
    await clock.advance(1);
    const result = ended(await running, "completed");
    expect(aborted).toEqual(["tool"]);
    expect(resultsIn(result)[0]).toMatch(/500 ms.*not a completed answer.*Half of it/s);
    expect(result.usage.durationMs).toBe(500);
    expect(clock.timers).toBe(0);
  });

  test("of time of the parent agent ends its sub-agents, too", async () => {
    const clock = new FakeClock();
    let models = 0;
    const slowAgent = subAgentTool({
      name: "patient",
      description: "Waits.",
      system: "Wait.",
      model: scriptedModel(() => ((models += 1), new Promise(() => {}))),
      tools: [],
      limits: { durationMs: 60_000 },
    });
    const executor = executorFor([slowAgent], { clock });
    const model = scriptedModel(() => ({ calls: [{ name: "patient", input: { task: "x" } }] }));
    const running = runAgent({ model, executor, prompt: "go", limits: { durationMs: 1000 } });
    await clock.advance(1000);
    expect(ended(await running, "stopped")).toMatchObject({ limit: "durationMs" });
    expect([models, clock.timers]).toEqual([1, 0]);
  });
});

test.each([{ turns: 0 }, { tokens: -1 }, { toolCalls: 1.5 }, { durationMs: "1" }, { turn: 1 }])(
  "limits of %j are refused when the agent is created",
  (limits) => {
    expect(() => counted().worker(limits as AgentLimits)).toThrow(/limits/);
  },
);
