import { describe, expect, test } from "vitest";
import { ToolRegistry, ToolExecutor } from "@toolweave/core";
import { runAgent, subAgentTool } from "@toolweave/subagent";
import { ended, executorFor, recorded, resultsIn, tool } from "./support/executor-for.ts";
import { inTurn, scriptedModel } from "./support/scripted-model.ts";

const three = ["a", "b", "c"].map((id) => ({ id, name: "step", input: { id } }));

describe("the calls of a turn", () => {
  test("are made together, or as the host configures", async () => {
    const order: string[] = [];
    const step = tool("step", async ({ id }) => {
      order.push(`${String(id)} begins`);
      await Promise.resolve();
      order.push(`${String(id)} ends`);
    });
    const executor = executorFor([step]);
    const model = () => scriptedModel(inTurn({ calls: three }, { text: "done" }));
    await runAgent({ model: model(), executor, prompt: "go" });
    expect(order.splice(0).slice(0, 3)).toEqual(["a begins", "b begins", "c begins"]);
    await runAgent({ model: model(), executor, prompt: "go", strategy: "sequential" });
    expect(order.slice(0, 3)).toEqual(["a begins", "a ends", "b begins"]);
  });

  test("may be steered: a stopped call has the reason", async () => {
    const step = tool("step", ({ id }) => String(id));
    const model = scriptedModel(inTurn({ calls: three }, { text: "done" }));
    const result = await runAgent({
      model,
      executor: executorFor([step]),
      prompt: "go",
      strategy: "sequential",
      stopWhen: ({ finished }) =>
        finished.length === 1 ? "the user changed their mind" : undefined,
    });
    expect(resultsIn(result)).toEqual([
      "a",
      expect.stringContaining("the user changed their mind"),
      expect.stringContaining("the user changed their mind"),
    ]);
  });

  test("have ids of their own, though the model numbers them anew in each answer", async () => {
    const ran: string[] = [];
    const executor = executorFor([tool("step", (_, { callId }) => void ran.push(callId))]);
    const call = { calls: [{ id: "call_1", name: "step" }] };
    const turns = [call, call, call, { text: "done" }, call, { text: "done" }];
    const model = scriptedModel(inTurn(...turns));
    const result = await runAgent({ model, executor, prompt: "go" });
    expect(result.status).toBe("completed");
    expect(ran).toEqual(["call_1", "call_1_2", "call_1_3"]);
    const next = await runAgent({
      model,
      executor,
      messages: [...result.messages, { role: "user", content: [{ type: "text", text: "Again." }] }],
    });
    expect([next.status, ran.at(-1)]).toEqual(["completed", "call_1_4"]);
  });

  test("are of the turn that they are named after in events", async () => {
    const executor = executorFor([tool("step")]);
    const events = recorded(executor);
    const call = { calls: [{ name: "step" }] };
    const result = await runAgent({
      model: scriptedModel(inTurn(call, call, { text: "done" })),
      executor,
      prompt: "go",
    });
    const started = events.filter(({ type }) => type === "tool.started");
    expect(started.map((event) => "turnId" in event && event.turnId)).toEqual(
      [1, 2].map((n) => `${result.runId}:${n}`),
    );
  });
});

describe("the tools of a turn", () => {
  test("are those of the registry at that time, within the selection", async () => {
    const registry = new ToolRegistry([tool("read_a"), tool("write_a")]);
    const executor = new ToolExecutor({ registry });
    const model = scriptedModel(({ turn }) => {
      if (turn > 0) return { text: "done" };
      registry.add(tool("read_b"));
      return { calls: [{ name: "read_a" }] };
    });
    await runAgent({ model, executor, prompt: "go", tools: ["read_*"] });
    expect(model.doStreamCalls.map(({ tools }) => tools?.map(({ name }) => name))).toEqual([
      ["read_a"],
      ["read_a", "read_b"],
    ]);
  });

  test("are the same list as long as nothing changes", async () => {
    const call = { calls: [{ name: "step" }] };
    const model = scriptedModel(inTurn(call, call, { text: "done" }));
    await runAgent({ model, executor: executorFor([tool("step")]), prompt: "go" });
    const [first, second, third] = model.doStreamCalls.map(({ tools }) => tools);
    expect(second).toBe(first);
    expect(third).toBe(first);
  });

  test("of more than 100 are searched, and found ones are listed from the next turn on", async () => {
    const tools = Array.from({ length: 150 }, (_, n) =>
      tool(`tool_${n}`, undefined, { description: `Number ${n}.` }),
    );
    const weather = tool("weather", () => "sun", { description: "Tell the weather of a city." });
    const model = scriptedModel(
      inTurn(
        { calls: [{ name: "search_tools", input: { query: "weather city" } }] },
        { calls: [{ name: "weather" }] },
        { text: "done" },
      ),
    );
    const result = ended(
      await runAgent({ model, executor: executorFor([...tools, weather]), prompt: "go" }),
      "completed",
    );
    expect(resultsIn(result)[1]).toBe("sun");
    const listed = model.doStreamCalls.map(({ tools }) => tools?.map(({ name }) => name));
    expect(listed[0]).toEqual(["search_tools"]);
    expect(listed[1]).toContain("weather");
    expect(listed[1]?.length).toBeLessThan(10);
  });

  test("without a usable schema are omitted, and the others are not", async () => {
    const good = tool("good");
    const bad = {
      ...good,
      spec: Object.defineProperties(
        {},
        {
          ...Object.getOwnPropertyDescriptors(good.spec),
          name: { value: "bad", enumerable: true },
          inputSchema: {
            get: () => {
              throw new Error("no such schema");
            },
            enumerable: true,
          },
        },
      ) as typeof good.spec,
    };
    const model = scriptedModel(() => ({ text: "done" }));
    await runAgent({ model, executor: executorFor([good, bad]), prompt: "go" });
    expect(model.doStreamCalls[0]?.tools?.map(({ name }) => name)).toEqual(["good"]);
  });
});

test("the model receives the reasoning effort, and the host's settings", async () => {
  const model = scriptedModel(() => ({ text: "done" }));
  const settings = { temperature: 0, providerOptions: { local: { cache: true } } };
  await runAgent({ model, executor: executorFor([]), prompt: "go", thinking: "high", settings });
  expect(model.doStreamCalls[0]).toMatchObject({ reasoning: "high", ...settings });
});

test("sub-agents that share one slot do not block each other", async () => {
  const child = subAgentTool({
    name: "child",
    description: "Steps.",
    system: "Step.",
    model: scriptedModel(inTurn({ calls: three }, { text: "stepped" })),
    tools: ["step"],
  });
  const model = scriptedModel(
    inTurn(
      { calls: ["1", "2"].map((id) => ({ id, name: "child", input: { task: "x" } })) },
      { text: "done" },
    ),
  );
  const executor = executorFor([child, tool("step", () => Promise.resolve("ok"))], {
    limits: { concurrency: { max: 1 } },
  });
  const result = await runAgent({ model, executor, prompt: "go" });
  expect(resultsIn(result)).toEqual(["stepped", "stepped"]);
});

test("a conversation continues with the messages of an earlier result", async () => {
  const executor = executorFor([]);
  const model = scriptedModel(({ turn }) => ({ text: `answer ${turn}` }));
  const first = ended(await runAgent({ model, executor, prompt: "one" }), "completed");
  const messages = [
    ...first.messages,
    { role: "user" as const, content: [{ type: "text" as const, text: "two" }] },
  ];
  const second = ended(await runAgent({ model, executor, messages }), "completed");
  expect(second.text).toBe("answer 1");
  expect(first.messages).toHaveLength(2);
});

test("a listener that throws changes nothing", async () => {
  const model = scriptedModel(() => ({ text: "done" }));
  const onEvent = (): never => {
    throw new Error("listener");
  };
  const result = await runAgent({ model, executor: executorFor([]), prompt: "go", onEvent });
  expect(result.status).toBe("completed");
});
