import { getEventListeners } from "node:events";
import { Agent } from "undici";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { GuardedHttpClient } from "../../src/http-client.ts";
import { httpClient } from "../../src/index.ts";
import { failure } from "../support/failure.ts";
import { serve, serveRaw, socketClosed, type TestServer } from "../support/servers.ts";

/** A server that sends the head and then a byte every few milliseconds, without end. */
function trickling(): Promise<TestServer> {
  return serve((_request, response) => {
    response.write("x");
    const timer = setInterval(() => response.write("x"), 5);
    response.on("close", () => clearInterval(timer));
  });
}

describe("the deadline", () => {
  it("HT10: ends a request that gets no answer, and closes its socket", async () => {
    const server = await serveRaw(() => undefined);
    const client = httpClient({ givenOrigins: [server.origin], timeoutMs: 50 });
    const error = await failure(client.request({ method: "GET", url: `${server.origin}/p?q=s` }));
    expect(error).toMatchObject({ code: "timeout", retryable: true });
    expect(error.message).toBe(`GET ${server.origin} took longer than 50 ms (timeoutMs).`);
    await socketClosed(server);
  });

  it("HT11: is total: slowly arriving bytes do not extend it", async () => {
    const server = await trickling();
    const client = httpClient({ givenOrigins: [server.origin], timeoutMs: 60 });
    const error = await failure(client.request({ method: "POST", url: server.origin }));
    expect(error.code).toBe("timeout");
    expect(error.message).toContain("The POST may have been carried out all the same.");
    await socketClosed(server);
  });

  it("covers all redirects together", async () => {
    const server = await serve((request, response) => {
      const wait = setTimeout(() => response.writeHead(302, { location: "/again" }).end(), 30);
      request.socket.on("close", () => clearTimeout(wait));
    });
    const client = httpClient({
      givenOrigins: [server.origin],
      timeoutMs: 70,
      maxRedirects: 1000,
    });
    expect((await failure(client.request({ method: "GET", url: server.origin }))).code).toBe(
      "timeout",
    );
  });

  it("HT05: ends a request that still waits for its connection", async () => {
    const agent = new Agent({ connect: () => undefined });
    onTestFinished(() => agent.destroy());
    const client = new GuardedHttpClient({ timeoutMs: 20 }, () => agent);
    const error = await failure(client.request({ method: "POST", url: "http://slow.example/" }));
    expect(error.code).toBe("timeout");
    expect(error.message).not.toContain("carried out");
  });

  it("of 0 means none, and no request leaves a timer behind", async () => {
    const set = vi.spyOn(globalThis, "setTimeout");
    const clear = vi.spyOn(globalThis, "clearTimeout");
    onTestFinished(() => void vi.restoreAllMocks());
    const server = await serve((_request, response) => response.end());
    const request = { method: "GET", url: server.origin };
    const timers = (): NodeJS.Timeout[] =>
      set.mock.calls.flatMap(([, delay], index) =>
        delay === 12_345 ? [set.mock.results[index]?.value as NodeJS.Timeout] : [],
      );
    await httpClient({ givenOrigins: [server.origin], timeoutMs: 0 }).request(request);
    expect(timers()).toEqual([]);
    await httpClient({ givenOrigins: [server.origin], timeoutMs: 12_345 }).request(request);
    expect(timers()).toHaveLength(1);
    expect(clear).toHaveBeenCalledWith(timers()[0]);
  });
});

describe("the caller's signal", () => {
  it("fired before the request: nothing is sent", async () => {
    const server = await serve((_request, response) => response.end());
    const client = httpClient({ givenOrigins: [server.origin] });
    const signal = AbortSignal.abort(new Error("enough"));
    const error = await failure(client.request({ method: "GET", url: server.origin, signal }));
    expect(error).toMatchObject({ code: "cancelled", cause: { message: "enough" } });
    expect(server.sockets).toEqual([]);
  });

  it("fired while no answer has come: the socket is closed", async () => {
    const abort = new AbortController();
    const server = await serveRaw(() => abort.abort());
    const client = httpClient({ givenOrigins: [server.origin] });
    const { signal } = abort;
    const error = await failure(client.request({ method: "GET", url: server.origin, signal }));
    expect(error).toMatchObject({ code: "cancelled", retryable: false });
    await socketClosed(server);
    expect(getEventListeners(signal, "abort")).toEqual([]);
  });

  it("HT39: fired in the middle of a body: the socket is closed", async () => {
    const abort = new AbortController();
    const server = await serve((_request, response) => {
      response.write("x".repeat(1000), () => setImmediate(() => abort.abort()));
    });
    const client = httpClient({ givenOrigins: [server.origin] });
    const { signal } = abort;
    const error = await failure(client.request({ method: "GET", url: server.origin, signal }));
    expect(error.code).toBe("cancelled");
    await socketClosed(server);
  });

  it("fired while the request waits for a connection: it is never sent", async () => {
    let connect: (() => void) | undefined;
    const server = await serve((_request, response) => response.end("ok"));
    const { buildConnector } = await import("undici");
    const real = buildConnector({});
    const agent = new Agent({
      connections: 1,
      connect: (options, callback) => {
        if (connect === undefined) connect = () => real(options, callback);
        else real(options, callback);
      },
    });
    onTestFinished(() => agent.destroy());
    const client = new GuardedHttpClient({ givenOrigins: [server.origin] }, () => agent);
    const abort = new AbortController();
    const given = client.request({
      method: "GET",
      url: `${server.origin}/given-up`,
      signal: abort.signal,
    });
    const kept = client.request({ method: "GET", url: `${server.origin}/kept` });
    const failed = failure(given);
    await vi.waitFor(() => expect(getEventListeners(abort.signal, "abort")).toHaveLength(1), {
      timeout: 60_000,
    });
    abort.abort();
    expect((await failed).code).toBe("cancelled");
    connect?.();
    expect((await kept).text()).toBe("ok");
    expect(server.requests.map((request) => request.url)).toEqual(["/kept"]);
  });

  it("RE06: has no listeners afterwards, and many requests on one signal cause no warning", async () => {
    const warnings: Error[] = [];
    const onWarning = (warning: Error): number => warnings.push(warning);
    process.on("warning", onWarning);
    onTestFinished(() => void process.off("warning", onWarning));
    const server = await serve((request, response) => {
      if (request.url === "/reset") request.socket.destroy();
      else if (request.url === "/move") response.writeHead(302, { location: "/" }).end();
      else response.end("ok");
    });
    const client = httpClient({ givenOrigins: [server.origin] });
    const { signal } = new AbortController();
    const paths = Array.from({ length: 600 }, (_, index) => ["/", "/move", "/reset"][index % 3]);
    await Promise.allSettled(
      paths.map((path) => client.request({ method: "GET", url: server.origin + path, signal })),
    );
    await failure(client.request({ method: "GET", url: "http://127.0.0.1:1/", signal }));
    await failure(client.request({ method: "GET", url: "nonsense", signal }));
    expect(getEventListeners(signal, "abort")).toEqual([]);
    expect(warnings).toEqual([]);
  });
});

describe("close", () => {
  it("cancels running requests, refuses later ones, and may be repeated", async () => {
    const server = await serveRaw((socket) => socket.emit("asked"));
    const client = httpClient({ givenOrigins: [server.origin] });
    const pending = failure(client.request({ method: "GET", url: server.origin }));
    await vi.waitFor(() => expect(server.sockets).toHaveLength(1), { timeout: 60_000 });
    await client.close();
    await client.close();
    expect(await pending).toMatchObject({ code: "cancelled" });
    await socketClosed(server);
    const late = await failure(client.request({ method: "GET", url: server.origin }));
    expect(late.code).toBe("cancelled");
    expect(late.message).toContain("the HTTP client is closed");
    expect(server.sockets).toHaveLength(1);
  });

  it("does not affect other clients of the same origin", async () => {
    const server = await serve((_request, response) => response.end("ok"));
    const options = { givenOrigins: [server.origin] };
    const [one, other] = [httpClient(options), httpClient(options)];
    await one.request({ method: "GET", url: server.origin });
    await one.close();
    const response = await other.request({ method: "GET", url: server.origin });
    expect(response.text()).toBe("ok");
  });

  it("is what `await using` calls", async () => {
    const server = await serve((_request, response) => response.end());
    const request = { method: "GET", url: server.origin };
    let escaped;
    {
      await using client = httpClient({ givenOrigins: [server.origin] });
      await client.request(request);
      escaped = client;
    }
    expect((await failure(escaped.request(request))).code).toBe("cancelled");
  });
});

describe("connections", () => {
  it("are reused and shared between clients", async () => {
    const server = await serve((_request, response) => response.end());
    for (let round = 0; round < 6; round++) {
      const client = httpClient({ givenOrigins: [server.origin] });
      await client.request({ method: "GET", url: server.origin });
      await client.close();
    }
    expect(server.requests).toHaveLength(6);
    expect(server.sockets.length).toBeLessThanOrEqual(2);
  });
});
