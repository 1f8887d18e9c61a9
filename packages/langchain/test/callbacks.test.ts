import { HumanMessage } from "@langchain/core/messages";
import { MemorySaver } from "@langchain/langgraph";
import { createAgent, createMiddleware } from "langchain";
import { describe, expect, it } from "vitest";
import { langchainTools } from "../src/index.ts";
import { script, Thread, type Graph } from "./support/graphs.ts";
import { workshop } from "./support/workshop.ts";

const look = { id: "c1", name: "look", args: { id: 1 } };
const remove = { id: "c2", name: "remove", args: { id: 2 } };
const go = { messages: [new HumanMessage("Go.")] };
const thread = { configurable: { thread_id: "t" } };

describe("a LangChain callback", () => {
  it("receives a call's beginning and end, with its id and its message", async () => {
    const { executor } = workshop();
    const received: unknown[] = [];
    const handlers = {
      handleToolStart: (...[, input, , , , , name, callId]: unknown[]) =>
        received.push(["start", input, name, callId]),
      handleToolEnd: (output: unknown) => received.push(["end", output]),
    };
    await createAgent({
      model: script([look]),
      tools: await langchainTools(executor),
      checkpointer: new MemorySaver(),
    }).invoke(go, { ...thread, callbacks: [handlers as never] });
    expect(received).toEqual([
      ["start", '{"id":1}', "look", "c1"],
      ["end", expect.objectContaining({ tool_call_id: "c1", status: "success" })],
    ]);
  });

  it("receives a call without a message as well, and its error", async () => {
    const { executor } = workshop();
    const received: unknown[] = [];
    const handlers = {
      handleToolEnd: (output: unknown) => received.push(output),
      handleToolError: ({ message }: Error) => received.push(message),
    };
    const [tool] = await langchainTools(executor);
    await tool?.invoke({ id: 1 }, { callbacks: [handlers] });
    const run = executor.startRun();
    run.cancel("enough");
    const [cancelled] = await langchainTools(run);
    await cancelled?.invoke({ id: 1 }, { callbacks: [handlers] }).catch(() => {});
    expect(received).toEqual(['{"seen":1}', "enough"]);
  });
});

describe("a reader of a graph's updates", () => {
  it("finds messages in each of them, and every message once", async () => {
    const { executor } = workshop();
    const agent = createAgent({
      model: script([look]),
      tools: await langchainTools(executor),
      checkpointer: new MemorySaver(),
    });
    const seen: string[] = [];
    for await (const chunk of await agent.stream(go, { ...thread, streamMode: "updates" })) {
      for (const update of Object.values(
        chunk as Record<string, { messages: { type: string }[] }>,
      )) {
        for (const { type } of update.messages) seen.push(type);
      }
    }
    expect(seen).toEqual(["ai", "tool", "ai"]);
  });
});

describe("a reader of messages, or of events", () => {
  it("receives each answer once", async () => {
    const { executor } = workshop();
    const make = async () =>
      createAgent({
        model: script([look]),
        tools: await langchainTools(executor),
        checkpointer: new MemorySaver(),
      });
    const seen: string[] = [];
    for await (const [{ type }] of await (
      await make()
    ).stream(go, { ...thread, streamMode: "messages" })) {
      seen.push(type);
    }
    expect(seen).toEqual(["ai", "tool", "ai"]);
    const events: string[] = [];
    const all = (await make()).streamEvents(go, { ...thread, version: "v2" });
    for await (const { event, name } of all) {
      if (event.startsWith("on_tool")) events.push(`${event} ${name}`);
    }
    expect(events).toEqual(["on_tool_start look", "on_tool_end look"]);
  });
});

describe("an agent's own middleware", () => {
  it("wraps the calls, and an interrupt passes through it", async () => {
    const { executor, done } = workshop();
    const seen: string[] = [];
    const middleware = [
      createMiddleware({
        name: "watch",
        wrapToolCall: async (request, handler) => {
          seen.push(String(request.toolCall.id));
          return handler(request);
        },
      }),
    ];
    const saver = new MemorySaver();
    const tools = await langchainTools(executor);
    const turns = [[[look, remove]], []];
    const conversation = new Thread(
      async () =>
        createAgent({
          model: script(...(turns.shift() ?? [])),
          tools,
          checkpointer: saver,
          middleware,
        }) as unknown as Graph,
    );
    await conversation.begin();
    expect(conversation.waiting).toEqual(["c2"]);
    await conversation.answerAll(() => ({ type: "approve" }));
    expect(done).toEqual(["look 1", "remove 2"]);
    expect(seen).toEqual(["c1", "c2", "c2"]);
  });
});
