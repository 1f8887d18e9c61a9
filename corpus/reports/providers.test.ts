import {
  defineTool,
  ToolExecutor,
  ToolRegistry,
  type JsonObject,
  type JsonValue,
} from "@toolweave/core";
import {
  anthropicTools,
  bedrockTools,
  geminiTools,
  openAiChatTools,
  openAiResponsesTools,
  validateTools,
} from "@toolweave/providers";
import { expect, test } from "vitest";
import { findIncomplete, observeContent, pickPresent, readRows, type Report } from "./rows.ts";

/** One reported case, of the tool `t`. */
interface Row extends Report {
  /** Default: all. */
  readonly providers?: readonly ProviderName[];
  /** The tool's input schema. */
  readonly input: JsonObject;
  /** The arguments, as the provider hands them over; a text for OpenAI is passed unchanged. Absent: they are absent. */
  readonly writes?: JsonValue;
  /** The arguments with which the tool runs. */
  readonly runs?: JsonValue;
}

interface Provider {
  readonly create: typeof openAiChatTools;
  readonly rules: Parameters<typeof validateTools>[0];
  /** The response of a model that calls `t`. */
  respond(args: JsonValue | undefined): unknown;
  /** The tools as `validateTools` reads them. */
  readonly isStrict?: true;
}

/** Arguments as OpenAI's text. */
function toText(args: JsonValue | undefined): { readonly arguments?: string | null } {
  if (args === undefined) return {};
  return { arguments: typeof args === "string" || args === null ? args : JSON.stringify(args) };
}

const chat = (args: JsonValue | undefined): unknown => {
  const call = { id: "c1", type: "function", function: { name: "t", ...toText(args) } };
  return { choices: [{ message: { role: "assistant", tool_calls: [call] } }] };
};

const providers = {
  "openai-chat": { create: openAiChatTools, rules: "openai", respond: chat },
  "openai-responses": {
    create: openAiResponsesTools as unknown as typeof openAiChatTools,
    rules: "openai",
    respond: (args) => ({
      output: [{ type: "function_call", call_id: "c1", name: "t", ...toText(args) }],
    }),
  },
  anthropic: {
    create: anthropicTools as unknown as typeof openAiChatTools,
    rules: "anthropic",
    respond: (input) => ({ content: [{ type: "tool_use", id: "c1", name: "t", input }] }),
  },
  gemini: {
    create: geminiTools as unknown as typeof openAiChatTools,
    rules: "gemini",
    respond: (args) => ({
      candidates: [{ content: { parts: [{ functionCall: { name: "t", args } }] } }],
    }),
  },
  bedrock: {
    create: bedrockTools as unknown as typeof openAiChatTools,
    rules: "bedrock",
    respond: (input) => ({
      output: { message: { content: [{ toolUse: { toolUseId: "c1", name: "t", input } }] } },
    }),
  },
} satisfies Readonly<Record<string, Provider>>;

type ProviderName = keyof typeof providers;

const cases = await readRows<Row>("providers");

async function observe(row: Row, name: ProviderName): Promise<Partial<Row> & { refused: number }> {
  const { create, rules, respond }: Provider = providers[name];
  let runs: JsonValue | undefined;
  const tool = defineTool({
    name: "t",
    description: "Does it.",
    input: row.input,
    execute: (args) => {
      runs = args as JsonValue;
      return "done";
    },
  });
  const executor = new ToolExecutor({ registry: new ToolRegistry([tool]) });
  const { tools, calls } = create(executor.toolset);
  const [call] = calls(respond(row.writes) as Parameters<typeof calls>[0]);
  if (call === undefined) throw new Error("The call was lost.");
  const outcome = await executor.execute(call);
  return {
    refused: validateTools(rules, tools).length,
    ...(row.runs === undefined ? {} : { runs: runs ?? "nothing" }),
    ...observeContent(row, outcome),
  };
}

test("each row names its reports, its verdict, its source and what is expected", () => {
  expect(findIncomplete(cases)).toEqual([]);
  expect(cases.filter(({ row }) => row.runs === undefined && row.refuses === undefined)).toEqual(
    [],
  );
});

const each = cases.flatMap(({ table, row }) =>
  (row.providers ?? (Object.keys(providers) as ProviderName[])).map((provider) => ({
    table,
    row,
    provider,
    is: row.is,
  })),
);

test.each(each)("$table: $is, $provider", async ({ row, provider }) => {
  expect(await observe(row, provider)).toEqual({
    refused: 0,
    ...pickPresent(row, ["runs", "text", "lacks", "refuses"]),
  });
});
