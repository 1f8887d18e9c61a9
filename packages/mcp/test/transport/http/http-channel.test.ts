import type { JsonObject } from "@toolweave/core";
import { SSEServerTransport } from "@modelcontextprotocol/sdk/server/sse.js";
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { createServer } from "node:http";
import { startServer } from "@toolweave/test-support/start-server";
import { describe, expect, it, vi } from "vitest";
import { connected, readText } from "../../support/open-connection.ts";
import { greets, rawHttp, said, type RawExchange } from "../../support/raw-http.ts";

/** A server of the older protocol whose response streams a test controls. */
function streaming(write: (exchange: RawExchange, end: () => void) => void): Promise<string> {
  return rawHttp((exchange) => {
    if (greets(exchange)) return;
    exchange.stream();
    write(exchange, () => void exchange.response.end());
  });
}

describe("the response stream of a call", () => {
  it("MF22: may hold comments, events without data, unknown fields and types, and broken messages", async () => {
    const url = await streaming(({ response, message, event }, end) => {
      response.write(": keep alive\n\nid: 1\n\nevent: ping\ndata: {}\n\nnonsense\ncolour: red\n\n");
      response.write("data: {half\n\ndata: 42\n\n");
      response.write(event({ id: message.id, result: said("whole") }));
      end();
    });
    const connection = await connected({ name: "raw", url });
    expect(await readText(connection, "any")).toBe("whole");
    expect(connection.faults).toEqual({ skipped: 2, unmatched: 0, sample: "{half" });
  });

  it("MF22: may arrive in any chunks, with any line ends, in several lines of data", async () => {
    const url = await streaming(async ({ response, message }, end) => {
      const lines = JSON.stringify(
        { jsonrpc: "2.0", id: message.id, result: said("Jürgen 🙂") },
        undefined,
        1,
      ).split("\n");
      const text = lines.map((line, index) => `data:${line}${["\r\n", "\r", "\n"][index % 3]}`);
      for (const byte of Buffer.from(`\uFEFF${text.join("")}\r\n\r\n`)) {
        response.write(Buffer.of(byte));
        await new Promise(setImmediate);
      }
      end();
    });
    const connection = await connected({ name: "raw", url });
    expect(await readText(connection, "any")).toBe("Jürgen 🙂");
  });

  it("MF22: with broken UTF-8 is read with replacement characters", async () => {
    const url = await streaming(({ response, message }, end) => {
      const [head = "", tail = ""] = JSON.stringify({
        jsonrpc: "2.0",
        id: message.id,
        result: said("|"),
      }).split("|");
      response.write(Buffer.concat([Buffer.from(`data: ${head}`), Buffer.of(0xff, 0xc3)]));
      response.write(`${tail}\n\n`);
      end();
    });
    const connection = await connected({ name: "raw", url });
    expect(await readText(connection, "any")).toBe("\uFFFD\uFFFD");
  });

  it("MF22, MC15: with an event of more than 64 MiB fails only its call", async () => {
    const url = await streaming(async ({ response, message, event }, end) => {
      if (message.params?.name === "huge") {
        const part = Buffer.alloc(1024 * 1024, "a");
        response.write("data: ");
        for (let count = 0; count < 70 && !response.destroyed; count++) {
          await new Promise((resolve) => response.write(part, resolve));
        }
      }
      response.write(event({ id: message.id, result: said("small") }));
      end();
    });
    const connection = await connected({ name: "raw", url });
    const [huge, small] = await Promise.allSettled([
      readText(connection, "huge"),
      readText(connection, "small"),
    ]);
    expect(huge).toMatchObject({ status: "rejected", reason: { code: "upstream" } });
    expect(small).toEqual({ status: "fulfilled", value: "small" });
  });

  it("that ends or breaks without a response fails the call at once", async () => {
    const url = await streaming(({ response, message }, end) => {
      response.write(": nothing yet\n\n");
      if (message.params?.name === "ends") end();
      else setImmediate(() => response.destroy());
    });
    const connection = await connected({ name: "raw", url });
    const expected = "the server ended its response before it was complete";
    await expect(readText(connection, "ends")).rejects.toThrow(expected);
    await expect(readText(connection, "breaks")).rejects.toThrow(expected);
  });

  it("is resumed where it broke when its events have ids", async () => {
    const asked: unknown[] = [];
    let pending: RawExchange["message"] = {};
    const url = await rawHttp((exchange) => {
      const { request, response, message, stream, event } = exchange;
      const lastId = request.headers["last-event-id"];
      if (lastId === undefined && greets(exchange)) return;
      stream();
      if (lastId === undefined) {
        pending = message;
        response.end("retry: 5\nid: at-7\ndata:\n\n");
      } else {
        asked.push(lastId);
        response.end(event({ id: pending.id, result: said("the rest") }));
      }
    });
    const connection = await connected({ name: "raw", url });
    expect(await readText(connection, "any")).toBe("the rest");
    expect(asked).toEqual(["at-7"]);
  });

  it("is ended by a cancellation, of which the server is notified", async () => {
    const cancelled: unknown[] = [];
    let tellGone = (): void => {};
    const gone = new Promise<void>((resolve) => (tellGone = resolve));
    const url = await rawHttp((exchange) => {
      if (greets(exchange)) return;
      const { message, response, stream } = exchange;
      if (message.method === "notifications/cancelled") {
        cancelled.push(message.params?.["requestId"]);
        return void response.writeHead(202).end();
      }
      cancelled.push(message.id);
      stream();
      response.once("close", tellGone);
      stop.abort();
    });
    const stop = new AbortController();
    const connection = await connected({ name: "raw", url });
    await expect(readText(connection, "any", {}, stop.signal)).rejects.toMatchObject({
      code: "cancelled",
    });
    await gone;
    expect(cancelled[1]).toBe(cancelled[0]);
  });
});

describe("a server over HTTP", () => {
  it("that has lost the session rejects each request with 404", async () => {
    const url = await rawHttp((exchange) => {
      if (!greets(exchange, "s-1")) exchange.response.writeHead(404).end();
    });
    const connection = await connected({ name: "raw", url });
    await expect(readText(connection, "any")).rejects.toMatchObject({ data: { status: 404 } });
    await expect(readText(connection, "other")).rejects.toMatchObject({ data: { status: 404 } });
  });

  it("gets its session and version with every request, and the session's end", async () => {
    const seen: unknown[] = [];
    const url = await rawHttp((exchange) => {
      const { request, message, json } = exchange;
      const { "mcp-session-id": session, "mcp-protocol-version": version } = request.headers;
      if (request.method !== "GET") {
        seen.push([message.method ?? request.method, session, version]);
      }
      if (!greets(exchange, "s-1")) json({ result: said("here") });
    });
    const connection = await connected({ name: "raw", url });
    await readText(connection, "any");
    await connection.close();
    expect(seen).toEqual([
      ["server/discover", undefined, "2026-07-28"],
      ["initialize", undefined, undefined],
      ["notifications/initialized", "s-1", "2025-11-25"],
      ["tools/call", "s-1", "2025-11-25"],
      ["DELETE", "s-1", "2025-11-25"],
    ]);
  });

  it("is not followed to another origin", async () => {
    const reached = vi.fn<() => void>();
    const elsewhere = await rawHttp(({ json }) => {
      reached();
      json({ result: {} });
    });
    const url = await rawHttp(({ response }) => {
      response.writeHead(307, { location: elsewhere }).end();
    });
    const headers = { authorization: "Bearer x" };
    await expect(connected({ name: "raw", url, headers })).rejects.toMatchObject({
      code: "upstream",
    });
    expect(reached).not.toHaveBeenCalled();
  });

  it("gets the request again with new credentials if it rejects the old ones", async () => {
    let token = "old";
    const refusals: unknown[] = [];
    const url = await rawHttp((exchange) => {
      const { request, response } = exchange;
      if (request.headers.authorization !== "Bearer new") {
        return void response.writeHead(401, { "www-authenticate": "Bearer x" }).end();
      }
      if (!greets(exchange)) exchange.json({ result: said("signed in") });
    });
    const connection = await connected(
      { name: "raw", url },
      {
        authorization: {
          headers: () => ({ authorization: `Bearer ${token}` }),
          onRejected({ status, wwwAuthenticate, attempt }) {
            refusals.push([status, wwwAuthenticate, attempt]);
            token = "new";
            return true;
          },
        },
      },
    );
    expect(await readText(connection, "any")).toBe("signed in");
    expect(refusals).toEqual([[401, "Bearer x", 0]]);
  });

  it("that has only the transport of 2024-11-05 is connected to with it, without another probe", async () => {
    const { url, requests } = await oldServer();
    const server = { name: "old", url };
    const connection = await connected(server);
    expect(await readText(connection, "echo", { text: "hello" })).toBe("hello");
    await connection.close();
    requests.length = 0;
    const again = await connected(server);
    expect(await readText(again, "echo", { text: "again" })).toBe("again");
    expect(requests[0]).toBe("GET /sse");
  });
});

/** A server of the SDK over HTTP with SSE, the transport before Streamable HTTP. */
async function oldServer(): Promise<{ readonly url: string; readonly requests: string[] }> {
  const transports = new Map<string, SSEServerTransport>();
  const requests: string[] = [];
  const server = createServer((request, response) => {
    requests.push(`${request.method} ${request.url}`);
    const { pathname, searchParams } = new URL(request.url ?? "", "http://127.0.0.1");
    if (request.method === "GET" && pathname === "/sse") {
      const transport = new SSEServerTransport("/messages", response);
      transports.set(transport.sessionId, transport);
      const mcp = new McpServer({ name: "old", version: "1" });
      mcp.server.registerCapabilities({ tools: {} });
      mcp.server.fallbackRequestHandler = async ({ params }) =>
        said(String((params as { readonly arguments: { readonly text?: string } }).arguments.text));
      void mcp.connect(transport);
    } else if (request.method === "POST" && pathname === "/messages") {
      void transports
        .get(searchParams.get("sessionId") ?? "")
        ?.handlePostMessage(request, response);
    } else response.writeHead(404).end();
  });
  return { url: `${await startServer(server)}/sse`, requests };
}

describe("the subscription to a server of the newer protocol", () => {
  it("is reopened when the stream ends, and missed changes are checked", async () => {
    let listened = 0;
    const url = await rawHttp(({ message, response, json, stream, event }) => {
      if (message.method === "server/discover") {
        return json({
          result: {
            resultType: "complete",
            supportedVersions: ["2026-07-28"],
            capabilities: { tools: { listChanged: true } },
            ttlMs: 0,
            cacheScope: "private",
          },
        });
      }
      listened += 1;
      stream();
      const params = {
        notifications: { toolsListChanged: true },
        _meta: { "io.modelcontextprotocol/subscriptionId": message.id },
      };
      response.write(event({ method: "notifications/subscriptions/acknowledged", params }));
      if (listened === 1) response.end();
    });
    const onNotification = vi.fn<(method: string, params: JsonObject) => void>();
    const connection = await connected({ name: "raw", url }, { onNotification });
    expect(connection.era).toBe("modern");
    await vi.waitFor(() => expect(listened).toBe(2), { timeout: 60_000 });
    await vi.waitFor(
      () => expect(onNotification).toHaveBeenCalledWith("notifications/tools/list_changed", {}),
      60_000,
    );
  });
});
