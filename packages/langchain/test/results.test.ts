import { HumanMessage } from "@langchain/core/messages";
import { convertToOpenAITool } from "@langchain/core/utils/function_calling";
import { defineTool, ToolError, ToolExecutor, ToolRegistry, type Tool } from "@toolweave/core";
import { createAgent } from "langchain";
import { z } from "zod";
import { describe, expect, it } from "vitest";
import { langchainTools } from "../src/index.ts";
import { agent, answered, readCode, graphMakers, script, createThread } from "./support/graphs.ts";
import { workshop } from "./support/workshop.ts";

function executorWith(...tools: readonly Tool[]): ToolExecutor {
  return new ToolExecutor({ registry: new ToolRegistry(tools) });
}

/** A tool whose return value a test sets. */
function giving(execute: () => unknown): ToolExecutor {
  return executorWith(
    defineTool({
      name: "give",
      description: "Give something.",
      input: { type: "object" },
      execute,
    }) as Tool,
  );
}

async function given(execute: () => unknown) {
  const tools = () => langchainTools(giving(execute));
  const thread = createThread(agent, tools, [{ id: "c1", name: "give", args: {} }]);
  const message = (await thread.begin()).answers["c1"];
  if (message === undefined) throw new Error("The call has no answer.");
  return { message, last: thread.last };
}

describe("a tool for a model", () => {
  it("has the name, the description and the schema of the registry, unchanged", async () => {
    const schema = {
      type: "object",
      properties: { kind: { anyOf: [{ const: "a" }, { type: "null" }] }, n: { $ref: "#/$defs/n" } },
      $defs: { n: { type: "integer", minimum: 0 } },
      required: ["kind"],
      additionalProperties: false,
    } as const;
    const tool = defineTool({
      name: "choose",
      description: "Choose one.",
      input: schema,
      execute: () => "chosen",
    });
    const [first] = await langchainTools(executorWith(tool as Tool));
    if (first === undefined) throw new Error("There is no tool.");
    expect(convertToOpenAITool(first)).toEqual({
      type: "function",
      function: { name: "choose", description: "Choose one.", parameters: schema },
    });
  });

  it("comes from a Standard Schema as its JSON Schema", async () => {
    const tool = defineTool({
      name: "greet",
      description: "Greet.",
      input: z.object({ name: z.string().min(1) }),
      execute: ({ name }) => `Hello ${name}`,
    });
    const [first] = await langchainTools(executorWith(tool as Tool));
    expect(first?.schema).toMatchObject({ properties: { name: { minLength: 1 } } });
  });
});

describe("a result", () => {
  it("is text for the model, and the value for the host", async () => {
    const { message } = await given(() => ({ temperature: 21 }));
    expect(message.content).toBe('{"temperature":21}');
    expect(message).toMatchObject({ name: "give", tool_call_id: "c1", status: "success" });
    const artifact = answered(message);
    expect(artifact).toMatchObject({ value: { temperature: 21 }, isError: false, callId: "c1" });
    expect(artifact).not.toHaveProperty("content");
    expect(JSON.parse(JSON.stringify(artifact))).toEqual(artifact);
  });

  it("without text has a text that says so, since some models refuse an empty one", async () => {
    const { message } = await given(() => undefined);
    expect(message.content).toBe("(no output)");
  });

  it("with an image is standard blocks that a provider recognizes, beside a text", async () => {
    const image = { type: "image", data: "iVBORw0KGgo=", mimeType: "image/png" };
    const { message } = await given(() => [{ type: "text", text: "A chart." }, image]);
    expect(message.contentBlocks).toEqual([{ type: "text", text: "A chart." }, image]);
    expect(message.response_metadata).toEqual({ output_version: "v1" });
    const { message: alone } = await given(() => [image]);
    expect(alone.contentBlocks).toEqual([{ type: "text", text: "[image/png]" }, image]);
  });

  it("with an image that providers refuse names it, and does not end the conversation", async () => {
    const svg = { type: "image", data: "PHN2Zy8+", mimeType: "image/svg+xml" };
    const { message } = await given(() => [{ type: "text", text: "A plan." }, svg]);
    expect(message.content).toBe("A plan.\n[image/svg+xml, 6 bytes, not shown]");
  });

  it("with a link names it, and has no block that would be downloaded", async () => {
    const { message } = await given(() => [
      { type: "resource_link", uri: "http://10.0.0.1/x", name: "x", description: "internal" },
    ]);
    expect(message.content).toBe("x: http://10.0.0.1/x (internal)");
  });

  it.each(Object.entries(graphMakers))(
    "of %s that is large is a preview, which the model reads on with read_artifact",
    async (_, maker) => {
      const tools = await langchainTools(giving(() => "line\n".repeat(50_000)));
      expect(tools.map(({ name }) => name)).toEqual(["give", "read_artifact"]);
      const first = createThread(maker, async () => tools, [{ id: "c1", name: "give", args: {} }]);
      const preview = (await first.begin()).answers["c1"];
      expect(preview?.text.length).toBeLessThan(10_000);
      const [ref] = answered(preview).artifacts;
      expect(preview?.text).toContain(ref?.key);
      const args = { key: ref?.key, offset: 200_000, limit: 20 };
      const second = createThread(maker, async () => tools, [
        { id: "c2", name: "read_artifact", args },
      ]);
      expect((await second.begin()).answers["c2"]?.text).toContain("line\n");
    },
  );
});

describe("an error", () => {
  it("is a message with the error status, and the agent continues", async () => {
    const { message, last } = await given(() => {
      throw new ToolError("upstream", "The museum is closed.", { status: 503 });
    });
    expect(message).toMatchObject({ status: "error", content: "The museum is closed." });
    expect(answered(message).error).toMatchObject({ code: "upstream", status: 503 });
    expect(last).toBe("done");
  });

  it("of the arguments is reported by the executor, with the path, and not by LangChain", async () => {
    const { executor, done } = workshop();
    const thread = createThread(agent, () => langchainTools(executor), [
      { id: "c1", name: "look", args: { id: "seven" } },
    ]);
    await thread.begin();
    expect(readCode(thread.answers["c1"])).toBe("invalid_arguments");
    expect(thread.answers["c1"]?.text).toContain('id must be integer (sent: "seven")');
    expect(done).toEqual([]);
  });

  it.each(Object.entries(graphMakers))(
    "of %s does not occur if a model's arguments look like another tool call",
    async (_, maker) => {
      const seen: unknown[] = [];
      const echo = defineTool({
        name: "echo",
        description: "Say it.",
        input: { type: "object" },
        execute: (args) => void seen.push(args),
      }) as Tool;
      const args = { type: "tool_call", id: "c2", name: "echo", args: { inner: true } };
      const thread = createThread(maker, () => langchainTools(executorWith(echo)), [
        { id: "c1", name: "echo", args },
      ]);
      await thread.begin();
      expect(Object.keys(thread.answers)).toEqual(["c1"]);
      expect(seen).toEqual([args]);
    },
  );

  it("is thrown if no message can contain it", async () => {
    const { executor } = workshop();
    const tool = (await langchainTools(executor)).find(({ name }) => name === "look");
    expect(await tool?.invoke({ id: 1 })).toBe('{"seen":1}');
    await expect(tool?.invoke({ id: "x" })).rejects.toMatchObject({ code: "invalid_arguments" });
    await expect(tool?.invoke("x")).rejects.toMatchObject({ code: "invalid_arguments" });
  });

  it("is an exhausted limit, for every later call of the run", async () => {
    const { executor, done } = workshop();
    const run = executor.startRun({ limits: { calls: 1 } });
    const look = (id: string) => ({ id, name: "look", args: { id: 1 } });
    const model = script([look("c1")], [look("c2")]);
    const { messages } = await createAgent({ model, tools: await langchainTools(run) }).invoke({
      messages: [new HumanMessage("Go.")],
    });
    const answers = messages.filter((message) => message.type === "tool");
    expect(answers.map((message) => readCode(message as never))).toEqual([
      undefined,
      "limit_exceeded",
    ]);
    expect(done).toEqual(["look 1"]);
  });
});
