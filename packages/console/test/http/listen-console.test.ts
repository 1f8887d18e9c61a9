import { once } from "node:events";
import { connect } from "node:net";
import { memoryGrants, memoryPendingCalls } from "@toolweave/core/stores";
import { describe, expect, onTestFinished, test } from "vitest";
import { listenConsole, type ConsoleListener } from "../../src/index.ts";
import { authenticate, TestProcess, tokens } from "../support/open-console.ts";
import { deferred } from "../support/deferred.ts";

async function listen(
  options: { readonly publicUrl?: string } = {},
): Promise<{ process: TestProcess; listener: ConsoleListener; port: number }> {
  const process = new TestProcess({
    pendingCalls: memoryPendingCalls(),
    grants: memoryGrants(),
  });
  const { executor, stores } = process;
  const listener = await listenConsole({
    executor,
    stores: { pendingCalls: stores.pendingCalls },
    authenticate,
    ...options,
  });
  onTestFinished(() => listener.close(0));
  return { process, listener, port: Number(new URL(listener.url).port) };
}

/** Sends bytes over a socket, and returns the first line of the response. */
async function sendRaw(port: number, text: string): Promise<string> {
  const socket = connect(port, "127.0.0.1");
  socket.on("error", () => {});
  await once(socket, "connect");
  socket.write(text);
  let received = "";
  for await (const part of socket) {
    received += String(part);
    if (received.includes("\r\n")) break;
  }
  socket.destroy();
  return received.split("\r\n")[0] ?? "";
}

const authorization = `Authorization: Bearer ${tokens.ada}`;

test("it serves the API on loopback, and an approved call runs", async () => {
  const { process, listener } = await listen();
  expect(listener.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
  const id = await process.makeCall();
  const headers = { authorization: `Bearer ${tokens.ada}`, "content-type": "application/json" };
  const read = await fetch(`${listener.url}/api/approvals/${id}`, { headers });
  const { digest } = (await read.json()) as { digest: string };
  const answered = await fetch(`${listener.url}/api/approvals/${id}/answers`, {
    method: "POST",
    headers,
    body: JSON.stringify({ digest, answers: [{ type: "approve" }] }),
  });
  expect(await answered.json()).toMatchObject({ status: "completed", answeredBy: "ada" });
  expect(process.effects).toEqual(["mira 49"]);
});

describe("a raw request", () => {
  test.each([
    ["without a Host header", `GET /api/approvals HTTP/1.1\r\n${authorization}\r\n\r\n`, 400],
    [
      "for localhost",
      `GET /api/approvals HTTP/1.1\r\nHost: localhost:PORT\r\n${authorization}\r\n\r\n`,
      403,
    ],
    [
      "for another port",
      `GET /api/approvals HTTP/1.1\r\nHost: 127.0.0.1:1\r\n${authorization}\r\n\r\n`,
      403,
    ],
    [
      "with two Host headers",
      `GET /api/approvals HTTP/1.1\r\nHost: 127.0.0.1:PORT\r\nHost: evil.example\r\n${authorization}\r\n\r\n`,
      403,
    ],
    [
      "with an absolute target",
      `GET http://127.0.0.1:PORT/api/approvals HTTP/1.1\r\nHost: 127.0.0.1:PORT\r\n${authorization}\r\n\r\n`,
      400,
    ],
    [
      "with an absolute target of another host",
      `GET http://evil.example/api/approvals HTTP/1.1\r\nHost: 127.0.0.1:PORT\r\n${authorization}\r\n\r\n`,
      400,
    ],
    [
      "with two Authorization headers",
      `GET /api/approvals HTTP/1.1\r\nHost: 127.0.0.1:PORT\r\n${authorization}\r\nAuthorization: Bearer x\r\n\r\n`,
      401,
    ],
    [
      "with two lengths",
      `POST /api/approvals/x/answers HTTP/1.1\r\nHost: 127.0.0.1:PORT\r\n${authorization}\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
      400,
    ],
    [
      "with a header of 64 KiB",
      `GET /api/approvals HTTP/1.1\r\nHost: 127.0.0.1:PORT\r\nX: ${"x".repeat(65_536)}\r\n\r\n`,
      431,
    ],
    [
      "with the method TRACE",
      `TRACE /api/approvals HTTP/1.1\r\nHost: 127.0.0.1:PORT\r\n${authorization}\r\n\r\n`,
      400,
    ],
    [
      "for its own address",
      `GET /api/approvals HTTP/1.1\r\nHost: 127.0.0.1:PORT\r\n${authorization}\r\n\r\n`,
      200,
    ],
  ])("%s gets the expected status", async (_, text, status) => {
    const { port } = await listen();
    const line = await sendRaw(port, text.replaceAll("PORT", String(port)));
    expect(line).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
  });

  test("with a body that announces 5 MB is 413 before the body is sent", async () => {
    const { process, port } = await listen();
    const id = await process.makeCall();
    const line = await sendRaw(
      port,
      `POST /api/approvals/${id}/answers HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n${authorization}\r\nContent-Type: application/json\r\nContent-Length: 5000000\r\n\r\n`,
    );
    expect(line).toMatch(/^HTTP\/1.1 413 /);
  });
});

test("a client that disconnects does not cancel the call that it has approved", async () => {
  const started = deferred();
  const released = deferred();
  const ended = deferred();
  const process = new TestProcess(
    { pendingCalls: memoryPendingCalls(), grants: memoryGrants() },
    {
      hooks: [
        async (_, next) => {
          started.resolve();
          await released.promise;
          return next();
        },
        { onEvent: ({ type }) => type === "tool.completed" && ended.resolve() },
      ],
    },
  );
  const { executor, stores } = process;
  const { pendingCalls } = stores;
  const listener = await listenConsole({ executor, stores: { pendingCalls }, authenticate });
  onTestFinished(() => listener.close(0));
  const id = await process.makeCall();
  const { digest } = await process.read(id);
  const client = new AbortController();
  const sent = fetch(`${listener.url}/api/approvals/${id}/answers`, {
    method: "POST",
    headers: { authorization: `Bearer ${tokens.ada}`, "content-type": "application/json" },
    body: JSON.stringify({ digest, answers: [{ type: "approve" }] }),
    signal: client.signal,
  }).catch(() => "disconnected");
  await started.promise;
  client.abort();
  expect(await sent).toBe("disconnected");
  released.resolve();
  await ended.promise;
  expect(process.effects).toEqual(["mira 49"]);
});

test("an address that is in use is an error that names it", async () => {
  const { process, port } = await listen();
  const { executor, stores } = process;
  const { pendingCalls } = stores;
  await expect(
    listenConsole({ executor, stores: { pendingCalls }, authenticate, port }),
  ).rejects.toMatchObject({
    code: "unavailable",
    message: expect.stringContaining(`port ${port} (EADDRINUSE)`),
  });
});

test("publicUrl is a further address of the server, and the one in its document", async () => {
  const { port } = await listen({ publicUrl: "https://agents.example.com" });
  const get = (host: string) =>
    sendRaw(port, `GET /api/openapi.json HTTP/1.1\r\nHost: ${host}\r\n\r\n`);
  expect(await get("agents.example.com")).toContain("200");
  expect(await get(`127.0.0.1:${port}`)).toContain("200");
  expect(await get("evil.example")).toContain("403");
});
