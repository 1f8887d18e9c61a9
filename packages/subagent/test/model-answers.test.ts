import {
  APICallError,
  UnsupportedFunctionalityError,
  type LanguageModelV4StreamPart,
} from "@ai-sdk/provider";
import { FakeClock } from "@toolweave/test-support/fake-clock";
import { MockLanguageModelV4 } from "ai/test";
import { describe, expect, test } from "vitest";
import { defineTool } from "@toolweave/core";
import { runAgent, type AgentMessage } from "@toolweave/subagent";
import { ended, executorFor, resultsIn, tool } from "./support/executor-for.ts";
import { inTurn, scriptedModel, toParts, toStream, toUsage } from "./support/scripted-model.ts";

const echo = tool("echo", ({ said }) => String(said));

function streaming(
  ...turns: readonly (readonly LanguageModelV4StreamPart[])[]
): MockLanguageModelV4 {
  let turn = 0;
  return new MockLanguageModelV4({
    doStream: async () => ({ stream: toStream(turns[turn++] ?? []) }),
  });
}

describe("an invalid call of a model", () => {
  test("has the error as its result, and the model continues", async () => {
    const typed = defineTool({
      name: "typed",
      description: "Takes a number.",
      input: { type: "object", properties: { n: { type: "number" } }, required: ["n"] },
      execute: ({ n }) => n + 1,
    });
    const model = scriptedModel(
      inTurn(
        {
          calls: [
            { id: "1", name: "typed", input: '{"n": 1' },
            { id: "2", name: "typed", input: '{"n": "one"}' },
            { id: "3", name: "typde", input: { n: 1 } },
            { id: "4", name: "typed", input: "[1]" },
            { id: "5", name: "typed", input: { n: 1 } },
          ],
        },
        { text: "done" },
      ),
    );
    const result = ended(
      await runAgent({ model, executor: executorFor([typed]), prompt: "go" }),
      "completed",
    );
    expect(resultsIn(result)).toEqual([
      expect.stringContaining("JSON"),
      expect.stringContaining("n must be number"),
      expect.stringContaining("Did you mean typed?"),
      expect.stringContaining("must be one JSON object"),
      "2",
    ]);
    const assistant = result.messages[1];
    expect(assistant?.role === "assistant" && assistant.content[0]).toMatchObject({ input: {} });
  });

  test("with a duplicate id, or without one, has a unique id and its own result", async () => {
    const model = scriptedModel(
      inTurn(
        {
          calls: ["same", "same", ""].map((id, n) => ({
            id,
            name: "echo",
            input: { said: `${n}` },
          })),
        },
        { text: "done" },
      ),
    );
    const result = ended(
      await runAgent({ model, executor: executorFor([echo]), prompt: "go" }),
      "completed",
    );
    const parts = result.messages.flatMap(({ role, content }) => (role === "tool" ? content : []));
    expect(parts.map((part) => "toolCallId" in part && part.toolCallId)).toEqual([
      "same",
      "same_2",
      "call",
    ]);
    expect(resultsIn(result)).toEqual(["0", "1", "2"]);
  });

  test("without any arguments is one with an empty object", async () => {
    const model = scriptedModel(inTurn({ calls: [{ name: "echo", input: "" }] }, { text: "done" }));
    const result = await runAgent({ model, executor: executorFor([echo]), prompt: "go" });
    expect(resultsIn(result)).toEqual(["undefined"]);
  });
});

describe("an answer that was cut off", () => {
  test.each([
    ["length", "output"],
    ["content-filter", "content-filter"],
  ] as const)("(%s) is not a completed one, and none of its calls runs", async (finish, limit) => {
    let ran = 0;
    const model = scriptedModel(() => ({ text: "Half", calls: [{ name: "count" }], finish }));
    const executor = executorFor([tool("count", () => (ran += 1))]);
    const result = ended(await runAgent({ model, executor, prompt: "go" }), "stopped");
    expect(result).toMatchObject({
      limit,
      text: "Half",
      message: expect.stringContaining("not a completed answer"),
    });
    expect(ran).toBe(0);
    expect(result.messages.at(-1)).toMatchObject({
      role: "tool",
      content: [{ output: { type: "error-text" } }],
    });
  });

  test.each(["error", "interrupted"] as const)("(%s) is a failure", async (finish) => {
    const model = scriptedModel(() => ({ text: "Half", finish }));
    const result = ended(
      await runAgent({ model, executor: executorFor([]), prompt: "go" }),
      "failed",
    );
    expect(result).toMatchObject({ text: "Half", error: { code: "unavailable" } });
  });

  test("before its end is a failure", async () => {
    const model = streaming(toParts({ text: "Half" }).slice(0, -1));
    const result = ended(
      await runAgent({ model, executor: executorFor([]), prompt: "go" }),
      "failed",
    );
    expect(result).toMatchObject({ text: "Half", error: { code: "unavailable" } });
  });
});

describe("data that a provider adds", () => {
  test("is sent back with the next turn: reasoning, its metadata, and its own parts", async () => {
    const signature = { anthropic: { signature: "s" } };
    const model = streaming(
      [
        { type: "reasoning-start", id: "r" },
        { type: "reasoning-delta", id: "r", delta: "hm" },
        { type: "reasoning-end", id: "r", providerMetadata: signature },
        { type: "custom", kind: "openai.compaction", providerMetadata: { openai: { id: "c" } } },
        {
          type: "tool-call",
          toolCallId: "1",
          toolName: "echo",
          input: '{"said":"x"}',
          providerMetadata: { google: { thoughtSignature: "t" } },
        },
        {
          type: "file",
          mediaType: "image/png",
          data: { type: "data", data: new Uint8Array([1, 2, 3]) },
        },
        ...toParts({}).slice(-1),
      ],
      toParts({ text: "done" }),
    );
    const result = ended(
      await runAgent({ model, executor: executorFor([echo]), prompt: "go" }),
      "completed",
    );
    const content: AgentMessage["content"] = [
      { type: "reasoning", text: "hm", providerOptions: signature },
      { type: "custom", kind: "openai.compaction", providerOptions: { openai: { id: "c" } } },
      {
        type: "tool-call",
        toolCallId: "1",
        toolName: "echo",
        input: { said: "x" },
        providerOptions: { google: { thoughtSignature: "t" } },
      },
      { type: "file", mediaType: "image/png", data: { type: "data", data: "AQID" } },
    ];
    expect(model.doStreamCalls[1]?.prompt[1]).toEqual({ role: "assistant", content });
    expect(JSON.parse(JSON.stringify(result.messages))).toEqual(result.messages);
  });

  test("for a call that it runs itself is kept, and the call is not run again; one that needs approval does not get it", async () => {
    let ran = 0;
    const model = streaming(
      [
        {
          type: "tool-call",
          toolCallId: "p",
          toolName: "web_search",
          input: "{}",
          providerExecuted: true,
        },
        { type: "tool-result", toolCallId: "p", toolName: "web_search", result: { hits: 1 } },
        { type: "tool-approval-request", approvalId: "ap", toolCallId: "m" },
        ...toParts({}).slice(-1),
      ],
      toParts({ text: "done" }),
    );
    const executor = executorFor([tool("web_search", () => (ran += 1))]);
    const result = ended(await runAgent({ model, executor, prompt: "go" }), "completed");
    expect(result.messages.slice(1, 3)).toEqual([
      {
        role: "assistant",
        content: [
          {
            type: "tool-call",
            toolCallId: "p",
            toolName: "web_search",
            input: {},
            providerExecuted: true,
          },
          {
            type: "tool-result",
            toolCallId: "p",
            toolName: "web_search",
            output: { type: "json", value: { hits: 1 } },
          },
        ],
      },
      {
        role: "tool",
        content: [
          expect.objectContaining({
            type: "tool-approval-response",
            approvalId: "ap",
            approved: false,
          }),
        ],
      },
    ]);
    expect([ran, result.usage.toolCalls]).toEqual([0, 0]);
  });

  test("is counted: cached input and thinking are parts of their sums", async () => {
    const usage = {
      inputTokens: { total: 100, noCache: 20, cacheRead: 80, cacheWrite: 0 },
      outputTokens: { total: 50, text: 20, reasoning: 30 },
    };
    const model = streaming([
      { type: "finish", usage, finishReason: { unified: "stop", raw: "end" } },
    ]);
    const { usage: counted } = await runAgent({ model, executor: executorFor([]), prompt: "go" });
    expect(counted).toMatchObject({
      turns: 1,
      inputTokens: 100,
      cachedInputTokens: 80,
      outputTokens: 50,
      reasoningTokens: 30,
    });
  });

  test("with an invalid count returns nothing to the budget", async () => {
    const model = streaming([
      {
        type: "finish",
        usage: toUsage(-100, Number.NaN),
        finishReason: { unified: "stop", raw: "" },
      },
    ]);
    const { usage } = await runAgent({ model, executor: executorFor([]), prompt: "go" });
    expect(usage).toMatchObject({ inputTokens: 0, outputTokens: 0 });
  });
});

describe("a model", () => {
  const whole = {
    content: [
      { type: "text", text: "all at once" },
      { type: "tool-call", toolCallId: "1", toolName: "echo", input: '{"said":"x"}' },
    ],
    finishReason: { unified: "tool-calls", raw: undefined },
    usage: toUsage(1, 1),
    warnings: [],
  } as const;
  const last = {
    ...whole,
    content: [{ type: "text", text: "done" }],
    finishReason: { unified: "stop", raw: undefined },
  } as const;

  test("that does not stream is called for complete answers", async () => {
    const model = new MockLanguageModelV4({
      doGenerate: [structuredClone(whole), structuredClone(last)] as never,
      doStream: async () => {
        throw new UnsupportedFunctionalityError({ functionality: "streaming" });
      },
    });
    const deltas: string[] = [];
    const result = ended(
      await runAgent({
        model,
        executor: executorFor([echo]),
        prompt: "go",
        onEvent: (event) => event.type === "text.delta" && deltas.push(event.delta),
      }),
      "completed",
    );
    expect([result.text, resultsIn(result), deltas]).toEqual([
      "done",
      ["x"],
      ["all at once", "done"],
    ]);
  });

  test("whose error is retryable is called again after the requested wait; another is not", async () => {
    const clock = new FakeClock();
    const error = (statusCode: number, retryAfter?: string): APICallError =>
      new APICallError({
        message: "no",
        url: "https://model.test",
        requestBodyValues: {},
        statusCode,
        ...(retryAfter === undefined ? {} : { responseHeaders: { "retry-after": retryAfter } }),
      });
    const asked: number[] = [];
    const errors = [error(503), error(429, "7")];
    const model = new MockLanguageModelV4({
      doStream: async () => {
        asked.push(clock.now() - 1_000_000);
        const next = errors.shift();
        if (next !== undefined) throw next;
        return { stream: toStream(toParts({ text: "at last" })) };
      },
    });
    const executor = executorFor([], { clock });
    const running = runAgent({ model, executor, prompt: "go" });
    await clock.advance(1000);
    await clock.advance(7000);
    expect(ended(await running, "completed").text).toBe("at last");
    expect(asked).toEqual([0, 1000, 8000]);
    errors.push(error(401));
    expect(ended(await runAgent({ model, executor, prompt: "go" }), "failed").error).toMatchObject({
      code: "upstream",
      status: 401,
    });
    errors.push(error(503, "3600"));
    expect(ended(await runAgent({ model, executor, prompt: "go" }), "failed").error).toMatchObject({
      code: "unavailable",
      status: 503,
      retryAfterMs: 3_600_000,
    });
  });

  test("whose stream fails after it has begun is not called again", async () => {
    const model = streaming([
      ...toParts({ text: "Half" }).slice(0, 3),
      { type: "error", error: Object.assign(new Error("gone"), { isRetryable: true }) },
    ]);
    const result = ended(
      await runAgent({ model, executor: executorFor([]), prompt: "go" }),
      "failed",
    );
    expect(result.text).toBe("Half");
    expect(model.doStreamCalls).toHaveLength(1);
  });

  test("that is invalid is refused before anything runs", async () => {
    const executor = executorFor([]);
    const wrong = { model: "gpt" as never, executor, prompt: "go" };
    await expect(runAgent(wrong)).rejects.toThrow(/no language model/);
    const old = { ...scriptedModel(() => ({})), specificationVersion: "v2", doStream: () => {} };
    await expect(runAgent({ ...wrong, model: old as never })).rejects.toThrow(/v4/);
    await expect(runAgent({ ...wrong, prompt: undefined } as never)).rejects.toThrow(/prompt/);
  });
});

test("an answer that never matches its schema is a failure after three", async () => {
  const model = scriptedModel(() => ({ text: "no" }));
  const output = { type: "object" };
  const result = ended(
    await runAgent({ model, executor: executorFor([]), prompt: "go", output }),
    "failed",
  );
  expect([result.error.code, result.usage.turns]).toEqual(["invalid_output", 3]);
});

test("images in tools' answers reach the model as files", async () => {
  const model = scriptedModel(inTurn({ calls: [{ name: "draw" }] }, { text: "done" }));
  const data = "iVBORw0KGgo=";
  const draw = tool("draw", () => ({
    content: [
      { type: "text", text: "a dot" },
      { type: "image", data, mimeType: "image/png" },
    ],
  }));
  const result = await runAgent({ model, executor: executorFor([draw]), prompt: "go" });
  expect(result.messages[2]).toMatchObject({
    content: [
      {
        output: {
          type: "content",
          value: [
            { type: "text", text: "a dot" },
            { type: "file", mediaType: "image/png", data: { type: "data", data } },
          ],
        },
      },
    ],
  });
});
