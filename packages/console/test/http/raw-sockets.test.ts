import { once } from "node:events";
import { connect } from "node:net";
import { beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { listenConsole, type ConsoleListener, type Session } from "../../src/index.ts";
import { authenticate, tokens } from "../support/open-console.ts";
import { pageFiles, TestConsole } from "../support/test-console.ts";

let console: TestConsole;
let listener: ConsoleListener;
let port: number;
let token: string;

beforeEach(async () => {
  console = new TestConsole();
  const { executor, pendingCalls, sessions } = console;
  const stores = { pendingCalls };
  const files = pageFiles;
  listener = await listenConsole({ executor, stores, sessions, authenticate, files });
  onTestFinished(() => listener.close(0));
  port = Number(new URL(listener.url).port);
  token = console.startSession();
});

/** Sends lines over a socket as they are, and returns everything that the server sends until it closes. */
async function sendRaw(lines: readonly string[], body = ""): Promise<string> {
  const socket = connect(port, "127.0.0.1");
  socket.on("error", () => {});
  await once(socket, "connect");
  const text = `${lines.join("\r\n")}\r\n\r\n${body}`;
  socket.write(text.replaceAll("PORT", String(port)).replaceAll("TOKEN", token));
  let received = "";
  for await (const part of socket) received += String(part);
  return received;
}

const statuses = (received: string): readonly number[] =>
  [...received.matchAll(/^HTTP\/1\.1 (\d{3}) /gm)].map(([, status]) => Number(status));

const host = "Host: 127.0.0.1:PORT";
const bearer = "Authorization: Bearer TOKEN";
const json = "Content-Type: application/json";
const close = "Connection: close";
const get = "GET /api/status HTTP/1.1";
const post = "POST /api/calls HTTP/1.1";
const call = JSON.stringify({ name: "add", arguments: { a: 1, b: 2 } });
const length = `Content-Length: ${call.length}`;
const chunked = `${call.length.toString(16)}\r\n${call}\r\n0\r\n\r\n`;

test("requests as clients send them are answered", async () => {
  expect(statuses(await sendRaw([get, host, bearer, close]))).toEqual([200]);
  expect(statuses(await sendRaw([post, host, bearer, json, length, close], call))).toEqual([202]);
  const lines = [post, host, bearer, json, "Transfer-Encoding: chunked", close];
  expect(statuses(await sendRaw(lines, chunked))).toEqual([202]);
});

describe("a request is refused", () => {
  test.each<[string, readonly string[], number]>([
    ["without a Host", [get, bearer, close], 400],
    ["of HTTP/1.0 without a Host", ["GET /api/status HTTP/1.0", bearer], 400],
    ["for localhost", [get, "Host: localhost:PORT", bearer, close], 403],
    ["for a rebound name", [get, "Host: evil.test:PORT", bearer, close], 403],
    ["for its own address in another notation", [get, "Host: 0x7f.1:PORT", bearer, close], 403],
    ["for its own address as a number", [get, "Host: 2130706433:PORT", bearer, close], 403],
    ["for IPv6", [get, "Host: [::1]:PORT", bearer, close], 403],
    ["for its own address with a dot", [get, "Host: 127.0.0.1.:PORT", bearer, close], 403],
    ["without a port", [get, "Host: 127.0.0.1", bearer, close], 403],
    ["with two Hosts, the own one first", [get, host, "Host: evil.test", bearer, close], 403],
    ["with two Hosts, the own one last", [get, "Host: evil.test", host, bearer, close], 403],
    ["with the same Host twice", [get, host, host, bearer, close], 403],
    [
      "with a forwarded Host",
      [get, "Host: evil.test", "X-Forwarded-Host: 127.0.0.1:PORT", bearer, close],
      403,
    ],
    ["with a folded Host", [get, "Host: evil.test\r\n 127.0.0.1:PORT", bearer, close], 400],
    ["with a space in the name of the Host", [get, "Host : 127.0.0.1:PORT", bearer, close], 400],
    [
      "with an absolute target",
      ["GET http://127.0.0.1:PORT/api/status HTTP/1.1", host, bearer, close],
      400,
    ],
    [
      "with an absolute target of another host",
      ["GET http://evil.test/api/status HTTP/1.1", host, bearer, close],
      400,
    ],
    [
      "with an authority in the target",
      ["GET //evil.test/api/status HTTP/1.1", host, bearer, close],
      404,
    ],
    ["with the target *", ["OPTIONS * HTTP/1.1", host, bearer, close], 400],
    [
      "with a backslash in the target",
      ["GET /api\\..\\api\\status HTTP/1.1", host, bearer, close],
      200,
    ],
    ["with two tokens", [get, host, bearer, "Authorization: Bearer x", close], 401],
    ["with the token twice", [get, host, bearer, bearer, close], 401],
    ["with the token in the query", ["GET /api/status?token=TOKEN HTTP/1.1", host, close], 401],
    ["with the token as a cookie", [get, host, "Cookie: token=TOKEN", close], 401],
    [
      "with two Origins",
      [get, host, bearer, "Origin: http://127.0.0.1:PORT", "Origin: https://evil.test", close],
      403,
    ],
    [
      "with two Sec-Fetch-Site",
      [get, host, bearer, "Sec-Fetch-Site: same-origin", "Sec-Fetch-Site: cross-site", close],
      403,
    ],
    ["with the method TRACE", ["TRACE /api/status HTTP/1.1", host, bearer, close], 400],
    ["with the method of another protocol", ["PRI * HTTP/2.0", ""], 400],
    [
      "to upgrade to a WebSocket from another page",
      [
        get,
        host,
        "Upgrade: websocket",
        "Connection: Upgrade, close",
        "Sec-WebSocket-Key: x",
        "Origin: https://evil.test",
      ],
      403,
    ],
  ])("%s", async (_, lines, status) => {
    const received = await sendRaw(lines);
    expect(statuses(received)).toEqual([status]);
    expect(received.toLowerCase()).not.toContain("access-control");
    expect(received).not.toContain(token);
  });
});

describe("a body that is framed in two ways runs nothing", () => {
  test.each<[string, readonly string[], string]>([
    ["with a length and chunks", [length, "Transfer-Encoding: chunked"], chunked],
    ["with chunks and a length", ["Transfer-Encoding: chunked", length], chunked],
    ["with two lengths", [length, "Content-Length: 0"], call],
    ["with a list of lengths", [`${length}, 0`], call],
    ["with a negative length", ["Content-Length: -1"], call],
    ["with a length that is signed", [`Content-Length: +${call.length}`], call],
    ["with another encoding", ["Transfer-Encoding: xchunked"], chunked],
    ["with chunks that are not last", ["Transfer-Encoding: chunked, identity"], chunked],
    ["with a space before the colon", ["Transfer-Encoding : chunked"], chunked],
    ["with a chunk size that is no number", ["Transfer-Encoding: chunked"], `zz\r\n${chunked}`],
  ])("%s", async (_, headers, body) => {
    const received = await sendRaw([post, host, bearer, json, ...headers, close], body);
    expect(statuses(received)).toEqual([400]);
    expect(console.effects).toEqual([]);
  });
});

describe("a second request on a connection", () => {
  test("is checked on its own, whatever the first one was", async () => {
    const second = [post, "Host: evil.test", bearer, json, length, close].join("\r\n");
    const received = await sendRaw([get, host, bearer, "", second], call);
    expect(statuses(received)).toEqual([200, 403]);
    expect(console.effects).toEqual([]);
  });

  test("within a body that was refused is not read as a request", async () => {
    const hidden = [get, host, bearer, close, "", ""].join("\r\n");
    const lines = [post, host, json, `Content-Length: ${hidden.length}`, close];
    expect(statuses(await sendRaw(lines, hidden))).toEqual([401]);
  });
});

describe("two content types", () => {
  test("are 415", async () => {
    const lines = [post, host, bearer, json, "Content-Type: text/plain", length, close];
    expect(statuses(await sendRaw(lines, call))).toEqual([415]);
    expect(console.effects).toEqual([]);
  });
});

describe("over HTTP", () => {
  const headers = (): Record<string, string> => ({ authorization: `Bearer ${token}` });

  test("the link's code begins a session, and the page comes from the same address", async () => {
    const page = await fetch(`${listener.url}/#code=x`);
    expect(page.headers.get("content-type")).toBe("text/html; charset=utf-8");
    const started = await fetch(`${listener.url}/session`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ code: console.sessions.createCode() }),
    });
    const session = (await started.json()) as Session;
    const authorization = `Bearer ${session.token}`;
    const status = await fetch(`${listener.url}/api/status`, { headers: { authorization } });
    expect([started.status, status.status]).toEqual([201, 200]);
  });

  test("events arrive before the response ends, and a client that leaves makes room", async () => {
    for (let count = 0; count < 20; count++) {
      // The server learns of the end of a stream with the end of its connection.
      await expect.poll(canOpen).toBe(true);
      const client = new AbortController();
      const { signal } = client;
      const response = await fetch(`${listener.url}/api/events`, { headers: headers(), signal });
      expect(response.status).toBe(200);
      const reader = response.body?.getReader();
      const read = reader?.read();
      await console.executor.execute({ id: "1", name: "add", arguments: { a: 1, b: 2 } });
      expect(new TextDecoder().decode((await read)?.value)).toContain("tool.requested");
      client.abort();
    }
  });

  async function canOpen(): Promise<boolean> {
    const response = await fetch(`${listener.url}/api/events`, { headers: headers() });
    await response.body?.cancel();
    return response.status === 200;
  }

  test("streams do not delay the end of the listener, and do not count as requests", async () => {
    const open = async (as: string): Promise<Response> =>
      fetch(`${listener.url}/api/events`, { headers: { authorization: `Bearer ${as}` } });
    const all: string[] = [];
    for (let count = 0; count < 7; count++) all.push(console.startSession());
    const responses = await Promise.all(
      all.flatMap((one) => Array.from({ length: 16 }, () => open(one))),
    );
    expect(responses.map(({ status }) => status)).toEqual(responses.map(() => 200));
    expect((await fetch(`${listener.url}/api/status`, { headers: headers() })).status).toBe(200);
    const ends = responses.map((response) => response.text().catch(() => "ended"));
    await listener.close(600_000);
    expect(new Set(await Promise.all(ends))).toEqual(new Set(["ended"]));
  });

  test("a program with a token can call, and cannot decide or begin a session", async () => {
    const send = (path: string, body: object) =>
      fetch(`${listener.url}${path}`, {
        method: "POST",
        headers: { authorization: `Bearer ${tokens.agent}`, "content-type": "application/json" },
        body: JSON.stringify(body),
      });
    expect((await send("/api/calls", { name: "pay", arguments: { to: "x" } })).status).toBe(202);
    await expect.poll(async () => (await console.pendingCalls.list()).length).toBe(1);
    const [record] = await console.pendingCalls.list();
    const path = `/api/approvals/${record?.interruption.id}/answers`;
    expect((await send(path, { digest: "x", answers: [] })).status).toBe(403);
    expect((await send("/session", { code: tokens.agent })).status).toBe(403);
    expect(console.effects).toEqual([]);
  });
});
