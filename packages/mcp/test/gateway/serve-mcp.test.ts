import { defineTool, ToolRegistry, type Tool, type ToolSource } from "@toolweave/core";
import { serveMcp } from "../../src/gateway/index.ts";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import {
  openClient,
  echo,
  eras,
  opening,
  post,
  serving,
  readText,
} from "../support/open-gateway.ts";

const image = { type: "image", data: "aGk=", mimeType: "image/png" };

it("needs an executor", () => {
  expect(() => serveMcp(new ToolRegistry([]), undefined as never)).toThrow(
    "serveMcp: executor is missing; use new ToolExecutor({ registry }).",
  );
});

/** A tool as the MCP adapter creates it. */
function remote(invoke: Tool["invoke"]): Tool {
  return {
    spec: {
      name: "library__find",
      title: "Find",
      description: "Finds a book.",
      inputSchema: {
        $schema: "https://json-schema.org/draft/2020-12/schema",
        type: "object",
        properties: { title: { type: "string", "x-note": 1 } },
        anyOf: [{ required: ["title"] }, {}],
      },
      outputSchema: { type: "object", properties: { id: { type: "integer" } } },
      annotations: { readOnlyHint: true, destructiveHint: false, title: "Finds" },
      provenance: { adapter: "mcp", source: "library", origin: { tool: "find" } },
      metadata: {
        icons: [{ src: "data:image/png;base64,aGk=", mimeType: "image/png" }],
        _meta: { "example.com/shelf": 3 },
        execution: { taskSupport: "optional" },
        private: "the host's",
      },
    },
    invoke,
  };
}

describe.each(eras)("the tools of a registry, for a %s client,", (era) => {
  it("are listed as by their own server, sorted by name", async () => {
    const tools = [echo("say"), remote(() => "Emma"), echo("ask", { annotations: {} })];
    const { url } = await serving({ tools });
    const client = await openClient(url, era);
    const { tools: listed } = await client.listTools();
    expect(listed.map(({ name }) => name)).toEqual([
      "ask",
      "library__find",
      "read_artifact",
      "say",
    ]);
    expect(listed[1]).toEqual({
      name: "library__find",
      title: "Find",
      description: "Finds a book.",
      inputSchema: {
        $schema: "https://json-schema.org/draft/2020-12/schema",
        type: "object",
        properties: { title: { type: "string", "x-note": 1 } },
        anyOf: [{ required: ["title"] }, {}],
      },
      outputSchema: { type: "object", properties: { id: { type: "integer" } } },
      annotations: { readOnlyHint: true, destructiveHint: false, title: "Finds" },
      icons: [{ src: "data:image/png;base64,aGk=", mimeType: "image/png" }],
      _meta: { "example.com/shelf": 3 },
      // In the newer protocol the server decides.
      ...(era === "legacy" ? { execution: { taskSupport: "optional" } } : {}),
    });
  });

  it("return their full results", async () => {
    const link = { type: "resource_link", uri: "file:///a", name: "a", _meta: { a: 1 } } as const;
    const resource = { type: "resource", resource: { uri: "file:///b", text: "b" } } as const;
    const find = remote(() => ({
      content: [
        { type: "text", text: "Emma", annotations: { audience: ["user"], priority: 1 } },
        image as never,
        { type: "audio", data: "aGk=", mimeType: "audio/wav" },
        link,
        resource,
      ],
      value: { id: 1 },
      details: { _meta: { "example.com/took": 2 } },
    }));
    const { url } = await serving({ tools: [find] });
    const client = await openClient(url, era);
    const result = await client.callTool({ name: "library__find", arguments: {} });
    expect(result.content).toEqual([
      { type: "text", text: "Emma", annotations: { audience: ["user"], priority: 1 } },
      image,
      { type: "audio", data: "aGk=", mimeType: "audio/wav" },
      link,
      resource,
    ]);
    expect(result.structuredContent).toEqual({ id: 1 });
    expect(result).toMatchObject({ _meta: { "example.com/took": 2 } });
  });

  it("that fail return an error that a model can act on", async () => {
    const { url } = await serving({ tools: [echo("say"), echo("says")] });
    const client = await openClient(url, era);
    const wrong = await client.callTool({ name: "say", arguments: { say: 1 } });
    expect(wrong.isError).toBe(true);
    expect(readText(wrong)).toContain("say");
    await expect(client.callTool({ name: "sai", arguments: {} })).rejects.toMatchObject({
      code: -32602,
      message: expect.stringContaining("say") as string,
    });
  });

  it("are cancelled when the client cancels the call", async () => {
    let stopped = false;
    const started = opening();
    const slow = defineTool({
      name: "slow",
      description: "Never ends.",
      input: { type: "object", properties: {} },
      execute: (_args, { signal }) =>
        new Promise((_, reject) => {
          signal.addEventListener("abort", () => {
            stopped = true;
            reject(signal.reason as Error);
          });
          started.open();
        }),
    });
    const { url } = await serving({ tools: [slow] });
    const client = await openClient(url, era);
    const abort = new AbortController();
    const call = client.callTool({ name: "slow", arguments: {} }, { signal: abort.signal });
    await started.opened;
    abort.abort("enough");
    await expect(call).rejects.toBeDefined();
    await vi.waitFor(() => expect(stopped).toBe(true), 60_000);
  });

  it("send progress with increasing values", async () => {
    const steps = defineTool({
      name: "steps",
      description: "Takes steps.",
      input: { type: "object", properties: {} },
      execute: (_args, ctx) => {
        ctx.progress({ done: 1, total: 3, message: "one" });
        ctx.progress({ done: 1, total: 3 });
        ctx.progress({ done: 2, total: 3 });
        ctx.progress({ message: "nearly" });
        ctx.progress({ done: 2, message: "still there" });
        ctx.progress({ done: 2.5 });
        ctx.progress({ done: 3e15 });
        ctx.progress({ message: "a lot" });
        return "done";
      },
    });
    const { url } = await serving({ tools: [steps] });
    const client = await openClient(url, era);
    const received: { readonly progress: number }[] = [];
    await client.callTool(
      { name: "steps", arguments: {} },
      { onprogress: (progress) => received.push(progress) },
    );
    await vi.waitFor(() => expect(received).toHaveLength(7), 60_000);
    const steadily = received.every(
      ({ progress }, at) => progress > (received[at - 1]?.progress ?? 0),
    );
    expect(steadily).toBe(true);
    expect(received).toEqual([
      { progress: 1, total: 3, message: "one" },
      { progress: 2, total: 3 },
      { progress: expect.closeTo(2, 5) as number, message: "nearly" },
      { progress: expect.closeTo(2, 5) as number, message: "still there" },
      { progress: 2.5 },
      { progress: 3e15 },
      { progress: expect.closeTo(3e15, -2) as number, message: "a lot" },
    ]);
  });

  it("of more than one page are all listed, once each", async () => {
    const tools = Array.from({ length: 1_100 }, (_, index) => echo(`tool_${index}`));
    const { url } = await serving({ tools, gateway: { search: false } });
    const client = await openClient(url, era);
    const { tools: listed } = await client.listTools();
    expect(new Set(listed.map(({ name }) => name)).size).toBe(1_101);
    await expect(
      client.request({ method: "tools/list", params: { cursor: "%%" } }),
    ).rejects.toMatchObject({
      code: -32602,
    });
  });

  it("are served by search tools if there are many", async () => {
    const tools = Array.from({ length: 150 }, (_, index) =>
      echo(`tool_${index}`, { description: index === 77 ? "Feeds the cat." : "Something else." }),
    );
    const { url } = await serving({ tools });
    const client = await openClient(url, era);
    const { tools: listed } = await client.listTools();
    expect(listed.map(({ name }) => name)).toEqual([
      "call_tool",
      "describe_tool",
      "read_artifact",
      "search_tools",
    ]);
    const found = await client.callTool({ name: "search_tools", arguments: { query: "feed cat" } });
    expect(readText(found)).toContain("tool_77");
    const called = await client.callTool({
      name: "call_tool",
      arguments: { name: "tool_77", arguments: { say: "meow" } },
    });
    expect(readText(called)).toBe("meow");
  });
});

it("a protocol error of a server is passed through unchanged", async () => {
  const failing: ToolSource = {
    id: "library",
    ready: Promise.resolve(),
    problems: [],
    tools: () => [
      remote(async () => {
        const { ToolError } = await import("@toolweave/core");
        throw new ToolError("upstream", "The shelf is gone.", {
          body: { code: -32050, message: "The shelf is gone.", data: { shelf: 3 } },
        });
      }),
    ],
    onChange: () => () => {},
    close: async () => {},
    [Symbol.asyncDispose]: async () => {},
  };
  const { url, registry } = await serving();
  registry.add(failing);
  expect((await post(url, "tools/call", { name: "library__find", arguments: {} })).error).toEqual({
    code: -32050,
    message: "The shelf is gone.",
    data: { shelf: 3 },
  });
});

it("a result that is not an object is wrapped for clients of the older protocol only", async () => {
  const tools = [echo("list", { execute: () => [1, 2] })];
  const { url } = await serving({ tools });
  const of = async (era: "legacy" | "modern"): Promise<unknown> => {
    const client = await openClient(url, era);
    return (await client.callTool({ name: "list", arguments: {} })).structuredContent;
  };
  expect(await of("modern")).toEqual([1, 2]);
  expect(await of("legacy")).toEqual({ result: [1, 2] });
});

it("the host's metadata is part of an interruption, and not sent to the client", async () => {
  const seen: unknown[] = [];
  const { url } = await serving({
    tools: [echo("say")],
    executor: { policy: { rules: [{ effect: "ask", tools: "*" }] } },
    gateway: {
      callMetadata: () => ({ config: "toolweave.json" }),
      howToAnswer: ({ call }) => {
        seen.push(call.metadata);
        return "ask the host";
      },
    },
  });
  const client = await openClient(url, "legacy");
  const result = await client.callTool({ name: "say", arguments: { say: "a" } });
  expect(seen).toEqual([{ config: "toolweave.json" }]);
  expect(JSON.stringify(result)).not.toContain("toolweave.json");
});

it("a hanging source delays the first list only", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  const hanging: ToolSource = {
    id: "hanging",
    ready: new Promise(() => {}),
    problems: [],
    tools: () => [],
    onChange: () => () => {},
    close: async () => {},
    [Symbol.asyncDispose]: async () => {},
  };
  const { url, registry } = await serving({ tools: [echo("say")] });
  onTestFinished(() => void vi.useRealTimers());
  registry.add(hanging);
  const client = await openClient(url, "legacy");
  const timer = vi.spyOn(globalThis, "setTimeout");
  onTestFinished(() => timer.mockRestore());
  const first = client.listTools();
  await vi.waitFor(() => expect(timer).toHaveBeenCalledWith(expect.any(Function), 5_000), 60_000);
  await vi.advanceTimersByTimeAsync(5_000);
  const names = async (list: typeof first): Promise<string[]> =>
    (await list).tools.map(({ name }) => name);
  expect(await names(first)).toContain("say");
  expect(await names(client.listTools())).toContain("say");
});

it.each(eras)("a call waits for the source that has its tool (%s)", async (era) => {
  const loading = opening();
  let tools: readonly Tool[] = [];
  const { url, registry } = await serving();
  registry.add({
    id: "late",
    ready: loading.opened.then(() => void (tools = [echo("say")])),
    problems: [],
    tools: () => tools,
    onChange: () => () => {},
    close: async () => {},
    [Symbol.asyncDispose]: async () => {},
  });
  const client = await openClient(url, era);
  const waiting = vi.spyOn(registry, "loading", "get");
  const called = client.callTool({ name: "say", arguments: { say: "hello" } });
  await vi.waitFor(() => expect(waiting).toHaveBeenCalled(), 60_000);
  loading.open();
  expect((await called).isError).toBe(undefined);
});
