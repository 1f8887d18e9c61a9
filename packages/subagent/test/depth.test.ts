import { describe, expect, test } from "vitest";
import { prefix, rename, toolsSource, type Tool, type ToolExecutor } from "@toolweave/core";
import { toolSearch } from "@toolweave/core/search";
import { runAgent, subAgentTool } from "@toolweave/subagent";
import { ended, executorFor, tool } from "./support/executor-for.ts";
import { scriptedModel, type Said } from "./support/scripted-model.ts";

/** The agents that have run, in order. */
interface Work {
  readonly worked: string[];
  readonly offered: Map<string, readonly string[]>;
  readonly results: string[];
}

function working(): Work {
  return { worked: [], offered: new Map(), results: [] };
}

/** A sub-agent that makes one call, whether or not it has the tool. */
function agent(work: Work, name: string, call: Said["calls"], more = {}): Tool {
  return subAgentTool({
    name,
    description: "Delegates.",
    system: name,
    model: scriptedModel(({ turn, results, options }) => {
      if (turn > 0) {
        work.results.push(...results);
        return { text: `${name} is done` };
      }
      work.worked.push(name);
      work.offered.set(name, options.tools?.map(({ name }) => name) ?? []);
      return call === undefined ? { text: "done" } : { calls: call };
    }),
    tools: ["*"],
    ...more,
  });
}

function delegate(executor: ToolExecutor, name: string) {
  return executor.execute({ id: "1", name, arguments: { task: "go" } });
}

describe("a sub-agent of depth 1", () => {
  test("has no sub-agent, and a call of one does not run", async () => {
    const work = working();
    const executor = executorFor([
      agent(work, "outer", [{ name: "inner", input: { task: "x" } }]),
      agent(work, "inner", undefined),
      tool("other"),
    ]);
    await delegate(executor, "outer");
    expect(work.worked).toEqual(["outer"]);
    expect(work.offered.get("outer")).toEqual(["other"]);
    expect(work.results).toEqual([expect.stringContaining('"inner" may not be called here')]);
  });

  test("cannot use itself as a sub-agent", async () => {
    const work = working();
    const executor = executorFor([agent(work, "outer", [{ name: "outer", input: { task: "x" } }])]);
    await delegate(executor, "outer");
    expect(work.worked).toEqual(["outer"]);
  });

  test("reaches none through a tool that makes nested calls", async () => {
    const work = working();
    let received: string | undefined;
    const proxy = tool("proxy", async (_, { scope }) => {
      const outcome = await scope.execute({ id: "p", name: "inner", arguments: { task: "x" } });
      received = outcome.status === "failed" ? outcome.error.code : outcome.status;
      return "ok";
    });
    const executor = executorFor([
      agent(work, "outer", [{ name: "proxy" }]),
      agent(work, "inner", undefined),
      proxy,
    ]);
    await delegate(executor, "outer");
    expect([work.worked, received]).toEqual([["outer"], "not_advertised"]);
  });

  test("reaches none through a tool that selects among all tools", async () => {
    const work = working();
    let received: string | undefined;
    const router = tool("router", async (_, { scope }) => {
      const outcome = await scope.execute({ id: "r", name: "inner", arguments: { task: "x" } });
      received = outcome.status === "failed" ? outcome.error.message : outcome.status;
      return "ok";
    });
    const executor = executorFor([
      agent(work, "outer", [{ name: "router" }], { tools: ["router"] }),
      agent(work, "inner", undefined),
      { ...router, delegates: true },
    ]);
    await delegate(executor, "outer");
    expect(work.worked).toEqual(["outer"]);
    expect(received).toContain("nested as deep as they may be");
    expect(received).toContain("not permitted");
  });

  test("reaches none under another name or a prefix", async () => {
    const work = working();
    const names = ["x__inner", "friend"];
    const executor = executorFor([
      agent(
        work,
        "outer",
        names.map((name) => ({ name, input: { task: "x" } })),
      ),
      prefix(toolsSource("a", [agent(work, "inner", undefined)]), "x"),
      rename(toolsSource("b", [agent(work, "inner", undefined)]), { inner: "friend" }),
    ]);
    await delegate(executor, "outer");
    expect(work.worked).toEqual(["outer"]);
    expect(work.results).toHaveLength(2);
  });

  test("reaches none that host code has wrapped as an ordinary function", async () => {
    const work = working();
    const inner = agent(work, "inner", undefined);
    const dressed: Tool = { ...inner, spec: { ...inner.spec, provenance: { adapter: "code" } } };
    const executor = executorFor([
      agent(work, "outer", [{ name: "inner", input: { task: "x" } }]),
      dressed,
    ]);
    await delegate(executor, "outer");
    expect(work.worked).toEqual(["outer"]);
    expect(work.results).toEqual([expect.stringContaining("nested as deep as they may be")]);
  });

  test.each(["growing", "constant"] as const)(
    "reaches none through the search of its run (%s)",
    async (form) => {
      const work = working();
      const call = { name: "inner", arguments: { task: "x" } };
      const executor = executorFor([
        agent(work, "outer", [
          { id: "1", name: "call_tool", input: call },
          { id: "2", name: "search_tools", input: { query: "delegate inner" } },
          { id: "3", name: "inner", input: { task: "x" } },
        ]),
        agent(work, "inner", undefined),
        ...Array.from({ length: 150 }, (_, n) => tool(`plain_${n}`)),
      ]);
      const run = executor.startRun({ search: toolSearch({ form }) });
      await run.execute({ id: "1", name: "outer", arguments: { task: "go" } });
      expect(work.worked).toEqual(["outer"]);
      expect(work.results).toHaveLength(3);
      expect(work.results[1]).not.toContain("inner");
    },
  );
});

describe("a sub-agent that may have others", () => {
  test("has them up to its own depth, and no deeper than its parents allow", async () => {
    const work = working();
    const executor = executorFor([
      agent(work, "a", [{ name: "b", input: { task: "x" } }], { maxDepth: 2 }),
      agent(work, "b", [{ name: "c", input: { task: "x" } }], { maxDepth: 5 }),
      agent(work, "c", undefined),
    ]);
    await delegate(executor, "a");
    expect(work.worked).toEqual(["a", "b"]);
    expect(work.offered.get("a")).toEqual(["a", "b", "c"]);
    expect(work.offered.get("b")).toEqual([]);
    work.worked.length = 0;
    await delegate(executor, "b");
    expect(work.worked).toEqual(["b", "c"]);
  });

  test("does not raise it by a tool in between", async () => {
    const work = working();
    const proxy = tool("proxy", async (_, { scope }) => {
      await scope.execute({ id: "p", name: "b", arguments: { task: "x" } });
      return "ok";
    });
    const executor = executorFor([
      agent(work, "a", [{ name: "proxy" }], { maxDepth: 2 }),
      agent(work, "b", [{ name: "c", input: { task: "x" } }], { maxDepth: 5 }),
      agent(work, "c", undefined),
      proxy,
    ]);
    await delegate(executor, "a");
    expect(work.worked).toEqual(["a", "b"]);
  });

  test("of the same depth runs below an agent of the host", async () => {
    const work = working();
    const executor = executorFor([agent(work, "a", undefined)]);
    const model = scriptedModel(({ turn }) =>
      turn === 0 ? { calls: [{ name: "a", input: { task: "x" } }] } : { text: "done" },
    );
    ended(await runAgent({ model, executor, prompt: "go" }), "completed");
    expect(work.worked).toEqual(["a"]);
  });
});

test.each([0, -1, 1.5, Infinity, "2"])(
  "a depth of %s is refused when the tool is created",
  (maxDepth) => {
    expect(() => agent(working(), "a", undefined, { maxDepth })).toThrow(/maxDepth/);
  },
);
