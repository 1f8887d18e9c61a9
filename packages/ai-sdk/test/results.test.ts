import { defineTool, text, ToolExecutor, ToolRegistry, type Tool } from "@toolweave/core";
import {
  call,
  lastRequest,
  resultsRead,
  say,
  scripted,
} from "@toolweave/test-support/scripted-turns";
import { convertToModelMessages, generateText, isStepCount, streamText } from "ai";
import { describe, expect, it, vi } from "vitest";
import { aiTools } from "../src/index.ts";
import { Conversation } from "./support/conversation.ts";

const nothing = { type: "object", properties: {} } as const;
const png = "iVBORw0KGgo=";

/** A tool without arguments. */
function tool(name: string, execute: Parameters<typeof defineTool>[0]["execute"]): Tool {
  return defineTool({
    name,
    description: `It is ${name}.`,
    input: nothing,
    ...(execute && { execute }),
  }) as Tool;
}

function createExecutor(...tools: Tool[]): ToolExecutor {
  return new ToolExecutor({ registry: new ToolRegistry(tools) });
}

/** One call of the first tool: the texts for the model and for the host. */
async function callOnce(executor: ToolExecutor) {
  const [name] = executor.toolset.names();
  const model = scripted([call("c1", name ?? "")], [say("done")]);
  const result = await new Conversation().go(model, await aiTools(executor));
  const output = result.steps[0]?.toolResults[0]?.output;
  return { model, result, output, read: resultsRead(model)["c1"] };
}

describe("a completed call", () => {
  it("takes two steps: the model calls, reads the content and answers", async () => {
    const add = defineTool({
      name: "add",
      description: "Add two numbers.",
      input: {
        type: "object",
        properties: { a: { type: "number" }, b: { type: "number" } },
        required: ["a", "b"],
      },
      execute: ({ a, b }) => ({ sum: a + b }),
    });
    const model = scripted([call("c1", "add", { a: 1, b: 2 })], [say("It is 3.")]);
    const result = await generateText({
      model,
      tools: await aiTools(createExecutor(add)),
      prompt: "1 + 2?",
      stopWhen: isStepCount(5),
    });
    expect(result.text).toBe("It is 3.");
    expect(result.steps).toHaveLength(2);
    expect(result.toolResults).toMatchObject([
      { toolCallId: "c1", toolName: "add", input: { a: 1, b: 2 }, output: { sum: 3 } },
    ]);
    expect(resultsRead(model)).toEqual({ c1: { type: "text", value: '{"sum":3}' } });
  });

  it("has the SDK's call id", async () => {
    const ids: string[] = [];
    await callOnce(createExecutor(tool("t", (_, ctx) => void ids.push(ctx.callId))));
    expect(ids).toEqual(["c1"]);
  });

  it("returns a text to host and model alike", async () => {
    const { output, read } = await callOnce(createExecutor(tool("t", () => "hello")));
    expect(output).toBe("hello");
    expect(read).toEqual({ type: "text", value: "hello" });
  });

  it("returns the value to the host and only the content to the model", async () => {
    const returned = { content: [text("2 rows")], value: { rows: [1, 2], secret: "s" } };
    const { output, read } = await callOnce(createExecutor(tool("t", () => returned)));
    expect(output).toEqual({ rows: [1, 2], secret: "s" });
    expect(read).toEqual({ type: "text", value: "2 rows" });
  });

  it("separates the contents of two calls that return the same object", async () => {
    const value = { same: true };
    let n = 0;
    const t = tool("t", () => ({ content: [text(`content ${++n}`)], value }));
    const model = scripted([call("c1", "t"), call("c2", "t")], [say("done")]);
    await new Conversation().go(model, await aiTools(createExecutor(t)));
    expect(resultsRead(model)).toEqual({
      c1: { type: "text", value: "content 1" },
      c2: { type: "text", value: "content 2" },
    });
  });

  it.each([42, null, true, "plain"])(
    "returns the host a value such as %j unchanged",
    async (value) => {
      const modelText = typeof value === "string" ? value : JSON.stringify(value);
      const returned = { content: [text(modelText)], value };
      const { output, read } = await callOnce(createExecutor(tool("t", () => returned)));
      expect(output).toBe(value);
      expect(read).toEqual({ type: "text", value: modelText });
    },
  );

  it("returns the model no more than the executor's limit", async () => {
    const t = tool("t", () => ({ list: Array.from({ length: 500 }, () => "x".repeat(20)) }));
    const registry = new ToolRegistry([t]);
    const { output, read } = await callOnce(new ToolExecutor({ registry, maxOutputBytes: 300 }));
    expect(output).toMatchObject({ list: { length: 500 } });
    expect(read?.type === "text" && read.value.length < 400).toBe(true);
  });

  it("that is large is a preview with a key, with which the model reads on", async () => {
    const t = tool("t", () => "all quiet\n".repeat(20_000));
    const executor = createExecutor(t);
    const first = scripted([call("c1", "t")], [say("done")]);
    await new Conversation().go(first, await aiTools(executor.startRun({ sessionId: "s" })));
    const preview = resultsRead(first)["c1"];
    const modelText = preview?.type === "text" ? preview.value : "";
    expect(modelText.length).toBeLessThan(10_000);
    expect(modelText).toContain("read_artifact");
    const key = /art_[0-9a-f]{32}/.exec(modelText)?.[0];
    const second = scripted([call("c2", "read_artifact", { key, offset: 199_990 })], [say("done")]);
    await new Conversation().go(second, await aiTools(executor.startRun({ sessionId: "s" })));
    expect(resultsRead(second)["c2"]).toMatchObject({
      value: expect.stringContaining("all quiet"),
    });
  });

  it("returns the model of streamText the bounded content, too", async () => {
    const t = tool("t", () => ({ content: [text("short")], value: { long: "x".repeat(1000) } }));
    const model = scripted([call("c1", "t")], [say("done")]);
    const tools = await aiTools(createExecutor(t));
    const result = streamText({ model, tools, prompt: "go", stopWhen: isStepCount(5) });
    expect(await result.text).toBe("done");
    expect(await result.toolResults).toMatchObject([{ output: { long: "x".repeat(1000) } }]);
    expect(resultsRead(model)).toEqual({ c1: { type: "text", value: "short" } });
  });

  it("without output has a text that says so", async () => {
    const { output, read } = await callOnce(createExecutor(tool("t", () => undefined)));
    expect(output).toBe("");
    expect(read).toEqual({ type: "text", value: "(no output)" });
  });
});

describe("content that is more than text", () => {
  it("reaches the model as the SDK's file parts, and the host as content blocks", async () => {
    const content = [
      text("a picture"),
      { type: "image" as const, data: png, mimeType: "image/png" },
      { type: "audio" as const, data: "AAAA", mimeType: "audio/wav" },
      { type: "resource" as const, resource: { uri: "f:///b", text: "inside" } },
    ];
    const { output, read } = await callOnce(createExecutor(tool("t", () => content)));
    expect(output).toEqual(content);
    const file = (mediaType: string, data: string) => ({
      type: "file",
      mediaType,
      data: { type: "data", data },
    });
    expect(read).toMatchObject({
      type: "content",
      value: [
        { type: "text", text: "a picture" },
        file("image/png", png),
        file("audio/wav", "AAAA"),
        { type: "text", text: "inside" },
      ],
    });
  });

  it("is stored if it is neither an image nor audio, and the model can read it by its key", async () => {
    const content = [{ type: "resource" as const, resource: { uri: "f:///a", blob: "AAAA" } }];
    const model = scripted(
      [call("c1", "t")],
      [call("c2", "read_artifact", { key: "art_00000000000000000000000000000000" })],
      [say("done")],
    );
    const tools = await aiTools(createExecutor(tool("t", () => content)));
    const { steps } = await new Conversation().go(model, tools);
    expect(steps[0]?.toolResults[0]?.output).toMatch(/art_[0-9a-f]{32}/);
    expect(resultsRead(model)["c2"]).toMatchObject({
      type: "error-text",
      value: expect.stringContaining("no such artifact"),
    });
  });

  it("is sent to the model as a file if the host allows all content", async () => {
    const content = [{ type: "resource" as const, resource: { uri: "f:///a", blob: "AAAA" } }];
    const executor = new ToolExecutor({
      registry: new ToolRegistry([tool("t", () => content)]),
      largeOutputs: { onOverflow: "clip" },
    });
    const { output, read } = await callOnce(executor);
    expect(output).toEqual(content);
    expect(read).toMatchObject({
      type: "content",
      value: [{ type: "file", mediaType: "application/octet-stream" }],
    });
  });

  it("names a link and never fetches it", async () => {
    const fetched = vi.spyOn(globalThis, "fetch");
    const link = { type: "resource_link" as const, uri: "http://127.0.0.1:9/x.png", name: "x" };
    const content = [{ ...link, mimeType: "image/png", description: "a plan" }];
    const { read } = await callOnce(createExecutor(tool("t", () => content)));
    expect(read).toEqual({ type: "text", value: "x: http://127.0.0.1:9/x.png (a plan)" });
    expect(fetched).not.toHaveBeenCalled();
    fetched.mockRestore();
  });
});

describe("an output that is in a user interface's later messages", () => {
  const modelText = async (output: unknown) => {
    const tools = await aiTools(createExecutor(tool("t", () => "")));
    const [message] = (
      await convertToModelMessages(
        [
          {
            role: "assistant",
            parts: [
              {
                type: "dynamic-tool",
                toolName: "t",
                toolCallId: "c1",
                state: "output-available",
                input: {},
                output,
              },
            ],
          },
        ],
        { tools },
      )
    ).filter(({ role }) => role === "tool");
    const [part] = message?.role === "tool" ? message.content : [];
    return part?.type === "tool-result" ? part.output : undefined;
  };

  it("is unchanged if it was text or content blocks", async () => {
    expect(await modelText("hello")).toEqual({ type: "text", value: "hello" });
    expect(
      await modelText([text("a"), { type: "image", data: png, mimeType: "image/png" }]),
    ).toMatchObject({ type: "content", value: [{ type: "text" }, { type: "file" }] });
  });

  it("is bounded JSON text if it was a value", async () => {
    expect(await modelText({ a: 1 })).toEqual({ type: "text", value: '{"a":1}' });
    const long = await modelText({ a: "x".repeat(100_000) });
    expect(long?.type === "text" && long.value.length < 50_020).toBe(true);
  });
});

describe("the tools that a model sees", () => {
  it("are all of the toolset by name, with description and schema, and read_artifact", async () => {
    const model = scripted([say("hi")]);
    const executor = createExecutor(
      tool("b", () => 1),
      tool("a", () => 1),
    );
    await generateText({ model, tools: await aiTools(executor), prompt: "go" });
    expect(lastRequest(model).tools).toMatchObject([
      { type: "function", name: "a", description: "It is a.", inputSchema: nothing },
      { type: "function", name: "b", description: "It is b.", inputSchema: nothing },
      { type: "function", name: "read_artifact" },
    ]);
  });

  it("wait for sources that are still loading", async () => {
    const slow: Tool[] = [];
    let loaded = (): void => {};
    const source = {
      id: "slow",
      ready: new Promise<void>((resolve) => (loaded = resolve)),
      problems: [],
      tools: () => slow,
      onChange: () => () => {},
      close: () => Promise.resolve(),
      [Symbol.asyncDispose]: () => Promise.resolve(),
    };
    const tools = aiTools(new ToolExecutor({ registry: new ToolRegistry([source]) }));
    slow.push(tool("slow", () => 1));
    loaded();
    expect(Object.keys(await tools)).toEqual(["read_artifact", "slow"]);
  });

  it("have their schemas created once, and the SDK reads them when it needs them", async () => {
    let realised = 0;
    const lazy = tool("lazy", () => 1);
    Object.defineProperty(lazy.spec, "inputSchema", {
      enumerable: true,
      get: () => {
        realised += 1;
        return nothing;
      },
    });
    const tools = await aiTools(createExecutor(lazy));
    expect(realised).toBe(1);
    await generateText({ model: scripted([say("hi")]), tools, prompt: "go" });
    expect(realised).toBeGreaterThan(1);
  });

  it("may have names of inherited members", async () => {
    const executor = createExecutor(tool("__proto__", () => "proto"));
    const { read } = await callOnce(executor);
    expect(read).toEqual({ type: "text", value: "proto" });
  });

  it("are a run's own toolset, and calls belong to that run", async () => {
    const seen: unknown[] = [];
    const executor = createExecutor(
      tool("a", (_, ctx) => void seen.push([ctx.runId, ctx.caller, ctx.injected])),
      tool("b", () => 1),
    );
    const run = executor.startRun({
      id: "r1",
      caller: { id: "ann" },
      injected: { key: 1 },
      limits: { calls: 1 },
      toolset: executor.registry.toolset({ include: ["a"] }),
    });
    const tools = await aiTools(run);
    expect(Object.keys(tools)).toEqual(["a", "read_artifact"]);
    const model = scripted([call("c1", "a")], [call("c2", "a")], [say("done")]);
    await new Conversation().go(model, tools);
    expect(seen).toEqual([["r1", { id: "ann" }, { key: 1 }]]);
    expect(resultsRead(model)["c2"]).toMatchObject({
      type: "error-text",
      value: expect.stringContaining("all of its 1 tool calls"),
    });
  });
});

describe("a call that waits for an answer that the SDK cannot ask for", () => {
  it("reports that to the model, and returns the interruption to the host", async () => {
    const executor = createExecutor(tool("host_side", undefined));
    const { output, read } = await callOnce(executor);
    expect(read).toMatchObject({
      type: "error-text",
      value: expect.stringContaining("host_side is not finished: it waits for a result"),
    });
    const { interruption } = output as { interruption: Parameters<typeof executor.resume>[0] };
    const outcome = await executor.resume(interruption, [{ type: "result", value: { n: 1 } }]);
    expect(outcome).toMatchObject({ status: "completed", result: { value: { n: 1 } } });
  });
});

it("a value that is neither an executor nor a run is refused, with the type to pass", async () => {
  await expect(aiTools(new ToolRegistry() as never)).rejects.toThrow(/takes a ToolExecutor/);
});
