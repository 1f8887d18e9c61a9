import {
  defineTool,
  ToolError,
  ToolExecutor,
  ToolRegistry,
  text,
  type ExecutorOptions,
  type JsonObject,
  type Tool,
} from "@toolweave/core";
import type { BeforeCallAnswer } from "@toolweave/core/adapter";
import {
  call,
  lastRequest,
  resultsRead,
  say,
  scripted,
} from "@toolweave/test-support/scripted-turns";
import { streamText, isStepCount } from "ai";
import { describe, expect, it, vi } from "vitest";
import { aiTools } from "../src/index.ts";
import { Conversation } from "./support/conversation.ts";

const ran = vi.fn<(args: JsonObject) => JsonObject>((args) => args);

const order = defineTool({
  name: "order",
  description: "Order tickets.",
  input: {
    type: "object",
    properties: { count: { type: "integer" }, name: { type: "string" } },
    required: ["count"],
    additionalProperties: false,
  },
  execute: (args) => ran({ ...args }),
}) as Tool;

function broken(execute: () => never): Tool {
  return defineTool({
    name: "broken",
    description: "It fails.",
    input: { type: "object" },
    execute,
  }) as Tool;
}

/** One call and the model's answer to it. */
async function catchFailure(
  tool: Tool,
  name: string,
  input: unknown,
  options: Omit<ExecutorOptions, "registry"> = {},
) {
  ran.mockClear();
  const executor = new ToolExecutor({ registry: new ToolRegistry([tool]), ...options });
  const model = scripted([call("c1", name, input)], [say("I see.")]);
  const result = await new Conversation().go(model, await aiTools(executor));
  const error = result.steps[0]?.content.find(({ type }) => type === "tool-error");
  return {
    model,
    text: result.text,
    read: resultsRead(model)["c1"],
    error: error?.type === "tool-error" ? error.error : undefined,
  };
}

describe("an invalid argument", () => {
  it("is reported with its path and the expected value, so that the model can repair it", async () => {
    ran.mockClear();
    const executor = new ToolExecutor({ registry: new ToolRegistry([order]) });
    const model = scripted(
      [call("c1", "order", { count: "two" })],
      [call("c2", "order", { count: 2 })],
      [say("Ordered.")],
    );
    const { text } = await new Conversation().go(model, await aiTools(executor));
    const read = resultsRead(model);
    expect(read["c1"]).toMatchObject({
      type: "error-text",
      value: expect.stringMatching(/count .*integer.*\(sent: "two"\)[\s\S]*call it again/),
    });
    expect(read["c2"]).toEqual({ type: "text", value: '{"count":2}' });
    expect(ran.mock.calls).toEqual([[{ count: 2 }]]);
    expect(text).toBe("Ordered.");
  });

  it("is a ToolError for the host", async () => {
    const { error } = await catchFailure(order, "order", { count: "two" });
    expect(error).toMatchObject({ code: "invalid_arguments" });
    expect(ToolError.is(error)).toBe(true);
  });

  it.each([
    ["no object", "[1]", "must be one JSON object"],
    ["a string that holds an object", JSON.stringify('{"count":2}'), "must be one JSON object"],
    ["empty", "", "count"],
    ["malformed", '{"count": 2', "JSON"],
  ])("that is %s runs nothing and is reported", async (_, input, expected) => {
    const { read, text } = await catchFailure(order, "order", input);
    expect(read).toMatchObject({ type: "error-text", value: expect.stringContaining(expected) });
    expect(ran).not.toHaveBeenCalled();
    expect(text).toBe("I see.");
  });

  it("that nests too deep is reported, and does not exhaust the stack", async () => {
    const deep = `${'{"count":'.repeat(500)}1${"}".repeat(500)}`;
    const { read } = await catchFailure(order, "order", deep);
    expect(read?.type).toBe("error-text");
    expect(ran).not.toHaveBeenCalled();
  });
});

describe("an unknown tool", () => {
  it("is reported to the model with the existing names, and the generation continues", async () => {
    const { read, text } = await catchFailure(order, "odrer", { count: 1 });
    expect(read).toMatchObject({ type: "error-text", value: expect.stringContaining("order") });
    expect(ran).not.toHaveBeenCalled();
    expect(text).toBe("I see.");
  });
});

describe("a refusal", () => {
  it("by readOnly hides a tool that changes something from the model", async () => {
    const { model, read } = await catchFailure(
      order,
      "order",
      { count: 1 },
      { policy: "readOnly" },
    );
    expect(lastRequest(model).tools ?? []).toEqual([]);
    expect(read?.type).toBe("error-text");
    expect(ran).not.toHaveBeenCalled();
  });

  it("by readOnly of the permissions of a read-only tool is reported", async () => {
    const peek: Tool = {
      ...order,
      spec: { ...order.spec, annotations: { readOnlyHint: true } },
      preflight: () => [{ kind: "fs.write", target: "notes.txt", summary: "Write notes.txt" }],
    };
    const { read, error } = await catchFailure(peek, "order", { count: 1 }, { policy: "readOnly" });
    expect(read).toMatchObject({
      type: "error-text",
      value: expect.stringContaining("order is not permitted"),
    });
    expect(error).toMatchObject({ code: "permission_denied" });
    expect(ran).not.toHaveBeenCalled();
  });

  it("by a host's hook is reported, with one decision and one event", async () => {
    const beforeCall = vi.fn<() => BeforeCallAnswer>(() => ({ block: "not on Mondays" }));
    const executor = new ToolExecutor({
      registry: new ToolRegistry([order]),
      hooks: [{ beforeCall }],
    });
    const events: string[] = [];
    executor.on(({ type }) => events.push(type));
    const model = scripted([call("c1", "order", { count: 1 })], [say("I see.")]);
    await new Conversation().go(model, await aiTools(executor));
    expect(resultsRead(model)["c1"]).toMatchObject({
      type: "error-text",
      value: expect.stringContaining("not on Mondays"),
    });
    expect(beforeCall).toHaveBeenCalledTimes(1);
    expect(events).toEqual(["tool.requested", "tool.rejected"]);
  });
});

describe("a tool that fails", () => {
  it("by throwing is an error that the model reads", async () => {
    const tool = broken(() => {
      throw new Error("the museum is closed");
    });
    const { read, error, text } = await catchFailure(tool, "broken", {});
    expect(read).toMatchObject({
      type: "error-text",
      value: "broken failed: the museum is closed",
    });
    expect(error).toMatchObject({ code: "execution_failed" });
    expect(text).toBe("I see.");
  });

  it("by answering with an error gives the model the complete content, and the host the cause", async () => {
    const cause = new ToolError("upstream", "HTTP 404", { status: 404, body: { id: 7 } });
    const tool = {
      ...broken(() => {
        throw cause;
      }),
      invoke: () => ({
        content: [text("HTTP 404"), text('{"id":7}')],
        isError: true,
        error: cause,
      }),
    };
    const { read, error } = await catchFailure(tool, "broken", {});
    expect(read).toMatchObject({ type: "error-text", value: 'HTTP 404\n{"id":7}' });
    expect(error).toMatchObject({ code: "upstream", status: 404, body: { id: 7 }, cause });
  });

  it("with an image mentions it", async () => {
    const tool = {
      ...broken(() => {
        throw new Error("unused");
      }),
      invoke: () => ({
        content: [text("no"), { type: "image" as const, data: "AA==", mimeType: "image/png" }],
        isError: true,
      }),
    };
    const { read } = await catchFailure(tool, "broken", {});
    expect(read).toMatchObject({ type: "error-text", value: "no\n[image/png, 1 byte, not shown]" });
  });

  it("by a timeout is an error that the model reads", async () => {
    const slow = defineTool({
      name: "slow",
      description: "It takes its time.",
      input: { type: "object" },
      timeoutMs: 1,
      execute: () => new Promise<string>(() => {}),
    }) as Tool;
    const { read, error } = await catchFailure(slow, "slow", {});
    expect(read).toMatchObject({ type: "error-text", value: expect.stringContaining("1 ms") });
    expect(error).toMatchObject({ code: "timeout" });
  });

  it("does not end a stream, whose user interface has the model's text", async () => {
    const tool = broken(() => {
      throw new Error("the museum is closed");
    });
    const executor = new ToolExecutor({ registry: new ToolRegistry([tool]) });
    const model = scripted([call("c1", "broken")], [say("I see.")]);
    const tools = await aiTools(executor);
    const result = streamText({ model, tools, prompt: "go", stopWhen: isStepCount(5) });
    const errors: string[] = [];
    for await (const part of result.toUIMessageStream()) {
      if (part.type === "tool-output-error") errors.push(part.errorText);
    }
    expect(await result.text).toBe("I see.");
    expect(errors).toEqual(["broken failed: the museum is closed"]);
  });
});
