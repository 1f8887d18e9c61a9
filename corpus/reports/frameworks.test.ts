import type { StructuredTool } from "@langchain/core/tools";
import { convertToOpenAITool } from "@langchain/core/utils/function_calling";
import { Mastra } from "@mastra/core";
import { Agent as MastraAgent } from "@mastra/core/agent";
import type { MastraModelConfig } from "@mastra/core/llm";
import { InMemoryStore } from "@mastra/core/storage";
import { Agent, run, setTracingDisabled } from "@openai/agents-core";
import { assistantMessage, functionCall, ScriptedModel } from "@openai/agents-core/testing";
import { aiTools } from "@toolweave/ai-sdk";
import { defineTool, ToolExecutor, ToolRegistry, type JsonObject } from "@toolweave/core";
import { langchainTools } from "@toolweave/langchain";
import { mastraTools } from "@toolweave/mastra";
import { agentTools } from "@toolweave/openai-agents";
import { validateTools } from "@toolweave/providers";
import { toProviderLists } from "@toolweave/test-support/refused-schemas";
import {
  call,
  lastRequest,
  resultsRead,
  say,
  scripted,
} from "@toolweave/test-support/scripted-turns";
import { generateText, isStepCount } from "ai";
import { expect, test } from "vitest";
import { findIncomplete, observeText, pickPresent, readRows, type Report } from "./rows.ts";

/** One reported case, of the tool `t`, which the policy never asks about. */
interface Row extends Report {
  /** Default: all. */
  readonly frameworks?: readonly FrameworkName[];
  /** The tool's input schema. Default: no arguments. */
  readonly input?: JsonObject;
  /** The arguments, as the model writes them: a text is passed unchanged. Default: `{}`. */
  readonly writes?: JsonObject | string;
  /** The arguments with which the tool runs; `nothing`: it does not run. */
  readonly runs?: JsonObject | "nothing";
  /** The value that the tool returns. Absent: nothing. */
  readonly returns?: unknown;
  /** The message of the error that the tool throws. */
  readonly throws?: string;
  /** How many files the model is given beside texts. */
  readonly files?: number;
}

/** The schema and the result that a framework passes to the model. */
interface Seen {
  /** The schema of the tool `t`. */
  readonly schema: unknown;
  /** The result of the call: a text, or parts. */
  readonly result: unknown;
}

type Framework = (executor: ToolExecutor, args: string) => Promise<Seen>;

setTracingDisabled(true);

const frameworks = {
  async "ai-sdk"(executor, args) {
    const model = scripted([call("c1", "t", args)], [say("done")]);
    const tools = await aiTools(executor);
    await generateText({ model, tools, prompt: "go", stopWhen: isStepCount(3) });
    return readRequest(model);
  },
  async langchain(executor, args) {
    const tools = await langchainTools(executor);
    const tool = tools.find(({ name }) => name === "t") as StructuredTool;
    const parsed = JSON.parse(args) as JsonObject;
    const message = await tool.invoke({ type: "tool_call", id: "c1", name: "t", args: parsed });
    const { content } = message as { readonly content: unknown };
    return { schema: convertToOpenAITool(tool).function.parameters, result: content };
  },
  async mastra(executor, args) {
    const model = scripted([call("c1", "t", args)], [say("done")]);
    const agent = new MastraAgent({
      id: "a",
      name: "a",
      instructions: "Help.",
      // The types of Mastra declare that `doGenerate` streams.
      model: model as unknown as MastraModelConfig,
      tools: await mastraTools(executor),
    });
    const mastra = new Mastra({
      agents: { a: agent },
      storage: new InMemoryStore(),
      logger: false,
    });
    await mastra.getAgent("a").generate("go");
    return readRequest(model);
  },
  async "openai-agents"(executor, args) {
    const model = new ScriptedModel([
      [functionCall("t", args as never, { callId: "c1" })],
      [assistantMessage("done")],
    ]);
    const agent = new Agent({ name: "a", model, tools: await agentTools(executor) });
    await run(agent, "go");
    const { tools = [], input = [] } = model.lastCall?.request ?? {};
    const [schema] = tools.flatMap((tool) =>
      tool.type === "function" && tool.name === "t" ? [tool.parameters] : [],
    );
    const items = typeof input === "string" ? [] : input;
    const [output] = items.flatMap((item) =>
      item.type === "function_call_result" ? [item.output] : [],
    );
    const isText = typeof output === "object" && "text" in output;
    return { schema, result: isText ? output.text : output };
  },
} satisfies Readonly<Record<string, Framework>>;

type FrameworkName = keyof typeof frameworks;

/** The same for frameworks on the models of the AI SDK. */
function readRequest(model: ReturnType<typeof scripted>): Seen {
  const tool = lastRequest(model).tools?.find(({ name }) => name === "t");
  const output = resultsRead(model)["c1"];
  return {
    schema: tool?.type === "function" ? tool.inputSchema : undefined,
    result: output !== undefined && "value" in output ? output.value : output,
  };
}

const cases = await readRows<Row>("frameworks");

async function observe(row: Row, name: FrameworkName): Promise<Partial<Row> & { refused: number }> {
  let runs: Row["runs"] = "nothing";
  const tool = defineTool({
    name: "t",
    description: "Does it.",
    input: row.input ?? { type: "object" },
    execute: (args) => {
      runs = args as JsonObject;
      if (row.throws !== undefined) throw new Error(row.throws);
      return row.returns as never;
    },
  });
  const executor = new ToolExecutor({ registry: new ToolRegistry([tool]) });
  const { writes = {} } = row;
  const args = typeof writes === "string" ? writes : JSON.stringify(writes);
  const { schema, result } = await frameworks[name](executor, args);
  const lists = toProviderLists("t", schema);
  const refused = (["openai", "anthropic"] as const).flatMap((provider) =>
    validateTools(provider, lists[provider]),
  );
  const parts = Array.isArray(result) ? (result as readonly { readonly type: string }[]) : [];
  return {
    refused: refused.length,
    ...(row.runs === undefined ? {} : { runs }),
    ...(row.files === undefined
      ? {}
      : { files: parts.filter(({ type }) => !type.endsWith("text")).length }),
    ...observeText(row, typeof result === "string" ? result : (JSON.stringify(result) ?? "")),
  };
}

const expected = ["runs", "files", "text", "lacks"] as const;

test("each row names its reports, its verdict, its source and what is expected", () => {
  expect(findIncomplete(cases)).toEqual([]);
  expect(cases.filter(({ row }) => Object.keys(pickPresent(row, expected)).length === 0)).toEqual(
    [],
  );
});

const each = cases.flatMap(({ table, row }) =>
  (row.frameworks ?? (Object.keys(frameworks) as FrameworkName[])).map((framework) => ({
    table,
    row,
    framework,
    is: row.is,
  })),
);

test.each(each)("$table: $is, $framework", async ({ row, framework }) => {
  expect(await observe(row, framework)).toEqual({ refused: 0, ...pickPresent(row, expected) });
});
