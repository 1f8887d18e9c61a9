import type { Socket } from "node:net";
import { describe, expect, it } from "vitest";
import { httpClient } from "../../src/index.ts";
import { failure } from "../support/failure.ts";
import { closedPort, serve, serveRaw, socketClosed, type TestServer } from "../support/servers.ts";

const ok = "HTTP/1.1 200 OK\r\n";

function get(server: TestServer, method = "GET"): Promise<unknown> {
  const client = httpClient({ givenOrigins: [server.origin] });
  return client.request({ method, url: `${server.origin}/private/path?key=s3cret` });
}

describe("a server that misbehaves", () => {
  it("HT01: a reset before any answer is unavailable and may be retried", async () => {
    const server = await serveRaw((socket) => socket.resetAndDestroy());
    const error = await failure(get(server));
    expect(error).toMatchObject({ code: "unavailable", retryable: true });
    expect(error.message).toBe(`${server.origin} closed the connection without an answer.`);
  });

  it("HT01: after a POST the error says that it may have been carried out", async () => {
    const server = await serveRaw((socket) => socket.resetAndDestroy());
    const error = await failure(get(server, "POST"));
    expect(error.message).toContain("The POST may have been carried out all the same.");
  });

  it.each([
    ["resets the connection", (socket: Socket) => void socket.resetAndDestroy()],
    ["cuts its answer off", (socket: Socket) => void socket.end(`${ok}content-length: 9\r\n\r\n{`)],
  ])(
    "HT01: a POST may have been carried out even if the GET after it is the one that %s",
    async (_, act) => {
      const heads: string[] = [];
      const server = await serveRaw((socket, head) => {
        heads.push(head.split(" ", 1)[0] as string);
        if (heads.length > 1) return act(socket);
        socket.end("HTTP/1.1 303 See Other\r\nlocation: /receipt\r\ncontent-length: 0\r\n\r\n");
      });
      const error = await failure(get(server, "POST"));
      expect(error.message).toContain("The POST may have been carried out all the same.");
      expect(heads).toEqual(["POST", "GET"]);
    },
  );

  it("HT02: a close before any answer is unavailable", async () => {
    const server = await serveRaw((socket) => socket.end());
    expect((await failure(get(server))).code).toBe("unavailable");
  });

  it("HT04: a refused connection is unavailable and names only the origin", async () => {
    const port = await closedPort();
    const origin = `http://localhost:${port}`;
    const client = httpClient({ givenOrigins: [origin] });
    const error = await failure(
      client.request({ method: "GET", url: `${origin}/path?key=s3cret` }),
    );
    expect(error).toMatchObject({ code: "unavailable", retryable: true });
    expect(error.message).toBe(`${origin} could not be reached: it refused the connection.`);
  });

  it("HT06: a name that does not resolve is unavailable", async () => {
    const url = "https://no-such-host.invalid/path?key=s3cret";
    const error = await failure(httpClient().request({ method: "GET", url }));
    expect(error).toMatchObject({ code: "unavailable", retryable: true });
    expect(error.message).toMatch(
      /^https:\/\/no-such-host\.invalid could not be reached: its name [a-z ]+\.$/,
    );
  });

  it.each(["http://http://api.test/x", "https://https//api.test"])(
    "a URL with two schemes is unavailable, and the error says so: %s",
    async (url) => {
      const error = await failure(httpClient().request({ method: "GET", url }));
      expect(error.code).toBe("unavailable");
      expect(error.message).toContain("begins with a scheme twice. Write the scheme once.");
    },
  );

  it("a server without TLS at an https URL is unavailable and not retryable", async () => {
    const server = await serve((_request, response) => response.end());
    const origin = server.origin.replace("http:", "https:");
    const client = httpClient({ givenOrigins: [origin] });
    const error = await failure(client.request({ method: "GET", url: origin }));
    expect(error).toMatchObject({ code: "unavailable", retryable: false });
    expect(error.message).toContain(`No secure connection to ${origin}`);
  });

  it.each([
    ["HT13: a body shorter than its content-length", 'content-length: 100\r\n\r\n{"a":1'],
    [
      "HT14: a chunked body without its last chunk",
      "transfer-encoding: chunked\r\n\r\n5\r\nhello\r\n",
    ],
    [
      "HT14: a chunked body without its end on a closing connection",
      "connection: close\r\ntransfer-encoding: chunked\r\n\r\n5\r\nhello\r\n",
    ],
    ["HT14: a chunk cut in two", "transfer-encoding: chunked\r\n\r\n5\r\nhe"],
  ])("%s is upstream", async (_what, rest) => {
    const server = await serveRaw((socket) => socket.end(`HTTP/1.1 200 OK\r\n${rest}`));
    const error = await failure(get(server));
    expect(error.code).toBe("upstream");
    expect(error.message).toBe(`The answer of ${server.origin} was cut off before its end.`);
  });

  it("HT13: a reset in the middle of a body is upstream", async () => {
    const server = await serveRaw((socket) => {
      socket.write("HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nhalf", () =>
        setImmediate(() => socket.resetAndDestroy()),
      );
    });
    expect((await failure(get(server))).code).toBe("upstream");
  });

  it.each([
    [
      "HT16: content-length and transfer-encoding",
      "HTTP/1.1 200 OK\r\ncontent-length: 3\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n",
    ],
    [
      "HT16: two content-lengths",
      "HTTP/1.1 200 OK\r\ncontent-length: 3\r\ncontent-length: 5\r\n\r\nabcde",
    ],
    ["HT17: a garbage status line", "NOPE\r\n\r\n"],
    ["HT17: another protocol", "SSH-2.0-OpenSSH_9.2\r\n"],
    ["HT18: a flood of headers", `HTTP/1.1 200 OK\r\nx: ${"y".repeat(100_000)}\r\n\r\n`],
    ["a bad chunk size", "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n"],
    [
      "an unexpected 101",
      "HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n",
    ],
  ])("%s is upstream, and the connection is closed", async (_what, answer) => {
    const server = await serveRaw((socket) => socket.write(answer));
    const error = await failure(get(server));
    expect(error.code).toBe("upstream");
    expect(error.message).toContain(server.origin);
    expect(error.message).not.toContain("s3cret");
    await socketClosed(server);
  });

  it("HT45: informational responses are skipped", async () => {
    const server = await serveRaw((socket) =>
      socket.write(
        "HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\nHTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok",
      ),
    );
    expect(await get(server)).toMatchObject({ status: 200 });
  });

  it("HT45: endless informational responses are upstream", async () => {
    const server = await serveRaw((socket) =>
      socket.write("HTTP/1.1 103 Early Hints\r\n\r\n".repeat(1000)),
    );
    const error = await failure(get(server));
    expect(error.code).toBe("upstream");
    expect(error.message).toContain("informational");
  });

  it("HT46: trailers have no effect", async () => {
    const server = await serveRaw((socket) =>
      socket.write(
        "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n2\r\nok\r\n0\r\ngrpc-status: 0\r\n\r\n",
      ),
    );
    expect(await get(server)).toMatchObject({ status: 200 });
  });

  it("a header called __proto__ stays a header", async () => {
    const server = await serveRaw((socket) =>
      socket.write(
        "HTTP/1.1 200 OK\r\n__proto__: x\r\nconstructor: y\r\ncontent-length: 0\r\n\r\n",
      ),
    );
    const client = httpClient({ givenOrigins: [server.origin] });
    const { headers } = await client.request({ method: "GET", url: server.origin });
    expect(Object.entries(headers)).toEqual([
      ["__proto__", "x"],
      ["constructor", "y"],
      ["content-length", "0"],
    ]);
  });
});
