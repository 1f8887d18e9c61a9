import { describe, expect, it, vi } from "vitest";
import { connected, readText } from "../../support/open-connection.ts";
import { greets, rawHttp, said, type RawExchange } from "../../support/raw-http.ts";
import { executorOver, opened } from "../../support/open-source.ts";

/**
 * A server with sessions that answers calls with their session id; `onStream` receives requests for its
 * stream.
 */
async function withSessions(
  onStream: (exchange: RawExchange, asked: number) => void,
  onList: () => void = () => {},
) {
  let sessions = 0;
  let asked = 0;
  const url = await rawHttp((exchange) => {
    const { message, request, json } = exchange;
    if (request.method === "GET") return onStream(exchange, (asked += 1));
    if (message.method === "initialize") sessions += 1;
    if (greets(exchange, `session-${sessions}`)) return;
    if (message.method === "tools/list") {
      onList();
      return json({ result: { tools: [{ name: "any", inputSchema: { type: "object" } }] } });
    }
    json({ result: said(String(request.headers["mcp-session-id"])) });
  });
  return { url, sessions: () => sessions, asked: () => asked };
}

describe("the server's own stream of the older protocol", () => {
  it.each([404, 405, 400, 403])(
    "that does not exist (%i) does not affect a call",
    async (status) => {
      const server = await withSessions(({ response }) => response.writeHead(status).end());
      const connection = await connected({ name: "raw", url: server.url });
      await vi.waitFor(() => expect(server.asked()).toBe(1), 60_000);
      expect(await readText(connection, "any")).toBe("session-1");
      expect(await Promise.race([connection.closed, "open"])).toBe("open");
      expect([server.sessions(), server.asked()]).toEqual([1, 1]);
    },
  );

  it.each([404, 400])("that existed, and is rejected (%i), ends the session", async (status) => {
    const server = await withSessions(({ response, stream }, asked) => {
      if (asked === 2) return void response.writeHead(status).end();
      stream();
      if (asked === 1) response.end("retry: 5\nid: 1\ndata:\n\n");
    });
    const source = opened({ name: "raw", url: server.url, prefix: false });
    await source.ready;
    await vi.waitFor(() => expect(server.sessions()).toBe(2), { timeout: 60_000 });
    const call = { id: "1", name: "any", arguments: {} };
    await vi.waitFor(
      async () =>
        expect(await executorOver(source).execute(call)).toMatchObject({
          result: said("session-2"),
        }),
      60_000,
    );
  });

  it("is opened before the tools are listed, so that no change is missed", async () => {
    const seen: string[] = [];
    const server = await withSessions(
      ({ stream }) => {
        // Long enough for a list that does not wait.
        setTimeout(() => {
          seen.push("stream");
          stream();
        }, 50);
      },
      () => seen.push("list"),
    );
    await opened({ name: "raw", url: server.url }).ready;
    expect(seen).toEqual(["stream", "list"]);
  });

  it("that opens late delays nothing, and causes another list", async () => {
    let lists = 0;
    let open: (() => void) | undefined;
    const server = await withSessions(
      ({ stream }) => (open = stream),
      () => (lists += 1),
    );
    await opened({ name: "raw", url: server.url }).ready;
    expect(lists).toBe(1);
    open?.();
    await vi.waitFor(() => expect(lists).toBe(2), 60_000);
  });

  it("that breaks with a server error is reopened", async () => {
    const server = await withSessions(({ response, stream }, asked) => {
      if (asked === 1) return void response.writeHead(503).end();
      stream();
    });
    const connection = await connected({ name: "raw", url: server.url });
    await vi.waitFor(() => expect(server.asked()).toBe(2), { timeout: 60_000 });
    expect(await readText(connection, "any")).toBe("session-1");
  });
});

describe("open streams", () => {
  it("do not block calls, however many there are", async () => {
    const url = await rawHttp((exchange) => {
      if (exchange.request.method === "GET") return exchange.stream();
      if (!greets(exchange)) exchange.json({ result: said("here") });
    });
    const connections = await Promise.all(
      Array.from({ length: 140 }, () => connected({ name: "raw", url })),
    );
    for (const connection of connections) expect(await readText(connection, "any")).toBe("here");
  });

  it("receive their responses, however many calls wait for them", async () => {
    const asks = 140;
    const answered = new Map<unknown, () => void>();
    const url = await rawHttp(async (exchange) => {
      const { message, response, stream, event } = exchange;
      if (message.method === undefined && answered.has(message.id)) {
        answered.get(message.id)?.();
        response.writeHead(202).end();
        return;
      }
      if (greets(exchange)) return;
      stream();
      const received = new Promise<void>((resolve) => answered.set(`ask-${message.id}`, resolve));
      response.write(event({ id: `ask-${message.id}`, method: "roots/list" }));
      await received;
      response.end(event({ id: message.id, result: said("thanks") }));
    });
    let roots = () => {};
    let asked = 0;
    const everyone = new Promise<void>((resolve) => (roots = resolve));
    const connection = await connected(
      { name: "raw", url },
      {
        capabilities: { roots: {} },
        async onRequest() {
          // As many as possible at once have asked.
          if ((asked += 1) >= 128) roots();
          await everyone;
          return { roots: [] };
        },
      },
    );
    const texts = await Promise.all(
      Array.from({ length: asks }, () => readText(connection, "any")),
    );
    expect(texts).toEqual(Array.from({ length: asks }, () => "thanks"));
  });
});
