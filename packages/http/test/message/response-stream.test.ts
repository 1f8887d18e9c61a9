import { gzipSync } from "node:zlib";
import { describe, expect, it, vi } from "vitest";
import { httpClient, type HttpResponse, type Streaming } from "../../src/index.ts";
import { failure } from "../support/failure.ts";
import { readBody, serve, socketClosed, type TestServer } from "../support/servers.ts";

const everything: Streaming = { accepts: () => true };

function open(
  server: TestServer,
  streaming: Streaming = everything,
  options: { timeoutMs?: number; maxBytes?: number; signal?: AbortSignal } = {},
): Promise<HttpResponse> {
  const { signal, ...rest } = options;
  const client = httpClient({ givenOrigins: [server.origin], ...rest });
  return client.request({ method: "GET", url: `${server.origin}/`, streaming, signal });
}

async function pieces(response: HttpResponse): Promise<string[]> {
  const all: string[] = [];
  for await (const chunk of response.stream ?? []) all.push(Buffer.from(chunk).toString());
  return all;
}

/** The reader of a stream. */
function createReader({ stream }: HttpResponse): AsyncIterator<Uint8Array> {
  if (stream === undefined) throw new Error("the answer is not streamed");
  return stream[Symbol.asyncIterator]();
}

async function readAll(response: HttpResponse): Promise<string> {
  return (await pieces(response)).join("");
}

describe("a streamed answer", () => {
  it("is returned as soon as its head has arrived, and its pieces as they are sent", async () => {
    let send = (_text: string): void => undefined;
    let finish = (): void => undefined;
    const server = await serve((_request, response) => {
      response.writeHead(200, { "content-type": "text/event-stream" }).flushHeaders();
      send = (text) => void response.write(text);
      finish = () => void response.end();
    });
    const response = await open(server);
    expect(response).toMatchObject({ status: 200, mediaType: "text/event-stream" });
    expect(response.body).toHaveLength(0);
    const reader = createReader(response);
    for (const text of ["one", "two"]) {
      send(text);
      expect(await reader.next()).toEqual({ done: false, value: Buffer.from(text) });
    }
    finish();
    expect((await reader.next()).done).toBe(true);
  });

  it("is decoded", async () => {
    const server = await serve((_request, response) => {
      response.setHeader("content-encoding", "gzip").end(gzipSync("line\n".repeat(100_000)));
    });
    expect(await readAll(await open(server))).toBe("line\n".repeat(100_000));
  });

  it("must be requested by the caller; other answers are complete", async () => {
    const server = await serve((_request, response) => {
      response.writeHead(404, { "content-type": "Text/Event-Stream; charset=utf-8" }).end("no");
    });
    const asked: unknown[] = [];
    const response = await open(server, {
      accepts: (...head) => {
        asked.push(head);
        return false;
      },
    });
    expect(asked).toEqual([[404, "text/event-stream"]]);
    expect(response.stream).toBeUndefined();
    expect(response.text()).toBe("no");
  });

  it("waits for a slow reader, and the server with it", async () => {
    const size = 8 * 1024 * 1024;
    let isDrained = false;
    const server = await serve((_request, response) => {
      response.write(Buffer.alloc(size));
      response.once("drain", () => {
        isDrained = true;
        response.end();
      });
    });
    const reader = createReader(await open(server));
    let step = await reader.next();
    await new Promise((resolve) => setImmediate(resolve));
    expect(isDrained).toBe(false);
    let length = 0;
    for (; step.done !== true; step = await reader.next()) length += step.value.length;
    expect(length).toBe(size);
  });

  it("is closed when its reader stops", async () => {
    const server = await serve((_request, response) => void response.write("first"));
    const seen: number[] = [];
    for await (const chunk of (await open(server)).stream ?? []) {
      seen.push(chunk.length);
      break;
    }
    await socketClosed(server);
    expect(seen).toEqual([5]);
  });

  it("HT38: ends with an error after the received pieces if it is interrupted", async () => {
    const server = await serve((_request, response) => {
      response.write("first", () => response.destroy());
    });
    const seen: string[] = [];
    const error = await failure(
      (async () => {
        for await (const chunk of (await open(server)).stream ?? [])
          seen.push(Buffer.from(chunk).toString());
      })(),
    );
    expect(seen).toEqual(["first"]);
    expect(error.code).toBe("upstream");
    expect(error.message).toBe(`The answer of ${server.origin} was cut off before its end.`);
  });

  it("HT39: ends with the caller's signal, including its socket", async () => {
    const server = await serve((_request, response) => void response.write("first"));
    const controller = new AbortController();
    const response = await open(server, everything, { signal: controller.signal });
    const reading = failure(readAll(response));
    controller.abort();
    expect((await reading).code).toBe("cancelled");
    await socketClosed(server);
  });

  it("is subject to the deadline of the client", async () => {
    const server = await serve((_request, response) => void response.write("first"));
    const error = await failure(readAll(await open(server, everything, { timeoutMs: 50 })));
    expect(error.code).toBe("timeout");
    await socketClosed(server);
  });

  it("with an idle limit may last as long as data arrives", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    try {
      let send = (): void => undefined;
      const server = await serve((_request, response) => {
        send = () => void response.write("x");
        response.flushHeaders();
      });
      const idle = { accepts: () => true, idleMs: 1_000 };
      const reader = createReader(await open(server, idle, { timeoutMs: 1_500 }));
      for (let count = 0; count < 5; count++) {
        const next = reader.next();
        vi.advanceTimersByTime(900);
        send();
        expect((await next).done).toBe(false);
      }
      const last = failure(reader.next());
      vi.advanceTimersByTime(1_001);
      expect(await last).toMatchObject({ code: "timeout" });
      expect((await last).message).toBe(`GET ${server.origin} sent nothing more for 1000 ms.`);
      await socketClosed(server);
    } finally {
      vi.useRealTimers();
    }
  });

  it("HT25: is subject to the limit of bytes after decoding", async () => {
    const server = await serve((_request, response) => {
      response.setHeader("content-encoding", "gzip").end(gzipSync(Buffer.alloc(1_000_000)));
    });
    const error = await failure(readAll(await open(server, everything, { maxBytes: 100_000 })));
    expect(error.code).toBe("upstream");
    expect(error.message).toContain("maxBytes");
  });

  it("may have its own limit in place of the client's", async () => {
    const server = await serve((_request, response) => void response.end("a".repeat(200_000)));
    const streaming = { ...everything, maxBytes: Infinity };
    expect(await readAll(await open(server, streaming, { maxBytes: 100_000 }))).toHaveLength(
      200_000,
    );
  });

  it("may be empty", async () => {
    const server = await serve((_request, response) => void response.writeHead(204).end());
    const response = await open(server);
    expect(response.status).toBe(204);
    expect(await pieces(response)).toEqual([]);
  });
});

describe("a body above the limit that may be truncated", () => {
  it("HT26: is its beginning, and the socket is closed", async () => {
    const server = await serve((_request, response) => {
      const more = (): void => {
        while (!response.destroyed && response.write(Buffer.alloc(65_536, "a")));
        if (!response.destroyed) response.once("drain", more);
      };
      more();
    });
    const client = httpClient({ givenOrigins: [server.origin], maxBytes: 100_000 });
    const response = await client.request({
      method: "GET",
      url: `${server.origin}/`,
      whenTooLarge: "cut",
    });
    expect(response).toMatchObject({ status: 200, truncated: true });
    expect(response.text()).toBe("a".repeat(100_000));
    await socketClosed(server);
  });

  it("is complete if it has exactly the limit of bytes", async () => {
    const server = await serve((_request, response) => void response.end("a".repeat(100)));
    const client = httpClient({ givenOrigins: [server.origin], maxBytes: 100 });
    const response = await client.request({
      method: "GET",
      url: `${server.origin}/`,
      whenTooLarge: "cut",
    });
    expect(response.truncated).toBeUndefined();
    expect(response.body).toHaveLength(100);
  });
});

async function* chunks(...texts: readonly string[]): AsyncGenerator<Uint8Array> {
  for (const text of texts) yield Buffer.from(text);
}

describe("a body that is a stream", () => {
  it.each([
    ["chunked", undefined, { "transfer-encoding": "chunked" }],
    ["with its length if that is known", 6, { "content-length": "6" }],
  ])("is sent %s", async (_how, bodyLength, headers) => {
    let received = "";
    const server = await serve(async (request, response) => {
      received = await readBody(request);
      response.end();
    });
    const client = httpClient({ givenOrigins: [server.origin] });
    const body = chunks("one", "two");
    await client.request({ method: "PUT", url: `${server.origin}/`, body, bodyLength });
    expect(received).toBe("onetwo");
    expect(server.requests[0]?.headers).toMatchObject(headers);
  });

  it("that fails is the host's error, and not the server's", async () => {
    const server = await serve((request) => void request.resume());
    const client = httpClient({ givenOrigins: [server.origin] });
    const broken = (async function* () {
      yield Buffer.from("one");
      throw new Error("the file is gone");
    })();
    const error = await failure(
      client.request({ method: "POST", url: `${server.origin}/`, body: broken }),
    );
    expect(error.code).toBe("execution_failed");
    await socketClosed(server);
  });

  it.each([5, 7])("with another length than %i bytes is the host's error", async (bodyLength) => {
    const server = await serve((request) => void request.resume());
    const client = httpClient({ givenOrigins: [server.origin] });
    const url = `${server.origin}/`;
    for (let done = 0; done < 11; done++) {
      const body = chunks("one", "two");
      const error = await failure(client.request({ method: "PUT", url, body, bodyLength }));
      // And it does not count as a failure of the server.
      expect(error).toMatchObject({ code: "internal", retryable: false });
    }
  });

  it("is not sent twice by a redirect", async () => {
    const server = await serve(async (request, response) => {
      await readBody(request);
      response.writeHead(307, { location: "/elsewhere" }).end();
    });
    const client = httpClient({ givenOrigins: [server.origin] });
    const error = await failure(
      client.request({ method: "POST", url: `${server.origin}/`, body: chunks("one") }),
    );
    expect(error).toMatchObject({ code: "upstream", status: 307 });
    expect(server.requests).toHaveLength(1);
  });
});

describe("a request outside of the pool", () => {
  it("is sent however many are running, and blocks no other", async () => {
    let open = 0;
    const server = await serve((request, response) => {
      if (request.url !== "/open") return void response.end("done");
      open += 1;
      response.writeHead(200, { "content-type": "text/event-stream" }).flushHeaders();
    });
    const client = httpClient({ givenOrigins: [server.origin] });
    const stream = (unqueued: boolean): Promise<HttpResponse> =>
      client.request({
        method: "GET",
        url: `${server.origin}/open`,
        streaming: everything,
        unqueued,
      });
    await Promise.all(Array.from({ length: 130 }, () => stream(true)));
    await Promise.all(Array.from({ length: 127 }, () => stream(false)));
    const answer = await client.request({ method: "GET", url: `${server.origin}/` });
    expect(answer.text()).toBe("done");
    expect(open).toBe(257);
    await client.close();
  });
});
