import { describe, expect, it, onTestFinished, vi } from "vitest";
import type { JsonObject } from "@toolweave/core";
import { request, type IncomingMessage } from "node:http";
import { once } from "node:events";
import { listenHttp, type HttpOptions } from "../../../src/gateway/index.ts";
import { manyClients } from "../../support/client-crowd.ts";
import {
  openClient,
  echo,
  opening,
  requestFor,
  serving,
  readText,
  type ServingOptions,
} from "../../support/open-gateway.ts";

/** The same, over a listener with separate limits. */
async function listeningWith(gateway: ServingOptions["gateway"], options: HttpOptions = {}) {
  const served = await serving({ tools: [echo("say")], ...(gateway && { gateway }) });
  const listener = await listenHttp(served.gateway, options);
  onTestFinished(() => listener.close(0));
  return { ...served, url: listener.url };
}

const json = {
  "content-type": "application/json",
  accept: "application/json, text/event-stream",
};

const initialize = JSON.stringify({
  jsonrpc: "2.0",
  id: 1,
  method: "initialize",
  params: {
    protocolVersion: "2025-11-25",
    capabilities: {},
    clientInfo: { name: "host", version: "1" },
  },
});

/** Starts a session; its status and id. */
async function begin(
  url: string,
): Promise<{ readonly status: number; readonly id: string; text: string }> {
  const response = await fetch(url, { method: "POST", headers: json, body: initialize });
  const id = response.headers.get("mcp-session-id") ?? "";
  return { status: response.status, id, text: await response.text() };
}

/** Returns whether a session still exists. */
async function isThere(url: string, id: string): Promise<boolean> {
  const headers = { ...json, "mcp-session-id": id };
  const body = JSON.stringify({ jsonrpc: "2.0", id: 2, method: "ping" });
  const response = await fetch(url, { method: "POST", headers, body });
  await response.body?.cancel();
  return response.status === 200;
}

/** Opens the stream of a session, over a separate connection; its status. */
async function openStream(
  url: string,
  id: string,
): Promise<{ readonly status: number; end(): void }> {
  const headers = { accept: "text/event-stream", "mcp-session-id": id };
  const sent = request(url, { method: "GET", headers, agent: false });
  sent.on("error", () => {});
  onTestFinished(() => void sent.destroy());
  const [response] = (await once(sent.end(), "response")) as [IncomingMessage];
  return { status: response.statusCode ?? 0, end: () => void sent.destroy() };
}

/** Opens a stream of the newer protocol; its status. */
async function listen(
  url: string,
  id: number,
): Promise<{ readonly status: number; end(): void; text(): Promise<string> }> {
  const abort = new AbortController();
  onTestFinished(() => abort.abort());
  const notifications = { toolsListChanged: true };
  const asked = requestFor(url, "subscriptions/listen", { notifications }, {}, id);
  const response = await fetch(asked, { signal: abort.signal });
  return { status: response.status, end: () => abort.abort(), text: () => response.text() };
}

describe("many clients of both generations", () => {
  it("connect concurrently, call, and stay connected within the default limits", async () => {
    const { url, registry } = await listeningWith(undefined);
    const report = await manyClients({
      url,
      clients: 40,
      mayCall: (_, calls) => calls < 5,
      change: () => registry.add(echo("more")),
    });
    expect(report).toEqual({
      connected: { legacy: 20, modern: 20 },
      calls: 200,
      failures: [],
      refused: {},
      streams: 40,
      notified: { legacy: 20, modern: 20 },
    });
  });

  it("have room for 200 sessions, 400 streams and 200 concurrent calls of one caller by default", async () => {
    const { opened, open } = opening();
    let running = 0;
    const wait = echo("wait", {
      execute: async (args) => {
        if (++running === 200) open();
        await opened;
        return String((args as JsonObject)["say"]);
      },
    });
    const { gateway } = await serving({ tools: [wait] });
    const listener = await listenHttp(gateway);
    onTestFinished(() => listener.close(0));
    const { url } = listener;
    const indexes = Array.from({ length: 200 }, (_, index) => index);
    const sessions = await Promise.all(indexes.map(() => begin(url)));
    const older = await Promise.all(sessions.map(({ id }) => openStream(url, id)));
    const newer = await Promise.all(indexes.map((index) => listen(url, index)));
    const calls = await Promise.all(
      indexes.map(async (index) => {
        const call = { name: "wait", arguments: { say: `called ${index}` } };
        const response = await fetch(requestFor(url, "tools/call", call, {}, index));
        const text = await response.text();
        // A refused call must not keep the others waiting.
        open();
        return text.includes(`called ${index}`) ? response.status : text;
      }),
    );
    const statuses = [sessions, older, newer].map(
      (all) => new Set(all.map(({ status }) => status)),
    );
    expect([...statuses, new Set(calls)]).toEqual(Array.from({ length: 4 }, () => new Set([200])));
  });

  it("can open 150 idle streams without blocking the calls of another", async () => {
    const { url } = await listeningWith(undefined, { maxRequestsPerCaller: 2 });
    const streams = [];
    for (let index = 0; index < 150; index++) streams.push(await listen(url, index));
    expect(streams.filter(({ status }) => status === 200)).toHaveLength(150);
    const older = await openClient(url, "legacy");
    const newer = await openClient(url, "modern");
    for (const client of [older, newer]) {
      const said = await client.callTool({ name: "say", arguments: { say: "hello" } });
      expect(readText(said)).toBe("hello");
    }
  });
});

describe("streams for notifications", () => {
  it("have a separate limit over both generations, and an error that names it", async () => {
    const { url } = await listeningWith({ limits: { streams: 2 } });
    const { id } = await begin(url);
    const stream = await openStream(url, id);
    const first = await listen(url, 1);
    const refused = await listen(url, 2);
    expect([first.status, refused.status]).toEqual([200, 429]);
    expect(await refused.text()).toMatch(/limits\.streams.*--max-streams/);
    const other = await begin(url);
    const headers = { accept: "text/event-stream", "mcp-session-id": other.id };
    const older = await fetch(url, { headers });
    expect(older.status).toBe(429);
    expect(await older.text()).toContain("limits.streams");
    stream.end();
    await vi.waitFor(async () => expect((await listen(url, 3)).status).toBe(200), 60_000);
  });

  it("are no longer counted if the host cancels them without a signal", async () => {
    const { gateway } = await serving({ gateway: { limits: { streams: 1 } } });
    const notifications = { toolsListChanged: true };
    for (let time = 0; time < 3; time++) {
      const asked = requestFor("http://127.0.0.1/mcp", "subscriptions/listen", { notifications });
      const response = await gateway.fetch(asked);
      expect(response.status).toBe(200);
      await response.body?.cancel();
    }
  });
});

describe("a session of the older protocol", () => {
  it("is kept as long as its stream is open; the next one is rejected with the name of the limit", async () => {
    const { url } = await listeningWith({ limits: { sessions: 2, sessionIdleMs: 1 } });
    const sessions = [await begin(url), await begin(url)];
    for (const { id } of sessions) await openStream(url, id);
    const refused = await begin(url);
    expect(refused.status).toBe(429);
    expect(refused.text).toMatch(/limits\.sessions.*--max-sessions/);
    for (const { id } of sessions) expect(await isThere(url, id)).toBe(true);
  });

  it("is replaced once its stream has ended, and no other is", async () => {
    const { url } = await listeningWith({ limits: { sessions: 3 } });
    const sessions = [await begin(url), await begin(url), await begin(url)];
    const streams = await Promise.all(sessions.slice(0, 2).map(({ id }) => openStream(url, id)));
    expect((await begin(url)).status).toBe(429);
    streams[1]?.end();
    await vi.waitFor(async () => expect((await begin(url)).status).toBe(200), 60_000);
    const there = await Promise.all(sessions.map(({ id }) => isThere(url, id)));
    expect(there).toEqual([true, false, true]);
  });

  it("without a stream is replaced after sessionIdleMs", async () => {
    vi.useFakeTimers({ toFake: ["Date"] });
    onTestFinished(() => void vi.useRealTimers());
    const { url } = await listeningWith({ limits: { sessions: 2, sessionIdleMs: 60_000 } });
    const first = await begin(url);
    const second = await begin(url);
    expect((await begin(url)).status).toBe(429);
    vi.setSystemTime(Date.now() + 59_000);
    expect(await isThere(url, second.id)).toBe(true);
    expect((await begin(url)).status).toBe(429);
    vi.setSystemTime(Date.now() + 1_000);
    expect((await begin(url)).status).toBe(200);
    expect([await isThere(url, first.id), await isThere(url, second.id)]).toEqual([false, true]);
  });
});

describe("the rate of a caller", () => {
  it("counts the calls of all its sessions, and of both generations", async () => {
    const served = await serving({
      tools: [echo("say")],
      gateway: { limits: { callsPerMinute: 4 } },
    });
    const ann = await served.as({ id: "ann" });
    const clients = [
      await openClient(ann, "legacy"),
      await openClient(ann, "legacy"),
      await openClient(ann, "modern"),
    ];
    const say = { name: "say", arguments: { say: "hello" } };
    const results = [];
    for (let time = 0; time < 2; time++) {
      for (const client of clients) results.push(await client.callTool(say));
    }
    expect(results.map(({ isError }) => isError === true)).toEqual([
      ...Array.from({ length: 4 }, () => false),
      true,
      true,
    ]);
    expect(readText(results[4] ?? {})).toMatch(
      /its limit of 4 calls per minute.*limits\.callsPerMinute.*--max-calls-per-minute/,
    );
    const bob = await openClient(await served.as({ id: "bob" }), "legacy");
    expect(readText(await bob.callTool(say))).toBe("hello");
  });
});
