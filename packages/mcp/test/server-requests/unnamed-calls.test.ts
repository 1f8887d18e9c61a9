import type { ToolCall, ToolEvent, ToolExecutor } from "@toolweave/core";
import { afterEach, describe, expect, it, vi } from "vitest";
import { forwardToClient } from "../../src/gateway/index.ts";
import type { ActiveCall, ElicitationAnswer } from "../../src/options/server-request-options.ts";
import { openClient, readText, serving } from "../support/open-gateway.ts";
import { executorOver, opened } from "../support/open-source.ts";
import { greets, rawHttp, said, type RawExchange } from "../support/raw-http.ts";
import { pressExecutor, pressOverHttp, saidIn } from "../support/requesting-server-executor.ts";
import { pressUrl } from "../support/requesting-server-http.ts";
import { pressServer } from "../support/requesting-server-process.ts";

const ask = (method: string, id: string): ToolCall => ({ id, name: "ask", arguments: { method } });
const wait: ToolCall = { id: "wait_1", name: "wait", arguments: {} };
const bind: ToolCall = { id: "bind_1", name: "bind", arguments: {} };
const proceed: ToolCall = { id: "proceed_1", name: "proceed", arguments: {} };

const acceptAs = (_: unknown, { callId }: ActiveCall): ElicitationAnswer => ({
  action: "accept",
  content: { name: callId },
});

/** Resolves at the first progress of a call: with a message of a request that waits, or of the server. */
function progressed(executor: ToolExecutor, id: string): Promise<string | undefined> {
  return new Promise((resolve) => {
    const stop = executor.on((event: ToolEvent) => {
      if (event.type !== "tool.progressed" || event.callId !== id) return;
      stop();
      resolve(event.progress.message);
    });
  });
}

/** Begins a call, and resolves when it has progressed. */
async function begun(executor: ToolExecutor, call: ToolCall, signal?: AbortSignal) {
  const progress = progressed(executor, call.id);
  const outcome = executor.execute(call, signal === undefined ? {} : { signal });
  return { outcome, message: await progress };
}

afterEach(() => {
  vi.useRealTimers();
});

describe.each([
  ["over stdio", pressExecutor],
  ["on the shared stream over HTTP", pressOverHttp],
] as const)("a request %s, which names no call,", (_, createExecutor) => {
  it.each(["form", "page", "sampling", "roots"])(
    "waits until calls of other runs are answered, and belongs to its own then (%s)",
    async (method) => {
      const calls: unknown[] = [];
      const executor = await createExecutor("legacy", {
        onElicitation: (_request, call) => {
          calls.push(call);
          return { action: "accept", content: { name: "Emma" } };
        },
        onSampling: (_request, call) => {
          calls.push(call);
          return { role: "assistant", content: { type: "text", text: "Emma" }, model: "m" };
        },
        roots: (call) => {
          calls.push(call);
          return [{ uri: "file:///books" }];
        },
      });
      const other = await begun(executor, wait);
      const asking = await begun(executor, ask(method, "call_1"));
      expect(asking.message).toMatch(/ of press waits for other calls in progress: /);
      expect(calls).toEqual([]);
      await executor.execute(proceed);
      expect(saidIn(await asking.outcome)).not.toHaveProperty("code");
      expect(calls).toMatchObject([{ callId: "call_1", toolName: "ask" }]);
      expect(saidIn(await other.outcome)).toBe("waited");
    },
  );

  it("is answered with the decline of its person only", async () => {
    const executor = await createExecutor("legacy", {
      onElicitation: () => ({ action: "decline" }),
    });
    await begun(executor, wait);
    const asking = await begun(executor, ask("form", "call_1"));
    await executor.execute(proceed);
    expect(saidIn(await asking.outcome)).toEqual({ action: "decline" });
  });

  it.each(["form", "page", "sampling"])(
    "is an error if a call that it may belong to is stopped (%s)",
    async (method) => {
      const handler = vi.fn<() => never>();
      const executor = await createExecutor("legacy", {
        onElicitation: handler,
        onSampling: handler,
      });
      const stop = new AbortController();
      const other = await begun(executor, bind, stop.signal);
      const asking = await begun(executor, ask(method, "call_1"));
      const message = progressed(executor, "call_1");
      stop.abort();
      expect(saidIn(await asking.outcome)).toEqual({
        code: -1,
        message: expect.stringContaining("one of several in progress was stopped"),
      });
      expect(await message).toMatch(/^The call of .+ of press is unknown: it does not name the/);
      expect(handler).not.toHaveBeenCalled();
      await other.outcome;
    },
  );

  it("belongs to its call if a call of another run was stopped before", async () => {
    const executor = await createExecutor("legacy", { onElicitation: acceptAs });
    const stop = new AbortController();
    const other = await begun(executor, bind, stop.signal);
    stop.abort();
    await other.outcome;
    expect(saidIn(await executor.execute(ask("form", "call_1")))).toMatchObject({
      content: { name: "call_1" },
    });
  });

  it("is an error while another one waits, which is passed on after that", async () => {
    const executor = await createExecutor("legacy", { onElicitation: acceptAs });
    const asking = ["call_1", "call_2"].map((id) => executor.execute(ask("form beside wait", id)));
    await begun(executor, wait);
    const refused = await Promise.race(asking);
    expect(saidIn(refused)).toEqual({
      code: -1,
      message: expect.stringContaining("another request waits for their end"),
    });
    await executor.execute(proceed);
    const answered = (await Promise.all(asking)).filter((outcome) => outcome !== refused);
    expect(answered.map((outcome) => saidIn(outcome))).toMatchObject(
      answered.map(({ result }) => ({ action: "accept", content: { name: result?.callId } })),
    );
  });

  it("is not passed on after the server has cancelled it", async () => {
    const handler = vi.fn<() => never>();
    const executor = await createExecutor("legacy", { onElicitation: handler });
    const other = await begun(executor, wait);
    const asking = await begun(executor, ask("form for 50 ms", "call_1"));
    expect(saidIn(await asking.outcome)).toHaveProperty("code", "REQUEST_TIMEOUT");
    await executor.execute(proceed);
    await other.outcome;
    // Another request can wait now.
    await begun(executor, { ...wait, id: "wait_2" });
    const next = await begun(executor, ask("form", "call_2"));
    expect(handler).not.toHaveBeenCalled();
    await executor.execute(proceed);
    await next.outcome;
    expect(handler).toHaveBeenCalledTimes(1);
  });

  describe("while all calls are of one session,", () => {
    const session = { sessionId: "s", caller: { id: "ada" } };

    it("is passed on at once, with the latest call", async () => {
      const executor = await createExecutor("legacy", { onElicitation: acceptAs });
      const [one, two] = [executor.startRun(session), executor.startRun(session)];
      const other = one.execute(wait);
      await progressed(executor, "wait_1");
      const outcomes = await Promise.all(
        ["call_1", "call_2"].map((id) => two.execute(ask("form", id))),
      );
      for (const outcome of outcomes) expect(saidIn(outcome)).toMatchObject({ action: "accept" });
      await two.execute(proceed);
      await other;
    });

    it("pauses the timeout of each of them", async () => {
      vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "Date", "performance"] });
      const executor = await createExecutor(
        "legacy",
        {
          onElicitation: async () => {
            await Promise.resolve();
            // Less than the timeout of the server for its request.
            vi.advanceTimersByTime(30_000);
            return { action: "accept", content: { name: "Emma" } };
          },
        },
        { timeoutMs: 1_000 },
      );
      const asking = executor.startRun(session).execute(ask("form beside wait", "call_1"));
      const other = executor.startRun(session).execute(wait);
      expect(saidIn(await asking)).toMatchObject({ action: "accept" });
      await executor.startRun(session).execute(proceed);
      expect(saidIn(await other)).toBe("waited");
    });
  });

  it("waits for calls of the session of another caller", async () => {
    const executor = await createExecutor("legacy", { onElicitation: acceptAs });
    const other = executor.startRun({ sessionId: "s", caller: { id: "eve" } }).execute(wait);
    await progressed(executor, "wait_1");
    const run = executor.startRun({ sessionId: "s", caller: { id: "ada" } });
    const waits = progressed(executor, "call_1");
    const asking = run.execute(ask("form", "call_1"));
    expect(await waits).toMatch(/ waits for other calls in progress: /);
    await executor.execute(proceed);
    expect(saidIn(await asking)).toMatchObject({ content: { name: "call_1" } });
    await other;
  });
});

/**
 * A server whose tool `ask` is a task. While nothing but the task waits for it, it asks on the shared stream. The
 * tool `wait` ends with the response to the question.
 */
async function taskServer(): Promise<string> {
  let shared: RawExchange | undefined;
  let waiting: RawExchange | undefined;
  let answer: string | undefined;
  let isAsked = false;
  const related = { "io.modelcontextprotocol/related-task": { taskId: "t" } };
  const requestedSchema = { type: "object", properties: { name: { type: "string" } } };
  const params = { message: "?", requestedSchema };
  const question = { id: "q", method: "elicitation/create", params: { ...params, _meta: related } };
  const toTask = (): object => ({
    taskId: "t",
    status: answer === undefined ? "working" : "completed",
    createdAt: "2026-01-01T00:00:00Z",
    lastUpdatedAt: "2026-01-01T00:00:00Z",
    ttl: null,
    pollInterval: 50,
  });
  const serverInfo = { name: "s", version: "1" };
  const capabilities = { tools: {}, tasks: { requests: { tools: { call: {} } } } };
  const tools = [
    { name: "ask", inputSchema: { type: "object" }, execution: { taskSupport: "required" } },
    { name: "wait", inputSchema: { type: "object" } },
  ];
  return rawHttp((exchange) => {
    const { message, request, response, json, stream, event } = exchange;
    if (request.method === "GET") {
      stream();
      return void (shared = exchange);
    }
    const { method, params: given } = message;
    if (method === "initialize") {
      const result = { protocolVersion: "2025-11-25", capabilities, serverInfo };
      return json({ result }, { "mcp-session-id": "s" });
    }
    if (method === undefined && request.method === "POST") {
      const { result, error } = message as { readonly result?: unknown; readonly error?: unknown };
      answer = JSON.stringify(result ?? error);
      response.writeHead(202).end();
      return waiting?.json({ result: said("waited") });
    }
    if (method === "tools/list") return json({ result: { tools } });
    if (method === "tools/call" && given?.name === "wait") return void (waiting = exchange);
    if (method === "tools/call") return json({ result: { task: toTask() } });
    if (method === "tasks/result") return json({ result: said(answer ?? "") });
    if (method !== "tasks/get") return void greets(exchange, "s");
    json({ result: toTask() });
    const log = { method: "notifications/message", params: { level: "info", _meta: related } };
    if (!isAsked) {
      response.on("finish", () => shared?.response.write(event(log) + event(question)));
    }
    isAsked = true;
  });
}

it("a request of a task belongs to its call, although only others wait for the server", async () => {
  const logged: unknown[] = [];
  const source = opened({
    name: "raw",
    url: await taskServer(),
    prefix: false,
    onElicitation: acceptAs,
    onLog: (_, call) => void logged.push(call?.callId),
  });
  await source.ready;
  const executor = executorOver(source);
  const waiting = executor.execute(wait);
  const asked = await executor.execute({ id: "call_1", name: "ask", arguments: {} });
  const taskId = asked.result?.taskId ?? "";
  const outcome = await executor.tasks.result(taskId);
  expect(outcome?.result?.content).toEqual([
    { type: "text", text: JSON.stringify({ action: "accept", content: { name: "call_1" } }) },
  ]);
  expect(logged).toEqual(["call_1"]);
  expect((await waiting).status).toBe("completed");
});

describe.each([
  ["stdio", async () => pressServer("legacy")],
  ["HTTP", async () => ({ name: "press", prefix: false, url: await pressUrl("legacy") }) as const],
])("behind a gateway, over %s to the server,", (_, server) => {
  async function gateway() {
    const source = opened({ ...(await server()), ...forwardToClient });
    await source.ready;
    return serving({ tools: source.tools() });
  }

  const form = { name: "ask", arguments: { method: "form" } };

  it("one client is asked for each of its parallel calls", async () => {
    const { url } = await gateway();
    const client = await openClient(url, "legacy", {
      says: () => ({ action: "accept", content: { name: "Emma" } }),
    });
    const results = await Promise.all(Array.from({ length: 3 }, () => client.callTool(form)));
    for (const result of results)
      expect(JSON.parse(readText(result))).toMatchObject({ action: "accept" });
  });

  it("one client is asked although the latest of its calls ends meanwhile", async () => {
    const { url } = await gateway();
    const client = await openClient(url, "legacy", {
      says: async () => {
        await client.callTool({ name: "proceed", arguments: {} });
        await waiting;
        return { action: "accept", content: { name: "Emma" } };
      },
    });
    const asking = client.callTool({ name: "ask", arguments: { method: "form beside wait" } });
    const waiting = client.callTool({ name: "wait", arguments: {} });
    expect(JSON.parse(readText(await asking))).toMatchObject({ action: "accept" });
    expect(readText(await waiting)).toBe('"waited"');
  });

  it("a client is never asked for the call of another one", async () => {
    const { url } = await gateway();
    const asked: string[] = [];
    const open = (name: string) =>
      openClient(url, "legacy", {
        says: () => {
          asked.push(name);
          return { action: "accept", content: { name } };
        },
      });
    const [ann, ben] = [await open("Ann"), await open("Ben")];
    let asking: ReturnType<typeof ann.callTool> | undefined;
    const waiting = ben.callTool(
      { name: "wait", arguments: {} },
      { onprogress: () => void (asking ??= ann.callTool(form)) },
    );
    await vi.waitFor(() => expect(asking).toBeDefined(), 60_000);
    await ben.callTool({ name: "proceed", arguments: {} });
    await waiting;
    expect(JSON.parse(readText((await asking) ?? {}))).toMatchObject({ content: { name: "Ann" } });
    expect(asked).toEqual(["Ann"]);
  });
});
