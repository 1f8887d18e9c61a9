import { describe, expect, it } from "vitest";
import { greets, rawHttp, said } from "../support/raw-http.ts";
import { executorOver, opened } from "../support/open-source.ts";

const older = "2025-11-25";
const newer = "2026-07-28";
const tools = [{ name: "any", inputSchema: { type: "object" } }];
const discovered = {
  resultType: "complete",
  supportedVersions: [newer],
  capabilities: { tools: {} },
  ttlMs: 0,
  cacheScope: "private",
};

/** A server of one generation, which `become` changes to the other. */
async function changing(first: typeof older | typeof newer, both = false) {
  let speaks = first;
  let sessions = 0;
  let lostSessions = 0;
  const methods: unknown[] = [];
  const runs: string[] = [];
  const url = await rawHttp((exchange) => {
    const { message, request, response, json } = exchange;
    methods.push(message.method);
    const version = request.headers["mcp-protocol-version"];
    const refuse = (status: number, error: object, id: unknown = message.id): void => {
      response.writeHead(status, { "content-type": "application/json" });
      response.end(JSON.stringify({ jsonrpc: "2.0", id, error }));
    };
    if (speaks === newer && (!both || version === newer)) {
      if (request.method !== "POST") return void response.writeHead(405).end();
      if (version !== newer || message.params?.["_meta"] === undefined) {
        const data = { supported: [newer], requested: version };
        return refuse(400, { code: -32_022, message: "Unsupported protocol version", data });
      }
      if (message.method === "server/discover") return json({ result: discovered });
      if (message.method === "tools/list") return json({ result: { ...discovered, tools } });
      runs.push(newer);
      return json({ result: { resultType: "complete", ...said(newer) } });
    }
    if (version === newer && message.method !== "server/discover") {
      const error = { code: -32_000, message: "Bad Request: Server not initialized" };
      // The request's id is read only in a session.
      return refuse(400, error, null);
    }
    const session = Number(String(request.headers["mcp-session-id"] ?? "").slice(2));
    if (session > 0 && session <= lostSessions) return void response.writeHead(404).end();
    if (message.method === "initialize") sessions += 1;
    if (greets(exchange, `s-${sessions}`)) return undefined;
    if (message.method === "tools/list") return json({ result: { tools } });
    runs.push(older);
    return json({ result: said(older) });
  });
  const source = opened({ name: "changing", url, prefix: false });
  await source.ready;
  const executor = executorOver(source);
  return {
    source,
    methods,
    runs,
    become: (other: typeof older | typeof newer) => void (speaks = other),
    loseSessions: () => void (lostSessions = sessions),
    call: () => executor.execute({ id: "1", name: "any", arguments: {} }),
  };
}

describe("a server over HTTP that changes its generation of the protocol", () => {
  it.each([
    [older, newer],
    [newer, older],
  ] as const)(
    "%s, then %s: is called in the new one, and the call that it refused runs once",
    async (first, then) => {
      const server = await changing(first);
      expect(await server.call()).toMatchObject({ result: said(first) });
      server.become(then);
      expect(await server.call()).toMatchObject({ status: "completed", result: said(then) });
      expect(server.runs).toEqual([first, then]);
      server.become(first);
      expect(await server.call()).toMatchObject({ result: said(first) });
    },
  );

  it("is connected to in the newer one after a refresh, also if it still supports the older one", async () => {
    const server = await changing(older, true);
    server.become(newer);
    expect(await server.call()).toMatchObject({ result: said(older) });
    await server.source.refresh();
    expect(await server.call()).toMatchObject({ result: said(newer) });
  });

  it("is connected to in the newer one after it has lost its sessions, also if it still supports the older one", async () => {
    const server = await changing(older, true);
    server.become(newer);
    server.loseSessions();
    expect(await server.call()).toMatchObject({ result: said(newer) });
    expect(server.runs).toEqual([newer]);
  });

  it("keeps its session if a refresh finds no change", async () => {
    const server = await changing(older);
    const before = server.methods.length;
    await server.source.refresh();
    expect(server.methods.slice(before)).toEqual(["server/discover", "tools/list"]);
    expect(await server.call()).toMatchObject({ result: said(older) });
  });
});
