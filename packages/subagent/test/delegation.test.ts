import type { LanguageModelV4 } from "@ai-sdk/provider";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { createRequire } from "node:module";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ToolExecutor, ToolRegistry } from "@toolweave/core";
import { mcpSource } from "@toolweave/mcp";
import { openApiSource } from "@toolweave/openapi";
import { runAgent, subAgentTool, type AgentEvent } from "@toolweave/subagent";
import { ended, resultsIn } from "./support/executor-for.ts";
import { ModelServer, type ChatAnswer, type ChatRequest } from "./support/model-server.ts";
import { museum } from "./support/museum.ts";
import { scriptedModel, type Said } from "./support/scripted-model.ts";

const everything = createRequire(import.meta.url).resolve(
  "@modelcontextprotocol/server-everything/dist/index.js",
);

let api: Awaited<ReturnType<typeof museum>>;
beforeAll(async () => {
  api = await museum();
});
afterAll(() => api.close());

interface Models {
  readonly guide: LanguageModelV4;
  readonly curator: LanguageModelV4;
  readonly counter: LanguageModelV4;
}

/** The outputs of the three agents, by name, turn and the results of the last turn. */
function says(name: string, turn: number, results: readonly string[]): ChatAnswer & Said {
  if (turn > 0) return { text: `The ${name} says: ${results.join(" and ")}` };
  switch (name) {
    case "guide":
      return {
        reasoning: "Two can look at once.",
        text: "I ask both.",
        calls: [
          { id: "c1", name: "curator", input: { task: "What is event 7?" } },
          { id: "c2", name: "counter", input: { task: "What is 2 and 3?" } },
        ],
      };
    case "curator":
      return { calls: [{ id: "x", name: "get_event", input: { id: 7 } }] };
    default:
      return { calls: [{ id: "x", name: "everything__get-sum", input: { a: 2, b: 3 } }] };
  }
}

/** A guide with two sub-agents: one uses an API over HTTP, the other a server over MCP. */
async function guided({ guide, curator, counter }: Models) {
  await using registry = new ToolRegistry([
    openApiSource(api.url),
    mcpSource({
      name: "everything",
      command: process.execPath,
      args: [everything],
      trustAnnotations: true,
    }),
    subAgentTool({
      name: "curator",
      description: "Knows the events.",
      system: "curator",
      model: curator,
      tools: ["get_event"],
    }),
    subAgentTool({
      name: "counter",
      description: "Counts.",
      system: "counter",
      model: counter,
      tools: ["everything__*"],
    }),
  ]);
  const executor = new ToolExecutor({ registry });
  const events: AgentEvent[] = [];
  const result = await runAgent({
    model: guide,
    executor,
    system: "guide",
    prompt: "What is event 7, and what is 2 and 3?",
    tools: ["curator", "counter"],
    onEvent: (event) => events.push(event),
  });
  return { result: ended(result, "completed"), events };
}

const curatorSays = /^The curator says: .*"id": ?7,.*"name": ?"Ants"/s;
const counterSays = /^The counter says: The sum of 2 and 3 is 5/;

describe("an agent that asks two others at once, over an API and over MCP", () => {
  test("works with a model behind an OpenAI-compatible API over HTTP", async () => {
    let release = (): void => {};
    const together = new Promise<void>((resolve) => (release = resolve));
    const server = await ModelServer.start(async ({ messages }: ChatRequest) => {
      const name = messages.find(({ role }) => role === "system")?.content ?? "";
      const turn = messages.filter(({ role }) => role === "assistant").length;
      const results = messages.flatMap(({ role, content }) =>
        role === "tool" ? (content ?? "") : [],
      );
      // Each of the two waits until the other has asked, too.
      if (turn === 0 && name !== "guide") {
        if (server.open === 2) release();
        await together;
      }
      return says(name, turn, turn > 0 ? results : []);
    });
    try {
      const provider = createOpenAICompatible({
        name: "local",
        baseURL: server.url,
        includeUsage: true,
      });
      const model = provider("scripted");
      const { result, events } = await guided({ guide: model, curator: model, counter: model });
      expect(server.most).toBe(2);
      expect(api.asked).toContain("GET /events/7");
      expect(result.messages.map(({ role }) => role)).toEqual([
        "system",
        "user",
        "assistant",
        "tool",
        "assistant",
      ]);
      expect(result.messages[2]).toMatchObject({
        content: [
          { type: "reasoning", text: "Two can look at once." },
          { type: "text", text: "I ask both." },
          { type: "tool-call", toolCallId: "c1", toolName: "curator" },
          { type: "tool-call", toolCallId: "c2", toolName: "counter" },
        ],
      });
      const [first, second] = resultsIn(result);
      expect(first).toMatch(curatorSays);
      expect(second).toMatch(counterSays);
      expect(result.text).toBe(`The guide says: ${first} and ${second}`);
      expect(result.usage).toMatchObject({
        turns: 6,
        toolCalls: 4,
        inputTokens: 600,
        cachedInputTokens: 240,
        outputTokens: 120,
        reasoningTokens: 30,
      });
      const deltas = events.filter(({ type, depth }) => type === "text.delta" && depth === 0);
      expect(deltas.length).toBeGreaterThan(5);
      expect(deltas.map((event) => ("delta" in event ? event.delta : "")).join("")).toBe(
        `I ask both.${result.text}`,
      );
      const [, again] = server.requests.filter(({ messages }) => messages[0]?.content === "guide");
      expect(again?.messages[2]).toMatchObject({
        role: "assistant",
        reasoning_content: "Two can look at once.",
        tool_calls: [{ id: "c1" }, { id: "c2" }],
      });
      expect(again?.messages[3]).toMatchObject({
        role: "tool",
        tool_call_id: "c1",
        content: first,
      });
      const tools = server.requests.map(({ messages, tools = [] }) => [
        messages[0]?.content,
        tools.map((tool) => tool.function.name).filter((name) => !name.startsWith("everything__")),
      ]);
      expect(tools).toContainEqual(["guide", ["counter", "curator"]]);
      expect(tools).toContainEqual(["curator", ["get_event"]]);
      expect(tools).toContainEqual(["counter", []]);
    } finally {
      await server.close();
    }
  });

  test("works with the AI SDK's own mock of a model", async () => {
    const model = (name: string): LanguageModelV4 =>
      scriptedModel(({ turn, results }) => says(name, turn, results));
    const { result, events } = await guided({
      guide: model("guide"),
      curator: model("curator"),
      counter: model("counter"),
    });
    const [first, second] = resultsIn(result);
    expect(first).toMatch(curatorSays);
    expect(second).toMatch(counterSays);
    expect(result.usage).toMatchObject({
      turns: 6,
      toolCalls: 4,
      inputTokens: 60,
      outputTokens: 30,
    });
    const agents = events.filter(({ type }) => type === "agent.ended");
    expect(agents.map((event) => event.agent)).toEqual(
      expect.arrayContaining(["curator", "counter", undefined]),
    );
    expect(agents.at(-1)).toMatchObject({ depth: 0, status: "completed" });
  });
});
