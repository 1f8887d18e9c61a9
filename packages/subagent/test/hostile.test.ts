import type { LanguageModelV4StreamPart } from "@ai-sdk/provider";
import { FakeClock, settled } from "@toolweave/test-support/fake-clock";
import { MockLanguageModelV4 } from "ai/test";
import { recordUnhandledRejections } from "@toolweave/test-support/unhandled-rejections";
import { beforeEach, describe, expect, test } from "vitest";
import { ToolExecutor, ToolRegistry, toolsSource, type ToolSource } from "@toolweave/core";
import {
  resumeAgent,
  runAgent,
  subAgentTool,
  type AgentState,
  type RunAgentOptions,
} from "@toolweave/subagent";
import { ended, executorFor, resultsIn, tool } from "./support/executor-for.ts";
import { inTurn, scriptedModel } from "./support/scripted-model.ts";

let unhandled: readonly unknown[] = [];
beforeEach(() => {
  unhandled = recordUnhandledRejections();
});

const done = () => scriptedModel(() => ({ text: "done" }));

describe("a cancellation", () => {
  test("between the arrival of a stream and its first read ends the agent", async () => {
    const controller = new AbortController();
    type Streamed = { readonly stream: ReadableStream<LanguageModelV4StreamPart> };
    let arrive: (streamed: Streamed) => void = () => {};
    const arriving = new Promise<Streamed>((resolve) => (arrive = resolve));
    let ask = (): void => {};
    const asked = new Promise<void>((resolve) => (ask = resolve));
    let isCancelled = false;
    const stream = new ReadableStream<LanguageModelV4StreamPart>({
      cancel: () => void (isCancelled = true),
    });
    const model = new MockLanguageModelV4();
    model.doStream = () => (ask(), arriving);
    const running = runAgent({
      model,
      executor: executorFor([]),
      prompt: "go",
      signal: controller.signal,
    });
    await asked;
    void arriving.then(() => controller.abort());
    arrive({ stream });
    ended(await running, "cancelled");
    await settled();
    expect([isCancelled, unhandled]).toEqual([true, []]);
  });

  test("by the model itself, which then returns nothing more, ends the agent", async () => {
    const controller = new AbortController();
    const model = new MockLanguageModelV4();
    model.doStream = () => {
      controller.abort();
      return new Promise(() => {});
    };
    const executor = executorFor([]);
    const { signal } = controller;
    const { status } = await runAgent({ model, executor, prompt: "go", signal });
    expect(status).toBe("cancelled");
  });

  test("is not delayed by a source that never loads, and neither is the end of its time", async () => {
    const clock = new FakeClock();
    const source: ToolSource = Object.assign(toolsSource("slow", []), {
      ready: new Promise<void>(() => {}),
    });
    const executor = new ToolExecutor({ registry: new ToolRegistry([source]), clock });
    const controller = new AbortController();
    const model = done();
    const cancelled = runAgent({ model, executor, prompt: "go", signal: controller.signal });
    const timed = runAgent({ model, executor, prompt: "go", limits: { durationMs: 100 } });
    await settled();
    controller.abort();
    ended(await cancelled, "cancelled");
    await clock.advance(100);
    expect(ended(await timed, "stopped").limit).toBe("durationMs");
    expect([model.doStreamCalls.length, clock.timers]).toEqual([0, 0]);
  });
});

describe("the answer of a model", () => {
  test("with a fence and endless spaces is read in linear time", async () => {
    const answers = ["```" + " ".repeat(5000) + "x", '```json\n{"a": 1}\n```'];
    const model = scriptedModel(inTurn(...answers.map((text) => ({ text }))));
    const output = { type: "object" };
    const result = await runAgent({ model, executor: executorFor([]), prompt: "go", output });
    expect(ended(result, "completed").value).toEqual({ a: 1 });
  });

  test("with one id for thousands of calls gets a unique id for each, in bounded time", async () => {
    const calls = Array.from({ length: 60_000 }, () => ({ id: "same", name: "none" }));
    const model = scriptedModel(inTurn({ calls }));
    const result = ended(
      await runAgent({ model, executor: executorFor([]), prompt: "go", limits: { toolCalls: 1 } }),
      "stopped",
    );
    const said = result.messages.find(({ role }) => role === "assistant");
    const parts = said?.role === "assistant" ? said.content : [];
    const ids = parts.flatMap((part) => (part.type === "tool-call" ? part.toolCallId : []));
    expect([ids.length, new Set(ids).size]).toEqual([60_000, 60_000]);
  });

  test("with a usage that is not a number counts as one without usage", async () => {
    const model = scriptedModel(() => ({ text: "x".repeat(400), tokens: [NaN, NaN] }));
    const executor = executorFor([]);
    const limits = { tokens: 1000 };
    const { usage } = await runAgent({ model, executor, prompt: "go", limits });
    expect(usage.outputTokens).toBeGreaterThan(90);
  });
});

test("a listener whose promise rejects changes nothing", async () => {
  const onEvent = async (): Promise<never> => {
    throw new Error("listener");
  };
  ended(
    await runAgent({ model: done(), executor: executorFor([]), prompt: "go", onEvent }),
    "completed",
  );
  await settled();
  expect(unhandled).toEqual([]);
});

describe("resumed calls", () => {
  const three = ["a", "b", "c"].map((id) => ({ id, name: "step" }));

  test.each([
    [{ strategy: "sequential" as const }, 1],
    [{ strategy: { batched: 2 } }, 2],
    [{ maxConcurrency: 2 }, 2],
    [{}, 3],
  ])("run as many at once as with %o", async (turns, most) => {
    let running = 0;
    let seen = 0;
    let open = (): void => {};
    const gate = new Promise<void>((resolve) => (open = resolve));
    const step = tool(
      "step",
      async () => {
        seen = Math.max(seen, ++running);
        if (running === most) open();
        await gate;
        // Every other call that may start has started by then.
        await settled();
        running -= 1;
        return "stepped";
      },
      { needsApproval: true },
    );
    const options = {
      model: scriptedModel(inTurn({ calls: three }, { text: "done" })),
      executor: executorFor([step]),
      ...turns,
    };
    const first = ended(await runAgent({ ...options, prompt: "go" }), "interrupted");
    const answers = Object.fromEntries(
      first.interruptions.map(({ id }) => [id, [{ type: "approve" as const }]]),
    );
    const result = await resumeAgent(first.state, answers, options);
    expect(resultsIn(result)).toEqual(["stepped", "stepped", "stepped"]);
    expect(seen).toBe(most);
  });
});

describe("an invalid value is refused before the model is called", () => {
  const refused = async (more: object): Promise<number> => {
    const model = done();
    const options = { model, executor: executorFor([]), ...more } as RunAgentOptions;
    await expect(runAgent(options)).rejects.toMatchObject({ code: "invalid_configuration" });
    return model.doStreamCalls.length;
  };

  test.each([
    { messages: "go" },
    { messages: 5 },
    { messages: [null] },
    { messages: [{ role: "user", content: "go" }] },
    { messages: [{ role: "system", content: [] }] },
    { prompt: "go", strategy: "all" },
    { prompt: "go", strategy: { batched: 0 } },
    { prompt: "go", maxConcurrency: 0 },
    { prompt: "go", stopWhen: "on" },
  ])("as an option: %j", async (more) => {
    expect(await refused(more)).toBe(0);
  });

  test("as an option of a sub-agent, when it is created", () => {
    const options = {
      name: "child",
      description: "Works.",
      system: "Work.",
      model: done(),
      tools: [],
    };
    expect(() => subAgentTool({ ...options, maxConcurrency: 0 })).toThrow(/maxConcurrency/);
    expect(() => subAgentTool({ ...options, strategy: "all" as never })).toThrow(/strategy/);
  });

  const usage = { turns: 0, toolCalls: 0, inputTokens: 0, cachedInputTokens: 0 };
  const whole = { ...usage, outputTokens: 0, reasoningTokens: 0, durationMs: 0 };
  test.each([
    { usage: null },
    { usage },
    { usage: { ...whole, turns: -1000 } },
    { turn: [null] },
    { turn: [{ type: "pending" }] },
    { messages: [null] },
    { messages: [{ role: "user", content: "go" }] },
  ])("as a state: %j", async (more) => {
    const model = done();
    const state = { version: 1, runId: "r", messages: [], turn: [], usage: whole, ...more };
    await expect(
      resumeAgent(state as never as AgentState, {}, { model, executor: executorFor([]) }),
    ).rejects.toMatchObject({
      code: "invalid_configuration",
      message: expect.stringContaining("no state"),
    });
    expect(model.doStreamCalls).toEqual([]);
  });
});
