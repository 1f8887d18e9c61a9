import { describe, expect, test } from "vitest";
import type { ToolOutput } from "@toolweave/core";
import { toolSearch } from "@toolweave/core/search";
import { runAgent, subAgentTool, type AgentEvent } from "@toolweave/subagent";
import { ended, executorFor, recorded, resultsIn, tool } from "./support/executor-for.ts";
import { inTurn, scriptedModel, type Script } from "./support/scripted-model.ts";

const look = tool("look", ({ at }) => `${String(at)}: calm`);

/** Looks at the direction in its task, and reports. */
const looks: Script = ({ turn, task, results }) =>
  turn === 0
    ? { text: "Looking. ", calls: [{ name: "look", input: { at: task } }] }
    : { text: `I saw ${results.join()}.` };

function scout(name = "scout", more = {}) {
  return subAgentTool({
    name,
    description: "Looks at places.",
    system: "You look.",
    model: scriptedModel(looks),
    tools: ["look"],
    ...more,
  });
}

const both = inTurn(
  {
    calls: [
      { id: "n", name: "scout", input: { task: "north" } },
      { id: "s", name: "scout", input: { task: "south" } },
    ],
  },
  { text: "All is calm." },
);

describe("a sub-agent", () => {
  test("works on its task with its own tools and returns its answer as the call's result", async () => {
    const model = scriptedModel(looks);
    const executor = executorFor([look, tool("other"), scout("scout", { model })]);
    const result = ended(
      await runAgent({ model: scriptedModel(both), executor, prompt: "Look around." }),
      "completed",
    );
    expect(result.text).toBe("All is calm.");
    expect(resultsIn(result)).toEqual(["I saw north: calm.", "I saw south: calm."]);
    expect(result.usage).toMatchObject({
      turns: 6,
      toolCalls: 4,
      inputTokens: 60,
      outputTokens: 30,
    });
    const [first] = model.doStreamCalls;
    expect(first?.prompt).toEqual([
      { role: "system", content: "You look." },
      { role: "user", content: [{ type: "text", text: "north" }] },
    ]);
    expect(first?.tools?.map(({ name }) => name)).toEqual(["look"]);
  });

  test("runs beside its siblings", async () => {
    let running = 0;
    let most = 0;
    const slow = tool("look", async () => {
      running += 1;
      most = Math.max(most, running);
      await Promise.resolve();
      await Promise.resolve();
      running -= 1;
      return "calm";
    });
    const executor = executorFor([slow, scout()]);
    await runAgent({ model: scriptedModel(both), executor, prompt: "Look." });
    expect(most).toBe(2);
  });

  test("emits its events under its own run, which names the parent run and call", async () => {
    const events: AgentEvent[] = [];
    const executor = executorFor([look, scout()]);
    const recordedEvents = recorded(executor);
    const result = await runAgent({
      model: scriptedModel(both),
      executor,
      prompt: "Look.",
      onEvent: (event) => events.push(event),
    });
    const runs = new Map(events.map((event) => [event.runId, event]));
    const [top, north, south] = Array.from(runs.values());
    expect(top).toMatchObject({ runId: result.runId, depth: 0 });
    expect(north).toMatchObject({
      parentRunId: result.runId,
      parentCallId: "n",
      agent: "scout",
      depth: 1,
    });
    expect(south).toMatchObject({
      parentRunId: result.runId,
      parentCallId: "s",
      agent: "scout",
      depth: 1,
    });
    const ofNorth = events.filter(({ runId }) => runId === north?.runId);
    expect(ofNorth.at(0)?.type).toBe("agent.started");
    expect(ofNorth.at(-1)).toMatchObject({
      type: "agent.ended",
      status: "completed",
      usage: { turns: 2, toolCalls: 1 },
    });
    expect(ofNorth).toContainEqual(
      expect.objectContaining({ type: "tool.called", callId: "n/call_0", tool: "look" }),
    );
    const nested = recordedEvents.filter(
      (event) => "callId" in event && event.callId === "n/call_0",
    );
    expect(nested[0]).toMatchObject({ runId: result.runId, parentCallId: "n", tool: "look" });
    const progress = recordedEvents.filter(({ type }) => type === "tool.progressed");
    expect(progress).toMatchObject([
      { progress: { message: "calls look" } },
      { progress: { message: "calls look" } },
    ]);
  });

  test("emits its text while it is generated, and names its run in its result", async () => {
    const executor = executorFor([look, scout()]);
    const updates: ToolOutput[] = [];
    const outcome = await executor.execute(
      { id: "1", name: "scout", arguments: { task: "west" } },
      { onUpdate: (output) => void updates.push(output) },
    );
    expect(updates.at(-1)?.content).toEqual([{ type: "text", text: "I saw west: calm." }]);
    expect(outcome).toMatchObject({
      status: "completed",
      result: {
        content: [{ type: "text", text: "I saw west: calm." }],
        childRunId: expect.any(String),
        details: { status: "completed", usage: { turns: 2 } },
      },
    });
  });

  test("accepts its input schema, builds a prompt, and answers in its output schema", async () => {
    const model = scriptedModel(
      inTurn(
        { text: "Sure: 3" },
        { text: '{"count": "three"}' },
        { text: '```json\n{"count": 3}\n```' },
      ),
    );
    const counter = subAgentTool({
      name: "count",
      description: "Counts.",
      system: "You count.",
      model,
      tools: [],
      input: {
        type: "object",
        properties: { what: { type: "string" } },
        required: ["what"],
        additionalProperties: false,
      },
      prompt: ({ what }) => `Count the ${what}.`,
      output: { type: "object", properties: { count: { type: "integer" } }, required: ["count"] },
    });
    const executor = executorFor([counter]);
    const outcome = await executor.execute({ id: "1", name: "count", arguments: { what: "pets" } });
    expect(outcome).toMatchObject({ status: "completed", result: { value: { count: 3 } } });
    expect(model.doStreamCalls[0]?.responseFormat).toMatchObject({ type: "json" });
    expect(model.doStreamCalls[0]?.tools).toBeUndefined();
    expect(model.doStreamCalls[2]?.prompt.at(-1)).toMatchObject({
      role: "user",
      content: [{ text: expect.stringContaining("/count") }],
    });
    expect(await executor.execute({ id: "2", name: "count", arguments: {} })).toMatchObject({
      error: { code: "invalid_arguments" },
    });
  });

  test("that fails or is stopped reports that this is not a completed answer, and the partial text", async () => {
    const failing = scout("failing", {
      model: scriptedModel(({ turn }) => {
        if (turn === 0) return { text: "So far so good.", calls: [{ name: "look" }] };
        throw Object.assign(new Error("secret upstream words"), {
          statusCode: 451,
          responseHeaders: { "retry-after": "30" },
        });
      }),
    });
    const executor = executorFor([look, failing, scout("stopped", { limits: { turns: 1 } })], {
      retry: { attempts: 5, retryNonIdempotent: true, initialDelayMs: 0 },
    });
    const failed = await executor.execute({ id: "1", name: "failing", arguments: { task: "x" } });
    expect(failed).toMatchObject({
      status: "completed",
      error: { code: "upstream", status: 451, retryAfterMs: 30_000, retryable: false },
    });
    const said = JSON.stringify(failed.status === "completed" && failed.result.content);
    expect(said).toContain("not a completed answer");
    expect(said).toContain("So far so good.");
    expect(said).not.toContain("secret upstream words");
    const stopped = await executor.execute({ id: "2", name: "stopped", arguments: { task: "x" } });
    expect(stopped).toMatchObject({
      status: "completed",
      error: { code: "limit_exceeded" },
      result: {
        isError: true,
        content: [{ text: expect.stringMatching(/its 1 turns.*not a completed answer.*Looking/s) }],
      },
    });
  });
});

test("a sub-agent with more than 100 tools searches for them if the run of its call does", async () => {
  const many = Array.from({ length: 150 }, (_, n) => tool(`tool_${n}`));
  const weather = tool("weather", () => "sun", { description: "Tell the weather of a city." });
  for (const form of ["growing", "constant"] as const) {
    const model = scriptedModel(
      inTurn(
        { calls: [{ name: "search_tools", input: { query: "weather city" } }] },
        {
          calls: [
            form === "growing"
              ? { name: "weather" }
              : { name: "call_tool", input: { name: "weather" } },
          ],
        },
        { text: "done" },
      ),
    );
    const child = scout("child", { model, tools: ["tool_*", "weather"] });
    const executor = executorFor([child, ...many, weather]);
    const run = executor.startRun({ search: toolSearch({ form }) });
    await run.execute({ id: "1", name: "child", arguments: { task: "x" } });
    const listed = model.doStreamCalls.map(({ tools }) => tools?.map(({ name }) => name) ?? []);
    expect(listed[0]).toContain("search_tools");
    expect(listed[0]?.length).toBeLessThan(10);
    expect(listed[1]?.includes("weather")).toBe(form === "growing");
    const last = model.doStreamCalls[2]?.prompt.at(-1);
    expect(JSON.stringify(last)).toContain("sun");
  }
});
