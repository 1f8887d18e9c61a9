import { once } from "node:events";
import { connect } from "node:net";
import { describe, expect, it, vi } from "vitest";
import type { GatewayFetch } from "../../../src/gateway/http/http-options.ts";
import { listenHttp } from "../../../src/gateway/http/http-listener.ts";
import { ask, echo, listening } from "../../support/open-listener.ts";

describe("a gateway over HTTP", () => {
  it("listens on loopback, at a free port, under /mcp", async () => {
    const { url } = await listening();
    expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/mcp$/);
    expect(await ask(url, { body: "hello" })).toMatchObject({ status: 200 });
    expect((await ask(url.replace("/mcp", "/other"))).status).toBe(404);
  });

  it.each([
    [{ host: "0.0.0.0" }, "0.0.0.0 can be reached from other machines"],
    [{ host: "::" }, "can be reached from other machines"],
    [{ host: "192.168.1.4" }, "allowUnauthenticated"],
    [{ token: "short" }, "token must have at least 16 characters"],
    [{ token: "x".repeat(32), authenticate: () => undefined }, "set either token or authenticate"],
    [{ path: "mcp" }, 'use a path such as "/mcp"'],
    [{ allowedOrigins: ["https://a.test/page"] }, "allowedOrigins takes origins"],
    [{ publicUrl: "tools.test" }, "publicUrl takes an absolute URL"],
    [{ maxBodyBytes: 0 }, "maxBodyBytes is 0"],
    [{ hosts: [] }, 'unknown option "hosts"'],
  ])("refuses %j", async (options, message) => {
    await expect(listenHttp(echo, options as never)).rejects.toThrow(message);
  });

  it("listens for other machines only with a token or allowUnauthenticated", async () => {
    const open = await listening(echo, { host: "0.0.0.0", allowUnauthenticated: true });
    const port = new URL(open.url).port;
    expect((await ask(`http://127.0.0.1:${port}/mcp`)).status).toBe(200);
    const closed = await listening(echo, { host: "0.0.0.0", token: "t".repeat(32) });
    expect((await ask(closed.url)).status).toBe(401);
  });

  it("names the address on which it cannot listen", async () => {
    const { url } = await listening();
    const taken = listenHttp(echo, { port: Number(new URL(url).port) });
    await expect(taken).rejects.toMatchObject({
      code: "unavailable",
      message:
        /EADDRINUSE.*another program uses it\. End that program, or use another port; 0 is a free one\.$/,
    });
  });

  it("does not send internal errors to clients", async () => {
    const { url } = await listening({ fetch: () => Promise.reject(new Error("key=s3cret")) });
    const { status, body } = await ask(url);
    expect(status).toBe(500);
    expect(body).not.toContain("s3cret");
  });
});

describe("a request", () => {
  it("is rejected above the size limit, with or without content-length", async () => {
    const fetch = vi.fn<GatewayFetch["fetch"]>(echo.fetch);
    const { url } = await listening({ fetch }, { maxBodyBytes: 1_000 });
    const headers = { "content-length": "2000" };
    expect((await ask(url, { headers, body: "x".repeat(2_000) })).status).toBe(413);
    const chunked = { "transfer-encoding": "chunked" };
    expect((await ask(url, { headers: chunked, body: "x".repeat(2_000) })).status).toBe(413);
    expect(fetch).not.toHaveBeenCalled();
    expect((await ask(url, { body: "x".repeat(1_000) })).status).toBe(200);
  });

  it("counts towards the caller's limit of concurrent requests", async () => {
    let finish: (() => void) | undefined;
    const held = new Promise<void>((resolve) => (finish = resolve));
    const fetch = vi.fn<GatewayFetch["fetch"]>(async () => {
      await held;
      return new Response("done");
    });
    const { url } = await listening({ fetch }, { maxRequestsPerCaller: 2 });
    const both = [ask(url), ask(url)];
    await vi.waitFor(() => expect(fetch).toHaveBeenCalledTimes(2), 60_000);
    expect(await ask(url)).toMatchObject({ status: 429, headers: { "retry-after": "1" } });
    finish?.();
    await Promise.all(both);
    expect((await ask(url)).status).toBe(200);
  });

  it("is not counted any more when the client disconnects during authentication", async () => {
    let leaves = true;
    let asked = 0;
    let gone = 0;
    const authenticate = async ({ signal }: Request): Promise<{ id: string }> => {
      asked += 1;
      if (leaves) await once(signal, "abort");
      gone += 1;
      return { id: "ada" };
    };
    const { url } = await listening(echo, { authenticate, maxRequestsPerCaller: 2 });
    const given = new AbortController();
    const { signal } = given;
    const left = Array.from({ length: 2 }, () => fetch(url, { method: "POST", signal }));
    await vi.waitFor(() => expect(asked).toBe(2), 60_000);
    given.abort();
    await Promise.allSettled(left);
    await vi.waitFor(() => expect(gone).toBe(2), 60_000);
    leaves = false;
    expect((await ask(url)).status).toBe(200);
  });
});

describe("pipelined requests", () => {
  it("close their connection, and do not count towards limits", async () => {
    let cancelled = 0;
    const held = async ({ signal }: Request): Promise<Response> => {
      await once(signal, "abort");
      cancelled += 1;
      return new Response("too late");
    };
    const fetch = async (request: Request): Promise<Response> =>
      request.headers.has("x-held") ? held(request) : new Response("done");
    const { url } = await listening({ fetch }, { maxRequestsPerCaller: 5 });
    const { port, host } = new URL(url);
    const post = (more = ""): string =>
      `POST /mcp HTTP/1.1\r\nHost: ${host}\r\n${more}Content-Length: 0\r\n\r\n`;
    const socket = connect(Number(port), "127.0.0.1").resume();
    socket.on("error", () => {});
    socket.write(post("X-Held: 1\r\n") + post().repeat(20));
    await once(socket, "close");
    await vi.waitFor(() => expect(cancelled).toBe(1), 60_000);
    expect((await ask(url)).status).toBe(200);
    await Promise.all(
      Array.from({ length: 5 }, async () => expect((await ask(url)).status).toBe(200)),
    );
  });

  it("are answered if they are sent in sequence on one connection", async () => {
    const { url } = await listening({ fetch: async () => new Response("done") });
    const { port, host } = new URL(url);
    const socket = connect(Number(port), "127.0.0.1").setEncoding("utf8");
    for (let time = 0; time < 20; time++) {
      let text = "";
      const answered = new Promise<void>((resolve) => {
        socket.removeAllListeners("data").on("data", (part: string) => {
          text += part;
          if (text.endsWith("\r\n0\r\n\r\n")) resolve();
        });
      });
      socket.write(`POST /mcp HTTP/1.1\r\nHost: ${host}\r\nContent-Length: 2\r\n\r\n{}`);
      await answered;
      expect(text).toContain("200 OK");
    }
    socket.destroy();
  });
});

describe("an answer", () => {
  it("is streamed, and its producer is cancelled when the client disconnects", async () => {
    const cancelled = vi.fn<() => void>();
    let signal: AbortSignal | undefined;
    const fetch = async (request: Request): Promise<Response> => {
      signal = request.signal;
      const start = (stream: ReadableStreamDefaultController): void =>
        stream.enqueue(new TextEncoder().encode("data: 1\n\n"));
      const headers = { "content-type": "text/event-stream" };
      return new Response(new ReadableStream({ start, cancel: cancelled }), { headers });
    };
    const { url } = await listening({ fetch });
    const leaving = new AbortController();
    const response = await globalThis.fetch(url, { method: "POST", signal: leaving.signal });
    const first = await response.body?.getReader().read();
    expect(new TextDecoder().decode(first?.value)).toBe("data: 1\n\n");
    leaving.abort();
    await vi.waitFor(() => expect(cancelled).toHaveBeenCalledOnce(), 60_000);
    expect(signal?.aborted).toBe(true);
  });

  it("is produced with backpressure", async () => {
    let made = 0;
    const part = new Uint8Array(256 * 1024);
    const body = new ReadableStream({
      pull(stream) {
        made += 1;
        if (made > 400) stream.close();
        else stream.enqueue(part);
      },
    });
    const { url } = await listening({ fetch: async () => new Response(body) });
    const { port, host } = new URL(url);
    const socket = connect(Number(port), "127.0.0.1").pause();
    await once(socket, "connect");
    socket.write(`POST /mcp HTTP/1.1\r\nHost: ${host}\r\nContent-Length: 0\r\n\r\n`);
    // Until the buffers are full: no part is produced between two checks.
    let before = -1;
    await vi.waitFor(
      () => {
        const last = before;
        before = made;
        expect(made).toBe(last);
        expect(made).toBeGreaterThan(0);
      },
      { interval: 200, timeout: 60_000 },
    );
    expect(made).toBeLessThan(300);
    socket.resume();
    await vi.waitFor(() => expect(made).toBe(401), { timeout: 60_000 });
    socket.destroy();
  });
});

describe("closing", () => {
  it("ends streams, lets calls finish, answers 503 to others meanwhile, and then listens no more", async () => {
    let finish: (() => void) | undefined;
    const held = new Promise<void>((resolve) => (finish = resolve));
    const fetch = vi.fn<GatewayFetch["fetch"]>(async ({ method }: Request) => {
      if (method === "GET") return new Response(new ReadableStream({}));
      await held;
      return new Response("done");
    });
    const { url, close } = await listening({ fetch }).then((listener) => ({
      url: listener.url,
      close: listener.close.bind(listener),
    }));
    const stream = ask(url, { method: "GET" });
    const call = ask(url);
    await vi.waitFor(() => expect(fetch).toHaveBeenCalledTimes(2), 60_000);
    const closed = close();
    expect((await stream).status).toBe(200);
    expect((await ask(url)).status).toBe(503);
    expect(fetch).toHaveBeenCalledTimes(2);
    finish?.();
    expect(await call).toMatchObject({ status: 200, body: "done" });
    await closed;
    await expect(ask(url)).rejects.toMatchObject({ code: "ECONNREFUSED" });
  });

  it("aborts requests that do not end in time", async () => {
    let signal: AbortSignal | undefined;
    const listener = await listening({
      fetch: (request) => {
        signal = request.signal;
        return new Promise(() => {});
      },
    });
    const call = ask(listener.url);
    call.catch(() => {});
    await vi.waitFor(() => expect(signal).toBeDefined(), 60_000);
    await listener.close(10);
    await expect(call).rejects.toMatchObject({ code: "ECONNRESET" });
    expect(signal?.aborted).toBe(true);
  });
});
