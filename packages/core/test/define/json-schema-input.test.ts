import { describe, expect, test } from "vitest";
import { defineTool, suspend, text, ToolError, type ToolContext } from "@toolweave/core";
import { call, executorFor, recorded } from "../support/executor-for.ts";
import { readCode, completed, failed } from "../support/outcomes.ts";

const add = defineTool({
  name: "add",
  description: "Add two numbers.",
  input: {
    type: "object",
    properties: { a: { type: "number" }, b: { type: "number" } },
    required: ["a", "b"],
  },
  execute: ({ a, b }) => a + b,
});

describe("a tool from a JSON Schema", () => {
  test("receives the arguments that match it", async () => {
    const { result } = completed(await executorFor(add).execute(call("add", { a: 1, b: 2 })));
    expect(result.value).toBe(3);
    expect(result.content).toEqual([text("3")]);
  });

  test("does not run with arguments that do not match it", async () => {
    expect(readCode(await executorFor(add).execute(call("add", { a: 1 })))).toBe(
      "invalid_arguments",
    );
  });

  test("is plain data and a function: the serialized spec equals the written one", () => {
    const tool = defineTool({
      name: "search",
      title: "Search",
      description: "Search things.",
      input: { type: "object" },
      output: { type: "array" },
      annotations: { readOnlyHint: true },
      injected: [{ name: "tenant" }],
      timeoutMs: 0,
      retry: { attempts: 2 },
      execution: "inline",
      metadata: { team: "x" },
      execute: () => [],
    });
    expect(JSON.parse(JSON.stringify(tool.spec))).toEqual({
      name: "search",
      title: "Search",
      description: "Search things.",
      inputSchema: { type: "object" },
      outputSchema: { type: "array" },
      annotations: { readOnlyHint: true },
      injected: [{ name: "tenant" }],
      timeoutMs: 0,
      retry: { attempts: 2 },
      execution: "inline",
      provenance: { adapter: "code" },
      metadata: { team: "x" },
    });
    expect(Object.keys(add.spec)).toEqual([
      "name",
      "description",
      "inputSchema",
      "annotations",
      "provenance",
    ]);
  });

  test("passes its code the call's context, and nothing else", async () => {
    let seen: Record<string, unknown> = {};
    const tool = defineTool({
      name: "look",
      description: "",
      input: { type: "object" },
      execute: (_, ctx: ToolContext) => {
        const { callId, toolName, attempt, runId, turnId, sessionId, caller, injected, resumed } =
          ctx;
        seen = { callId, toolName, attempt, runId, turnId, sessionId, caller, injected, resumed };
        ctx.checkpoint({ page: 1 });
      },
    });
    const executor = executorFor(tool);
    const caller = { id: "ada", roles: ["admin"] };
    const run = executor
      .startRun({ id: "run_1", sessionId: "s", caller, injected: { db: "x" } })
      .nextTurn();
    completed(await run.execute(call("look", {}, "c1")));
    expect(seen).toEqual({
      callId: "c1",
      toolName: "look",
      attempt: 1,
      runId: "run_1",
      turnId: "run_1:1",
      sessionId: "s",
      caller,
      injected: { db: "x" },
      resumed: undefined,
    });
    completed(await executor.execute(call("look")));
    expect(seen["turnId"]).toBe(undefined);
    expect(seen["caller"]).toBe(undefined);
  });

  test("stores data that it does not want to return", async () => {
    const tool = defineTool({
      name: "store",
      description: "",
      input: { type: "object" },
      execute: async (_, ctx) =>
        (await ctx.artifacts.write("data", { mediaType: "text/plain" })).key,
    });
    const { content } = completed(await executorFor(tool).execute(call("store"))).result;
    expect(content).toEqual([text(expect.stringMatching(/^art_[0-9a-f]{32}$/) as string)]);
  });
});

describe("an async generator", () => {
  const input = { type: "object" } as const;

  test("sends an update for each yield and answers with its return value", async () => {
    const tool = defineTool({
      name: "count",
      description: "",
      input,
      async *execute() {
        yield "one";
        yield { n: 2 };
        yield { content: [text("three")], details: { hidden: true } };
        return { total: 3 };
      },
    });
    const executor = executorFor(tool, { eventPayloads: true });
    const events = recorded(executor);
    expect(completed(await executor.execute(call("count"))).result.value).toEqual({ total: 3 });
    expect(
      events.flatMap((event) => (event.type === "tool.updated" ? [event.output] : [])),
    ).toEqual([
      { content: [text("one")] },
      { content: [text('{"n":2}')], value: { n: 2 } },
      { content: [text("three")], details: { hidden: true } },
    ]);
  });

  test("that returns nothing is an empty success", async () => {
    const tool = defineTool({
      name: "count",
      description: "",
      input,
      async *execute() {
        yield "one";
        return undefined;
      },
    });
    expect(completed(await executorFor(tool).execute(call("count"))).result.content).toEqual([]);
  });

  test("that throws fails the call, and runs its cleanup", async () => {
    let cleaned = false;
    const tool = defineTool({
      name: "count",
      description: "",
      input,
      async *execute() {
        try {
          yield "one";
          throw new ToolError("upstream", "The service says no.", { status: 500 });
        } finally {
          cleaned = true;
        }
      },
    });
    const { error } = failed(await executorFor(tool).execute(call("count")));
    expect([error.code, error.status, cleaned]).toEqual(["upstream", 500, true]);
  });

  test("that is cancelled runs its cleanup, and its yields have no effect any more", async () => {
    let clean: () => void = () => {};
    const cleaned = new Promise<void>((resolve) => (clean = resolve));
    let go: () => void = () => {};
    const tool = defineTool({
      name: "count",
      description: "",
      input,
      async *execute(_, ctx) {
        try {
          yield "one";
          await new Promise<void>((resolve) => {
            go = resolve;
            ctx.signal.addEventListener("abort", () => resolve());
          });
          yield "two";
          yield "three";
          return "never";
        } finally {
          clean();
        }
      },
    });
    const executor = executorFor(tool);
    const events = recorded(executor);
    const run = executor.startRun();
    executor.on((event) => {
      if (event.type === "tool.updated") setImmediate(() => run.cancel());
    });
    expect(readCode(await run.execute(call("count")))).toBe("cancelled");
    go();
    await cleaned;
    expect(events.filter(({ type }) => type === "tool.updated")).toHaveLength(1);
  });

  test("may ask to wait for a person at its end", async () => {
    const tool = defineTool({
      name: "ask",
      description: "",
      input,
      async *execute(_, ctx) {
        yield "thinking";
        return ctx.resumed === undefined
          ? suspend([{ id: "q", type: "input", message: "Which one?" }], { step: 1 })
          : { state: ctx.resumed.state };
      },
    });
    const executor = executorFor(tool);
    const outcome = await executor.execute(call("ask"));
    if (outcome.status !== "interrupted") throw new Error("not interrupted");
    const answer = await executor.resume(outcome.interruption, [{ type: "input", value: "this" }]);
    expect(completed(answer).result.value).toEqual({ state: { step: 1 } });
  });
});

describe("a tool without execute", () => {
  const ask = defineTool({
    name: "pick_colour",
    description: "",
    input: { type: "object", properties: { from: { type: "array" } } },
  });

  test("asks the host for its result, and answers with it", async () => {
    const executor = executorFor(ask);
    const outcome = await executor.execute(call("pick_colour", { from: ["red", "blue"] }, "c1"));
    if (outcome.status !== "interrupted") throw new Error("not interrupted");
    expect(outcome.interruption.requests).toEqual([
      { id: "c1:result", type: "result", arguments: { from: ["red", "blue"] } },
    ]);
    const answer = await executor.resume(outcome.interruption, [{ type: "result", value: "red" }]);
    expect(completed(answer).result.content).toEqual([text("red")]);
  });

  test("reports to the model that the host does not run it, and why", async () => {
    const executor = executorFor(ask);
    for (const [reason, text] of [
      ["no screen", "pick_colour was not run by the host: no screen."],
      [undefined, "pick_colour was not run by the host: no reason given."],
    ] as const) {
      const outcome = await executor.execute(call("pick_colour"));
      if (outcome.status !== "interrupted") throw new Error("not interrupted");
      const { error } = failed(
        await executor.resume(outcome.interruption, [
          { type: "reject", ...(reason === undefined ? {} : { reason }) },
        ]),
      );
      expect([error.code, error.message]).toEqual(["approval_rejected", text]);
    }
  });

  test("is validated against its output schema like any other", async () => {
    const executor = executorFor(
      defineTool({
        name: "n",
        description: "",
        input: { type: "object" },
        output: { type: "number" },
      }),
    );
    const outcome = await executor.execute(call("n"));
    if (outcome.status !== "interrupted") throw new Error("not interrupted");
    const answer = await executor.resume(outcome.interruption, [{ type: "result", value: "x" }]);
    expect(readCode(answer)).toBe("invalid_output");
  });

  test("called outside an executor with an answer of another kind reports that it has no result", async () => {
    const ctx = {
      callId: "c",
      toolName: "pick_colour",
      resumed: { state: null, answers: [{ type: "approve" }] },
    } as unknown as ToolContext;
    await expect(async () => ask.invoke({}, ctx)).rejects.toThrow("no result given");
  });
});
