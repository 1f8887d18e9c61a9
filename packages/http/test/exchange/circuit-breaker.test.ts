import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { ToolError } from "@toolweave/core";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { CircuitBreaker } from "../../src/exchange/circuit-breaker.ts";
import type { Hop } from "../../src/exchange/hop.ts";
import { httpClient, type HttpClient } from "../../src/index.ts";
import { failure } from "../support/failure.ts";
import { serve, serveRaw, type TestServer } from "../support/servers.ts";

beforeEach(() => void vi.useFakeTimers({ toFake: ["performance"] }));
afterEach(() => void vi.useRealTimers());

const clients = new WeakMap<TestServer, HttpClient>();

/** One client for each server. */
function ask(server: TestServer, signal?: AbortSignal): Promise<{ status: number }> {
  const client = clients.get(server) ?? httpClient({ givenOrigins: [server.origin] });
  clients.set(server, client);
  return client.request({ method: "POST", url: `${server.origin}/`, signal });
}

async function failTimes(count: number, server: TestServer): Promise<ToolError> {
  let last = new ToolError("invalid_configuration", "none");
  for (let done = 0; done < count; done++) last = await failure(ask(server));
  return last;
}

/** A server that closes each connection until it is set to work. */
async function failing(): Promise<{ server: TestServer; recover: () => void }> {
  let isWell = false;
  const server = await serveRaw((socket) => {
    if (isWell) socket.end("HTTP/1.1 204 No Content\r\nconnection: close\r\n\r\n");
    else socket.destroy();
  });
  return { server, recover: () => (isWell = true) };
}

describe("an origin that does not answer", () => {
  it("HT41: is not called after ten failures in a row, then one request probes it, and it is available again", async () => {
    const { server, recover } = await failing();
    const states: unknown[] = [];
    const listen = (message: unknown): void => void states.push(message);
    subscribe("toolweave.http.circuit", listen);
    try {
      await failTimes(10, server);
      expect(server.sockets).toHaveLength(10);

      const refused = await failure(ask(server));
      expect(refused).toMatchObject({ code: "unavailable", retryable: true, retryAfterMs: 5_000 });
      expect(refused.message).toBe(
        `${server.origin} has not answered 10 times in a row, so requests to it are refused for 5 s. Continue without it, or call it later.`,
      );
      await failTimes(10, server);
      expect(server.sockets).toHaveLength(10);

      vi.advanceTimersByTime(5_001);
      recover();
      // Only one of several is the probe.
      const [first, second] = await Promise.allSettled([ask(server), ask(server)]);
      expect(first).toMatchObject({ status: "fulfilled", value: { status: 204 } });
      expect(second).toMatchObject({ status: "rejected", reason: { code: "unavailable" } });
      expect(server.sockets).toHaveLength(11);
      await ask(server);
      expect(states).toEqual(
        ["open", "half-open", "closed"].map((state) => ({ origin: server.origin, state })),
      );
    } finally {
      unsubscribe("toolweave.http.circuit", listen);
    }
  });

  it("HT41: is not called for longer if the probe fails, too", async () => {
    const { server } = await failing();
    await failTimes(10, server);
    const waits: unknown[] = [];
    for (let count = 0; count < 4; count++) {
      waits.push((await failure(ask(server))).retryAfterMs);
      vi.advanceTimersByTime(30_001);
      await failTimes(1, server);
    }
    expect(waits).toEqual([5_000, 10_000, 20_000, 30_000]);
    expect(server.sockets).toHaveLength(14);
  });

  it("HT41: does not affect another origin", async () => {
    const { server } = await failing();
    await failTimes(10, server);
    const other = await serve((_request, response) => void response.end());
    expect((await ask(other)).status).toBe(200);
  });

  it("HT41: does not affect another client", async () => {
    const server = await serve((request, response) => {
      if (request.url === "/crash") request.socket.destroy();
      else response.end();
    });
    const [bad, good] = [0, 1].map(() => httpClient({ givenOrigins: [server.origin] }));
    const crash = { method: "POST", url: `${server.origin}/crash` };
    for (let done = 0; done < 11; done++) await bad?.request(crash).catch(() => undefined);
    expect(server.requests).toHaveLength(10);
    expect((await good?.request({ method: "POST", url: `${server.origin}/` }))?.status).toBe(200);
  });

  it("HT41: is blocked for requests with one certificate, and not for those with another", () => {
    const circuits = new CircuitBreaker();
    const hop = (identity: object): Hop => ({ origin: "https://api.example", identity }) as Hop;
    const [refused, taken] = [hop({}), hop({})];
    for (let done = 0; done < 10; done++) circuits.fail(refused);
    expect(() => circuits.enter(refused)).toThrow("has not answered 10 times in a row");
    expect(circuits.enter(taken)).toBe("pass");
  });

  it("HT41: is probed again after a probe was cancelled", async () => {
    let isSilent = false;
    const server = await serveRaw((socket) => {
      if (!isSilent) socket.destroy();
    });
    await failTimes(10, server);
    vi.advanceTimersByTime(5_001);
    isSilent = true;
    const controller = new AbortController();
    const trying = failure(ask(server, controller.signal));
    await vi.waitFor(() => expect(server.sockets).toHaveLength(11), { timeout: 60_000 });
    controller.abort();
    expect((await trying).code).toBe("cancelled");
    isSilent = false;
    await failTimes(1, server);
    expect(server.sockets).toHaveLength(12);
  });

  it("HT41: counts a timeout after a second or more, and no answer with any status", async () => {
    let answers = 0;
    const server = await serve((_request, response) => {
      answers += 1;
      response.writeHead(503).end();
    });
    for (let count = 0; count < 12; count++) expect((await ask(server)).status).toBe(503);
    expect(answers).toBe(12);

    const silent = await serveRaw(() => undefined);
    const client = httpClient({ givenOrigins: [silent.origin], timeoutMs: 5 });
    const codes: string[] = [];
    for (const waitedMs of [...Array<number>(20).fill(999), ...Array<number>(11).fill(1_000)]) {
      const pending = failure(client.request({ method: "GET", url: silent.origin }));
      vi.advanceTimersByTime(waitedMs);
      codes.push((await pending).code);
    }
    expect(codes).toEqual([...Array<string>(30).fill("timeout"), "unavailable"]);
  });
});

/**
 * A server that answers the first request of each connection, and closes it when the second
 * arrives.
 */
async function stale(): Promise<{ server: TestServer; requests: string[] }> {
  const requests: string[] = [];
  const answered = new WeakSet<object>();
  const server = await serveRaw((socket, head) => {
    requests.push(head.split(" ", 1)[0] as string);
    if (answered.has(socket)) return void socket.destroy();
    answered.add(socket);
    socket.write("HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n");
  });
  return { server, requests };
}

/** The pool reuses a connection once the answer has been returned. */
function kept(): Promise<unknown> {
  return new Promise((resolve) => setImmediate(resolve));
}

describe("an idle connection that the server closes just as a request is sent", () => {
  it.each(["GET", "OPTIONS", "PUT", "DELETE"])("HT03: a %s is repeated, once", async (method) => {
    const { server, requests } = await stale();
    const client = httpClient({ givenOrigins: [server.origin] });
    await client.request({ method, url: server.origin });
    await kept();
    expect((await client.request({ method, url: server.origin })).status).toBe(200);
    expect(requests).toEqual([method, method, method]);
  });

  it("HT03: a POST is not sent twice", async () => {
    const { server, requests } = await stale();
    const client = httpClient({ givenOrigins: [server.origin] });
    await client.request({ method: "GET", url: server.origin });
    await kept();
    const error = await failure(client.request({ method: "POST", url: server.origin, body: "x" }));
    expect(error.code).toBe("unavailable");
    expect(requests).toEqual(["GET", "POST"]);
  });

  it("HT03: a connection that was opened for the request is not a keep-alive failure", async () => {
    const server = await serveRaw((socket) => socket.destroy());
    await failure(
      httpClient({ givenOrigins: [server.origin] }).request({ method: "GET", url: server.origin }),
    );
    expect(server.sockets).toHaveLength(1);
  });
});
