import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { memoryPendingCalls } from "@toolweave/core/stores";
import { expect, test } from "vitest";
import { agentsFile, asked, book, bookshop, saidBy } from "../support/agent-folder.ts";
import { modelServer, turns, type ChatRequest } from "../support/model-server.ts";

const clerk = {
  description: "Finds books.",
  system: "You know every book.",
  tools: ["books__*"],
};
const find = { call: "books__find", input: { title: "Emma" } };
const sell = { call: "books__sell", input: { title: "Emma" } };

const listTools = ({ tools = [] }: ChatRequest): string[] =>
  tools.map((tool) => tool.function.name).sort();

test("an agent of a file is a tool: its package is that of the folder, and it has the tools that it names", async () => {
  const server = await modelServer(turns(find, "Shelf 3."));
  const path = agentsFile(
    {
      clerk: {
        ...clerk,
        system: { file: "prompts/clerk.md" },
        model: { baseURL: server.url, apiKey: "${SHOP_KEY}", model: "${MODEL:-house-1}" },
        thinking: "low",
        tools: ["books__find"],
      },
    },
    {},
    { "prompts/clerk.md": "You know every book.\n" },
  );
  const { config, executor } = await bookshop(path, { env: { SHOP_KEY: "shop-key-0123456789" } });
  expect(config.sources.map(({ kind, name }) => [kind, name])).toEqual([["agent", "clerk"]]);
  expect(config.secrets).toEqual(["shop-key-0123456789"]);
  const outcome = await asked(executor, "clerk", "Where is Emma?");
  expect(saidBy(outcome)).toBe("Shelf 3.");
  expect(outcome).toMatchObject({
    status: "completed",
    result: { details: { usage: { turns: 2, toolCalls: 1, inputTokens: 200 } } },
  });
  expect(book.calls).toEqual([{ name: "find", title: "Emma" }]);
  const [first] = server.requests as [ChatRequest];
  expect(first).toMatchObject({
    authorization: "Bearer shop-key-0123456789",
    model: "house-1",
    reasoning_effort: "low",
    messages: [
      { role: "system", content: "You know every book." },
      { role: "user", content: "Where is Emma?" },
    ],
  });
  expect(listTools(first)).toEqual(["books__find"]);
});

test("a glob that matches no tool is a warning with its place, once everything is loaded", async () => {
  const tools = ["books__*", "libary__*", "clerk"];
  const agents = { clerk: { ...clerk, tools, model: "openai/gpt-5" } };
  const { config } = await bookshop({ agents }, {});
  expect(config.registry.problems).toEqual([
    {
      source: "clerk",
      subject: "clerk",
      message: 'No tool is called "libary__*": the agent works without.',
      pointer: "/agents/clerk/tools/1",
      severity: "warning",
    },
  ]);
});

test("a source that did not load may have the named tool, so there is no second warning", async () => {
  const agents = { clerk: { ...clerk, tools: ["gone__*"], model: "openai/gpt-5" } };
  const mcpServers = { gone: { command: process.execPath, args: ["-e", "process.exit(1)"] } };
  const { config } = await bookshop({ agents, mcpServers }, {});
  await config.registry.ready.catch(() => undefined);
  expect(config.registry.problems).toMatchObject([{ source: "gone" }]);
});

test("a model that the program passes by its id takes precedence over packages, and needs none", async () => {
  const server = await modelServer(turns("Shelf 3."));
  const house = createOpenAICompatible({ name: "house", baseURL: server.url }).chatModel("house-2");
  const agents = {
    a: { ...clerk, model: "house" },
    b: { ...clerk, model: "openai/gpt-5" },
  };
  const models = { house, "openai/gpt-5": house };
  const { executor } = await bookshop({ agents }, { models });
  expect(saidBy(await asked(executor, "a", "Emma?"))).toBe("Shelf 3.");
  expect(saidBy(await asked(executor, "b", "Emma?"))).toBe("Shelf 3.");
  expect(server.requests.map(({ model }) => model)).toEqual(["house-2", "house-2"]);
});

test("an agent has no agents of its own unless maxDepth allows it, whatever it names", async () => {
  const ask = { call: "helper", input: { task: "Where is Emma?" } };
  const server = await modelServer((chat) =>
    chat.messages[0]?.content === "You help." ? "Shelf 3." : turns(ask, "So it is.")(chat),
  );
  const model = { baseURL: server.url, model: "house-1" };
  const helper = { ...clerk, system: "You help.", model };
  const boss = { ...clerk, model, tools: ["*"] };
  const path = agentsFile({ helper, boss, chief: { ...boss, maxDepth: 2 } });
  const { executor } = await bookshop(path);

  expect(saidBy(await asked(executor, "boss", "Ask."))).toBe("So it is.");
  expect(server.requests.map(listTools)).toEqual([
    ["books__find", "books__sell"],
    ["books__find", "books__sell"],
  ]);
  const [, second] = server.requests as [ChatRequest, ChatRequest];
  expect(JSON.stringify(second.messages.at(-1))).not.toContain("Shelf 3.");

  expect(saidBy(await asked(executor, "chief", "Ask."))).toBe("So it is.");
  const [, , third, fourth, last] = server.requests as ChatRequest[];
  expect(listTools(third as ChatRequest)).toContain("helper");
  // The level below the chief has no agents left.
  expect(listTools(fourth as ChatRequest)).toEqual(["books__find", "books__sell"]);
  expect(last?.messages.at(-1)?.content).toContain("Shelf 3.");
});

test("an agent's policy can only restrict, and that of the file applies to its calls", async () => {
  const server = await modelServer(turns(sell, "I may not."));
  const model = { baseURL: server.url, model: "house-1" };
  const agents = {
    reader: { ...clerk, model, policy: "readOnly" },
    seller: { ...clerk, model, policy: { rules: [{ effect: "deny", tools: "*__find" }] } },
  };
  const rules = [{ effect: "deny", tools: "books__sell", reason: "the shop is closed" }];
  const open = await bookshop(agentsFile(agents));
  expect(saidBy(await asked(open.executor, "reader", "Sell Emma."))).toBe("I may not.");
  expect(await asked(open.executor, "seller", "Sell Emma.")).toMatchObject({
    status: "interrupted",
  });
  const closed = await bookshop(agentsFile(agents, { policy: { rules } }));
  expect(saidBy(await asked(closed.executor, "seller", "Sell Emma."))).toBe("I may not.");
  expect(book.calls).toEqual([]);
});

test("an agent that reaches a limit of the file reports that this is not a completed answer", async () => {
  const server = await modelServer(turns(find));
  const model = { baseURL: server.url, model: "house-1" };
  const { executor } = await bookshop(
    agentsFile({ clerk: { ...clerk, model, limits: { turns: 2 } } }),
  );
  const outcome = await asked(executor, "clerk", "Find all.");
  expect(outcome).toMatchObject({
    error: { code: "limit_exceeded" },
    result: { isError: true },
  });
  expect(saidBy(outcome)).toContain("not a completed answer");
  expect(server.requests).toHaveLength(2);
});

test("an agent that waits for a person is resumed in another process that has loaded the same file", async () => {
  const server = await modelServer(turns(sell, "Sold."));
  const path = agentsFile({
    clerk: { ...clerk, model: { baseURL: server.url, model: "house-1" } },
  });
  const kept = { key: "a key of thirty-two characters ok", pendingCalls: memoryPendingCalls() };
  const first = await bookshop(path, {}, kept);
  const waiting = await asked(first.executor, "clerk", "Sell Emma.");
  if (waiting.status !== "interrupted") throw new Error(waiting.status);
  await first.config.close();
  expect(book.calls).toEqual([]);

  const second = await bookshop(path, {}, kept);
  const interruption = JSON.parse(
    JSON.stringify(waiting.interruption),
  ) as typeof waiting.interruption;
  const outcome = await second.executor.resume(interruption, [{ type: "approve" }]);
  expect(saidBy(outcome)).toBe("Sold.");
  expect(book.calls).toEqual([{ name: "sell", title: "Emma" }]);
  expect(server.requests).toHaveLength(2);
});
