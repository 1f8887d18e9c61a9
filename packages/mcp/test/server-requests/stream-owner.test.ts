import { text, type ToolCall, type ToolEvent, type ToolExecutor } from "@toolweave/core";
import { describe, expect, it, vi } from "vitest";
import { forwardToClient } from "../../src/gateway/index.ts";
import type { ActiveCall, ElicitationAnswer } from "../../src/options/server-request-options.ts";
import { openClient, eras, readText, serving } from "../support/open-gateway.ts";
import { executorOver, opened } from "../support/open-source.ts";
import { greets, rawHttp, said, type RawExchange } from "../support/raw-http.ts";
import { pressOverHttp, saidIn } from "../support/requesting-server-executor.ts";
import { pressUrl } from "../support/requesting-server-http.ts";

const ask = (method: string, id: string): ToolCall => ({ id, name: "ask", arguments: { method } });
const cancel = (): ElicitationAnswer => ({ action: "cancel" });

/** Makes a call of another run, which lasts until the returned function is called. */
async function busy(executor: ToolExecutor): Promise<() => Promise<void>> {
  const stop = new AbortController();
  const begun = new Promise<void>((resolve) => {
    executor.on((event: ToolEvent) => {
      if (event.type === "tool.progressed" && event.callId === "bind_1") resolve();
    });
  });
  const other = executor.execute(
    { id: "bind_1", name: "bind", arguments: {} },
    { signal: stop.signal },
  );
  await begun;
  return async () => {
    stop.abort();
    await other;
  };
}

describe("a request on the stream of its call, while a call of another run is in progress,", () => {
  it.each(["form", "page", "sampling", "roots"])("belongs to that call: %s", async (method) => {
    const calls: (ActiveCall | undefined)[] = [];
    const answered =
      <T>(answer: T) =>
      (...[call]: unknown[]): T => {
        calls.push(call as ActiveCall);
        return answer;
      };
    const executor = await pressOverHttp("legacy", {
      onElicitation: (_, call) =>
        answered({ action: "accept", content: { name: "Emma" } } as const)(call),
      onSampling: (_, call) =>
        answered({ role: "assistant", content: text("Emma"), model: "m" } as never)(call),
      roots: answered([{ uri: "file:///books" }]),
    });
    const end = await busy(executor);
    expect(saidIn(await executor.execute(ask(`related ${method}`, "call_1")))).not.toHaveProperty(
      "code",
    );
    expect(calls).toMatchObject([{ callId: "call_1", toolName: "ask" }]);
    await end();
  });

  it("is answered with the decline of its person", async () => {
    const executor = await pressOverHttp("legacy", {
      onElicitation: () => ({ action: "decline" }),
    });
    const end = await busy(executor);
    expect(saidIn(await executor.execute(ask("related form", "call_1")))).toMatchObject({
      action: "decline",
    });
    await end();
  });

  it.each(eras)("is logged with its call (%s)", async (era) => {
    const calls: (string | undefined)[] = [];
    const executor = await pressOverHttp(era, {
      onLog: (_, call) => void calls.push(call?.callId),
    });
    const end = await busy(executor);
    await executor.execute({ id: "call_1", name: "deliver", arguments: {} });
    expect(calls).toEqual(["call_1", "call_1"]);
    await end();
  });

  it("each belongs to its own of many parallel calls", async () => {
    const executor = await pressOverHttp("legacy", {
      onElicitation: (_, { callId }) => ({ action: "accept", content: { name: callId } }),
    });
    const ids = Array.from({ length: 5 }, (_, index) => `call_${index}`);
    const outcomes = await Promise.all(ids.map((id) => executor.execute(ask("related form", id))));
    expect(outcomes.map((outcome) => saidIn(outcome))).toMatchObject(
      ids.map((name) => ({ content: { name } })),
    );
  });
});

const form = {
  method: "elicitation/create",
  params: { message: "?", requestedSchema: { type: "object", properties: {} } },
};

/**
 * A server that asks during its tool `ask`, on the stream that `where` selects, and returns the response. Its tool
 * `wait` ends when it is told so.
 */
async function askingOn(where: "the call's stream" | "a resumed stream" | "the shared stream") {
  let shared: RawExchange | undefined;
  let call: RawExchange | undefined;
  const held: RawExchange[] = [];
  const question = { id: "q", ...form };
  const url = await rawHttp((exchange) => {
    const { message, request, response, json, stream, event } = exchange;
    if (request.method === "GET") {
      stream();
      if (request.headers["last-event-id"] === undefined) return void (shared = exchange);
      call = { ...exchange, message: call?.message ?? {} };
      return void response.write(event(question));
    }
    if (greets(exchange, "s")) return;
    if (message.method === "tools/list") {
      const tools = ["ask", "wait"].map((name) => ({ name, inputSchema: { type: "object" } }));
      return json({ result: { tools } });
    }
    if (message.method === undefined) {
      response.writeHead(202).end();
      const { result, error } = message as { readonly result?: unknown; readonly error?: unknown };
      const answer = { id: call?.message.id, result: said(JSON.stringify(result ?? error)) };
      return void call?.response.end(call.event(answer));
    }
    if (message.method !== "tools/call") return void response.writeHead(202).end();
    stream();
    if (message.params?.name === "wait") return void held.push(exchange);
    call = exchange;
    if (where === "the call's stream") response.write(event(question));
    else if (where === "the shared stream") shared?.response.write(event(question));
    else response.end("id: 1\nretry: 5\ndata:\n\n");
  });
  const endWaiting = (): void => {
    for (const { response, event, message } of held)
      response.end(event({ id: message.id, result: said("waited") }));
  };
  return { url, held, endWaiting };
}

describe("a server that asks during a call", () => {
  it.each([
    ["the call's stream", { action: "cancel" }],
    ["a resumed stream", { action: "cancel" }],
  ] as const)("on %s, beside another call, receives %j", async (where, expected) => {
    const { url, held, endWaiting } = await askingOn(where);
    const onElicitation = vi.fn<() => ElicitationAnswer>(cancel);
    const source = opened({ name: "raw", url, prefix: false, onElicitation });
    await source.ready;
    const executor = executorOver(source);
    const waiting = executor.execute({ id: "wait_1", name: "wait", arguments: {} });
    await vi.waitFor(() => expect(held).toHaveLength(1), 60_000);
    expect(saidIn(await executor.execute({ id: "a", name: "ask", arguments: {} }))).toEqual(
      expected,
    );
    expect(onElicitation.mock.calls).toMatchObject([[{}, { callId: "a" }]]);
    endWaiting();
    await waiting;
  });

  it("on the shared stream is answered if no other run has a call", async () => {
    const { url } = await askingOn("the shared stream");
    const source = opened({ name: "raw", url, prefix: false, onElicitation: cancel });
    await source.ready;
    const outcome = await executorOver(source).execute({ id: "a", name: "ask", arguments: {} });
    expect(saidIn(outcome)).toEqual({ action: "cancel" });
  });
});

describe.each(eras)("behind a gateway, a %s client", (era) => {
  async function gateway() {
    const url = await pressUrl("legacy");
    const source = opened({ name: "press", prefix: false, url, ...forwardToClient });
    await source.ready;
    return serving({ tools: source.tools() });
  }

  it("is asked for each of its parallel calls", async () => {
    const { url } = await gateway();
    let asked = 0;
    const client = await openClient(url, era, {
      says: () => ({ action: "accept", content: { name: `Emma ${(asked += 1)}` } }),
    });
    const calls = Array.from({ length: 3 }, () =>
      client.callTool({ name: "ask", arguments: { method: "related form" } }),
    );
    const names = (await Promise.all(calls)).map((result) => {
      const { action, content } = JSON.parse(readText(result)) as {
        readonly action: string;
        readonly content?: { readonly name: string };
      };
      return [action, content?.name];
    });
    expect(names.sort()).toEqual([1, 2, 3].map((count) => ["accept", `Emma ${count}`]));
  });

  it("is asked although another client has left a question unanswered", async () => {
    const { url } = await gateway();
    await new Promise<void>((asked) => {
      const says = (): Promise<never> => {
        asked();
        return new Promise(() => {});
      };
      void openClient(url, era, { says }).then(async (leaving) => {
        const call = { name: "ask", arguments: { method: "related form" } };
        await leaving.callTool(call).catch(() => {});
      });
    });
    const client = await openClient(url, era, {
      says: () => ({ action: "accept", content: { name: "Emma" } }),
    });
    const result = await client.callTool({ name: "ask", arguments: { method: "related form" } });
    expect(JSON.parse(readText(result))).toMatchObject({ action: "accept" });
  });
});
