import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { httpClient, type HttpRequest } from "../../src/index.ts";
import { failure } from "../support/failure.ts";
import { readBody, serve, serveRaw } from "../support/servers.ts";

describe("a request", () => {
  it("sends method, path, query, headers and body as given", async () => {
    let body = "";
    const server = await serve((request, response) => {
      void readBody(request).then((text) => {
        body = text;
        response.end();
      });
    });
    await httpClient({ givenOrigins: [server.origin] }).request({
      method: "PATCH",
      url: `${server.origin}/a%2Fb/%7Bx%7D?q=1%202&r=a+b#part`,
      headers: { "X-Name": "caf\u00e9", "content-type": "application/json" },
      body: '{"name":"Grüße"}',
    });
    expect(server.requests[0]).toMatchObject({
      method: "PATCH",
      url: "/a%2Fb/%7Bx%7D?q=1%202&r=a+b",
      headers: {
        "x-name": "caf\u00e9",
        "content-type": "application/json",
        "content-length": "18",
        "user-agent": "toolweave",
      },
    });
    expect(body).toBe('{"name":"Grüße"}');
  });

  it("sends a method in its letter case, and no CONNECT in any", async () => {
    const lines: string[] = [];
    const server = await serveRaw((socket, head) => {
      lines.push(head.split("\r\n", 1)[0] as string);
      socket.end("HTTP/1.1 204 No Content\r\nconnection: close\r\n\r\n");
    });
    const client = httpClient({ givenOrigins: [server.origin] });
    for (const method of ["mkCol", "notify", "COPY", "patch"]) {
      const { status } = await client.request({ method, url: `${server.origin}/x` });
      expect(status).toBe(204);
    }
    expect(lines).toEqual([
      "mkCol /x HTTP/1.1",
      "notify /x HTTP/1.1",
      "COPY /x HTTP/1.1",
      "patch /x HTTP/1.1",
    ]);
    const error = await failure(client.request({ method: "Connect", url: server.origin }));
    expect(error.message).toBe('"Connect" is not a method that can be sent.');
  });

  it("accepts a URL object and bytes, and a body with any method", async () => {
    const bodies: string[] = [];
    const server = await serve((request, response) => {
      void readBody(request).then((text) => {
        bodies.push(`${request.method} ${text}`);
        response.end();
      });
    });
    const client = httpClient({ givenOrigins: [server.origin] });
    const bytes = new Uint8Array([0, 104, 105, 0]).subarray(1, 3);
    const url = new URL(server.origin);
    await client.request({ method: "GET", url, body: bytes });
    await client.request({ method: "DELETE", url, body: "x" });
    await client.request({ method: "POST", url, body: "" });
    expect(bodies).toEqual(["GET hi", "DELETE x", "POST "]);
  });

  it("lets the caller name its own user agent", async () => {
    const server = await serve((_request, response) => response.end());
    await httpClient({ givenOrigins: [server.origin] }).request({
      method: "GET",
      url: server.origin,
      headers: { "User-Agent": "museum/1" },
    });
    expect(server.requests[0]?.headers["user-agent"]).toBe("museum/1");
  });

  it.each<[string, Partial<HttpRequest>]>([
    ["a line break in a header value", { headers: { "x-a": "s3cret\r\nX-Injected: 1" } }],
    ["a lone line feed in a header value", { headers: { cookie: "s3cret\nb" } }],
    ["a NUL in a header value", { headers: { "x-a": "s3cret\0" } }],
    ["an escape character in a header value", { headers: { "x-a": "s3cret\u001b[0m" } }],
    ["a header value beyond Latin-1", { headers: { "x-a": "s3cret €" } }],
    ["a header value that is not a string", { headers: { "x-a": 5 as never } }],
    ["a line break in a header name", { headers: { "x-a\r\nX-Injected": "s3cret" } }],
    ["a space in a header name", { headers: { "x a": "s3cret" } }],
    ["an empty header name", { headers: { "": "s3cret" } }],
    ["its own host header", { headers: { Host: "s3cret" } }],
    ["its own content-length", { headers: { "Content-Length": "1" } }],
    ["its own transfer-encoding", { headers: { "transfer-encoding": "chunked" } }],
    ["its own connection header", { headers: { connection: "close" } }],
    ["an upgrade", { headers: { upgrade: "websocket" } }],
    ["a line break in the method", { method: "GET / HTTP/1.1\r\nX: s3cret" }],
    ["the method CONNECT", { method: "connect" }],
    ["no method", { method: "" }],
    ["a line break in the path", { url: "/a\r\nX: s3cret" }],
    ["a line break in the query", { url: "/?q=\nX: s3cret" }],
    ["a tab in the path", { url: "/a\ts3cret" }],
    ["a NUL in the path", { url: "/a\0s3cret" }],
  ])("SR14: with %s is refused before anything is sent", async (_what, part) => {
    const server = await serve((_request, response) => response.end());
    const client = httpClient({ givenOrigins: [server.origin] });
    const url = server.origin + String(part.url ?? "/");
    const error = await failure(client.request({ method: "GET", ...part, url }));
    expect(error).toMatchObject({ code: "invalid_arguments", audience: "model" });
    expect(error.message.split("is not a method")[0]).not.toMatch(/s3cret.*s3cret|\r|\n|\0/);
    expect(server.sockets).toEqual([]);
  });

  it("SR14: a refused header is named, its value is not repeated", async () => {
    const request = { method: "GET", url: "http://a.example/", headers: { "X-Key": "s3cret\n" } };
    const error = await failure(httpClient().request(request));
    expect(error.message).toContain("the header x-key");
    expect(error.message).not.toContain("s3cret");
  });

  it.each([
    { timeoutMs: -1 },
    { timeoutMs: Number.NaN },
    { timeoutMs: 2 ** 31 },
    { maxBytes: -1 },
    { maxRedirects: -1 },
  ])("a client with %j cannot be created", (options) => {
    expect(() => httpClient(options)).toThrow(/must be a number from 0/);
  });
});

describe("importing the package", () => {
  it("loads undici only with the first request", async () => {
    const script = `
      import { createRequire } from "node:module";
      const loaded = () => Object.keys(createRequire(import.meta.url).cache).some((file) => file.includes("undici"));
      const { httpClient } = await import("@toolweave/http");
      const client = httpClient();
      const before = loaded();
      await client.request({ method: "GET", url: "http://127.0.0.1/" }).catch(() => undefined);
      process.stdout.write(JSON.stringify([before, loaded()]));
    `;
    const { stdout } = await promisify(execFile)(
      process.execPath,
      ["--conditions=@toolweave/source", "--input-type=module", "--eval", script],
      { cwd: new URL(".", import.meta.url) },
    );
    expect(JSON.parse(stdout)).toEqual([false, true]);
  });
});
