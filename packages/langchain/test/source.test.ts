import { RunnableLambda } from "@langchain/core/runnables";
import { DynamicTool, tool } from "@langchain/core/tools";
import { Command, interrupt } from "@langchain/langgraph";
import { ToolExecutor, ToolRegistry, type ToolOutcome } from "@toolweave/core";
import { ToolMessage } from "langchain";
import { z } from "zod";
import { z as z3 } from "zod/v3";
import { describe, expect, it } from "vitest";
import {
  langchainSource,
  langchainTools,
  type LangchainSourceOptions,
  type LangchainTool,
} from "../src/index.ts";
import { agent, createThread } from "./support/graphs.ts";

function createExecutor(
  tools: readonly LangchainTool[],
  options?: LangchainSourceOptions,
): ToolExecutor {
  const registry = new ToolRegistry([langchainSource(tools, options)]);
  return new ToolExecutor({ registry, policy: "autonomous" });
}

function run(
  tool: LangchainTool,
  args = {},
  options?: LangchainSourceOptions,
): Promise<ToolOutcome> {
  const executor = createExecutor([tool], options);
  const [spec] = executor.toolset.specs();
  return executor.execute({ id: "c1", name: spec?.name ?? "", arguments: args });
}

const fields = { name: "give", description: "Give something.", schema: z.object({}) };

describe("a tool of LangChain", () => {
  it("has its name, its description, and its input as JSON Schema", () => {
    const search = tool(() => "", {
      name: "search",
      description: "Search.",
      schema: z.object({ query: z.string().describe("What for."), limit: z.number().default(5) }),
    });
    const [given] = langchainSource([search]).tools();
    expect(given?.spec).toMatchObject({
      name: "search",
      description: "Search.",
      inputSchema: {
        type: "object",
        properties: { query: { type: "string", description: "What for." } },
        required: ["query"],
      },
      annotations: {},
      provenance: { adapter: "langchain", source: "langchain", origin: { tool: "search" } },
    });
  });

  it("runs like a function of defineTool if it is code of the host", async () => {
    const statuses = async (options: LangchainSourceOptions): Promise<readonly string[]> => {
      const give = tool(() => "given", fields);
      const registry = new ToolRegistry([langchainSource([give], options)]);
      const outcomes = await Promise.all(
        (["supervised", "strict"] as const).map((policy) =>
          new ToolExecutor({ registry, policy }).execute({ id: "c1", name: "give", arguments: {} }),
        ),
      );
      return outcomes.map(({ status }) => status);
    };
    expect(await statuses({})).toEqual(["interrupted", "failed"]);
    expect(await statuses({ ownCode: true })).toEqual(["completed", "failed"]);
    const annotations = () => ({ destructiveHint: true });
    expect(await statuses({ ownCode: true, annotations })).toEqual(["interrupted", "failed"]);
    const [own] = langchainSource([tool(() => "", fields)], { ownCode: true }).tools();
    expect(own?.spec.provenance).toMatchObject({ adapter: "code", source: "langchain" });
  });

  it.each([
    ["Zod 4", z.object({ code: z.string().regex(/^[a-z]$/i), n: z.coerce.number() })],
    ["Zod 3", z3.object({ code: z3.string().regex(/^[a-z]$/i), n: z3.coerce.number() })],
  ])("accepts the arguments that %s accepts", async (_, schema) => {
    const give = tool((args) => JSON.stringify(args), { ...fields, schema: schema as never });
    const outcome = await run(give as LangchainTool, { code: "A", n: "1" });
    expect(outcome.result?.content).toEqual([{ type: "text", text: '{"code":"A","n":1}' }]);
    const refused = await run(give as LangchainTool, { code: "1", n: "1" });
    expect(refused.error?.code).toBe("invalid_arguments");
  });

  it("may use Zod 3, JSON Schema, one text, or a runnable", async () => {
    const schema = { type: "object", properties: { n: { type: "integer" } }, required: ["n"] };
    const makes: [LangchainTool, object, string][] = [
      [
        tool(({ n }) => `n ${n}`, { ...fields, schema: z3.object({ n: z3.number() }) as never }),
        { n: 1 },
        "n 1",
      ],
      [
        tool((input: unknown) => `n ${(input as { n: number }).n}`, { ...fields, schema } as never),
        { n: 2 },
        "n 2",
      ],
      [
        new DynamicTool({ ...fields, func: async (input) => `text ${input}` }),
        { input: "x" },
        "text x",
      ],
      [
        RunnableLambda.from(({ n }: { n: number }) => `runnable ${n}`).asTool({
          ...fields,
          schema: z.object({ n: z.number() }),
        }),
        { n: 3 },
        "runnable 3",
      ],
    ];
    for (const [made, args, text] of makes) {
      expect(await run(made, args)).toMatchObject({
        status: "completed",
        result: { content: [{ type: "text", text }], isError: false },
      });
    }
  });

  it("asks before each call, unless the host sets its annotations", async () => {
    const look = tool(() => "seen", fields);
    const asking = new ToolExecutor({ registry: new ToolRegistry([langchainSource([look])]) });
    const call = { id: "c1", name: "give", arguments: {} };
    expect((await asking.execute(call)).status).toBe("interrupted");
    const reads = langchainSource([look], { annotations: () => ({ readOnlyHint: true }) });
    const reading = new ToolExecutor({ registry: new ToolRegistry([reads]) });
    expect((await reading.execute(call)).status).toBe("completed");
  });

  it("receives its defaults and transformations, and refuses values that JSON Schema cannot exclude", async () => {
    const schema = z
      .object({ from: z.number(), to: z.number(), unit: z.string().default("m") })
      .refine(({ from, to }) => from < to, "from has to be below to");
    const measure = tool(({ from, to, unit }) => `${to - from} ${unit}`, { ...fields, schema });
    expect(await run(measure, { from: 1, to: 3 })).toMatchObject({
      result: { content: [{ text: "2 m" }] },
    });
    const refused = await run(measure, { from: 3, to: 1 });
    expect(refused).toMatchObject({ status: "failed", error: { code: "invalid_arguments" } });
    expect(JSON.stringify(refused)).toContain("from has to be below to");
  });

  it("receives the call's id and the host's config", async () => {
    const seen: unknown[] = [];
    const watch = tool((_, config) => {
      const { toolCallId, toolCall, configurable } = config as Record<string, unknown>;
      seen.push(toolCallId, (toolCall as { id: string }).id, configurable);
      return "";
    }, fields);
    await run(watch, {}, { config: ({ runId }) => ({ configurable: { user: "ada", runId } }) });
    expect(seen).toEqual(["c1", "c1", { user: "ada", runId: expect.any(String) as string }]);
  });

  it("is stopped by the call's signal", async () => {
    let stop: (reason: unknown) => void = () => {};
    const stopped = new Promise((resolve) => (stop = resolve));
    const controller = new AbortController();
    const endless = tool((_, { signal }) => {
      signal?.addEventListener("abort", () => stop(signal.reason), { once: true });
      controller.abort();
      return new Promise<string>(() => {});
    }, fields);
    const outcome = await createExecutor([endless]).execute(
      { id: "c1", name: "give", arguments: {} },
      { signal: controller.signal },
    );
    expect(outcome).toMatchObject({ status: "failed", error: { code: "cancelled" } });
    await stopped;
  });

  it("that yields updates emits them if the host enables that", async () => {
    const bind = tool(async function* () {
      yield "sewing";
      yield { glued: true };
      return "bound";
    }, fields);
    const seen: unknown[] = [];
    const executor = createExecutor([bind], {
      annotations: () => ({ streamingHint: true }),
    });
    const onUpdate = ({ content }: { content: readonly unknown[] }) => void seen.push(...content);
    const call = { id: "c1", name: "give", arguments: {} };
    expect(await executor.execute(call, { onUpdate })).toMatchObject({
      result: { content: [{ text: "bound" }] },
    });
    expect(seen).toEqual([
      { type: "text", text: "sewing" },
      { type: "text", text: '{"glued":true}' },
    ]);
  });
});

describe("an answer", () => {
  it("that is an object or a list is a value, and its JSON for the model", async () => {
    for (const value of [{ a: [1] }, [{ type: "row" }, 2]]) {
      expect(await run(tool(() => value, fields))).toMatchObject({
        result: { value, content: [{ text: JSON.stringify(value) }] },
      });
    }
  });

  it("of content and artifact returns the model the first, and the host both", async () => {
    const chart = tool(() => ["A chart.", { points: [1, 2] }], {
      ...fields,
      responseFormat: "content_and_artifact",
    });
    expect(await run(chart)).toMatchObject({
      result: { content: [{ type: "text", text: "A chart." }], details: { points: [1, 2] } },
    });
  });

  it.each([
    { type: "image", data: "iVBORw0KGgo=", mimeType: "image/png" },
    { type: "image", source_type: "base64", data: "iVBORw0KGgo=", mime_type: "image/png" },
    { type: "image_url", image_url: { url: "data:image/png;base64,iVBORw0KGgo=" } },
  ])("with an image as $type is one", async (block) => {
    expect(await run(tool(() => [{ type: "text", text: "See:" }, block], fields))).toMatchObject({
      result: {
        content: [
          { type: "text", text: "See:" },
          { type: "image", data: "iVBORw0KGgo=", mimeType: "image/png" },
        ],
      },
    });
  });

  it("with bytes, a link or a provider's own block keeps them", async () => {
    const blocks = [
      { type: "file", data: new Uint8Array([37, 80, 68, 70]), mimeType: "application/pdf" },
      { type: "image", url: "https://example.org/a.png", mimeType: "image/png" },
      { type: "reasoning", reasoning: "because" },
    ];
    const direct = tool(
      () => new ToolMessage({ content: blocks as never, tool_call_id: "c1" }),
      fields,
    );
    const [source] = langchainSource([direct]).tools();
    const output = await source?.invoke({}, {
      callId: "c1",
      toolName: "give",
      signal: new AbortController().signal,
    } as never);
    expect(output).toMatchObject({
      content: [
        { type: "resource", resource: { blob: "JVBERg==", mimeType: "application/pdf" } },
        { type: "resource_link", uri: "https://example.org/a.png", mimeType: "image/png" },
        { type: "text", text: '{"type":"reasoning","reasoning":"because"}' },
      ],
    });
  });

  it("with a command for a graph returns its message, and is an error without one", async () => {
    const messages = [new ToolMessage({ content: "noted", tool_call_id: "c1" })];
    const noted = tool(() => new Command({ update: { messages, notes: ["x"] } }), fields);
    expect(await run(noted)).toMatchObject({ result: { content: [{ text: "noted" }] } });
    const leave = tool(() => new Command({ goto: "elsewhere" }), fields);
    expect(await run(leave)).toMatchObject({
      status: "failed",
      error: { code: "execution_failed", message: expect.stringContaining("has run") as string },
    });
  });

  it("that is an error of the tool is one", async () => {
    const failing = tool(
      () => new ToolMessage({ status: "error", content: "It is lost.", tool_call_id: "c1" }),
      fields,
    );
    expect(await run(failing)).toMatchObject({
      status: "completed",
      result: { isError: true, content: [{ text: "It is lost." }] },
    });
  });
});

describe("a tool that interrupts a graph", () => {
  it("fails here, and does not interrupt the graph of the call", async () => {
    const asking = tool(() => String(interrupt("Which day?")), fields);
    const executor = createExecutor([asking]);
    const thread = createThread(agent, () => langchainTools(executor), [
      { id: "c1", name: "give", args: {} },
    ]);
    await thread.begin();
    expect(thread.asked).toEqual([]);
    expect(thread.answers["c1"]).toMatchObject({ status: "error" });
    expect(thread.answers["c1"]?.text).toContain("give failed");
  });
});

describe("a list of tools", () => {
  it("omits unsupported ones, with the reason, and keeps the others", () => {
    const good = tool(() => "", { ...fields, name: "good" });
    const dated = tool(() => "", {
      ...fields,
      name: "dated",
      schema: z.object({ when: z.date() }),
    });
    const list = tool(() => "", { ...fields, name: "list", schema: { type: "array" } as never });
    const source = langchainSource([good, dated, good, list]);
    expect(source.tools().map(({ spec }) => spec.name)).toEqual(["good"]);
    expect(source.problems.map(({ subject }) => subject)).toEqual(["dated", "good", "list"]);
  });

  it("has unique names that every provider accepts", () => {
    const named = (name: string) => tool(() => "", { ...fields, name });
    const source = langchainSource([named("web search"), named("web.search"), named("web_search")]);
    const names = source.tools().map(({ spec }) => spec.name);
    expect(new Set(names).size).toBe(3);
    expect(names.every((name) => /^[A-Za-z_][A-Za-z0-9_-]{0,63}$/.test(name))).toBe(true);
    expect(names[2]).toBe("web_search");
  });

  it("of another type is refused at once", () => {
    expect(() => langchainSource([{} as never])).toThrow("list of LangChain's tools");
    expect(() => langchainSource([], { annotation: () => ({}) } as never)).toThrow("annotations");
  });
});
