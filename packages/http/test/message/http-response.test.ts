import { Buffer } from "node:buffer";
import {
  brotliCompressSync,
  constants,
  deflateRawSync,
  deflateSync,
  gzipSync,
  zstdCompressSync,
} from "node:zlib";
import { describe, expect, it } from "vitest";
import { httpClient, type HttpClientOptions, type HttpResponse } from "../../src/index.ts";
import { failure } from "../support/failure.ts";
import { serve, socketClosed, type TestServer } from "../support/servers.ts";

function get(server: TestServer, options?: HttpClientOptions): Promise<HttpResponse> {
  const client = httpClient({ givenOrigins: [server.origin], ...options });
  return client.request({ method: "GET", url: `${server.origin}/` });
}

function serveBytes(body: Uint8Array, headers: Record<string, string> = {}): Promise<TestServer> {
  return serve((_request, response) => response.writeHead(200, headers).end(body));
}

const text = "Grüße aus dem Museum. ".repeat(500);

describe("a response", () => {
  it("has status, reason, headers with lower-case names, media type and body", async () => {
    const server = await serve((_request, response) => {
      response.statusMessage = "Not Here";
      response.writeHead(404, {
        "Content-Type": "Application/Problem+JSON; charset=utf-8",
        "X-A": "1",
      });
      response.end('{"a":1}');
    });
    const response = await get(server);
    expect(response).toMatchObject({
      status: 404,
      statusText: "Not Here",
      url: `${server.origin}/`,
      mediaType: "application/problem+json",
      headers: { "x-a": "1" },
    });
    expect(response.text()).toBe('{"a":1}');
    expect([...response.body]).toEqual([...Buffer.from('{"a":1}')]);
  });

  it("keeps repeated headers, and set-cookie as a list even if there is one", async () => {
    const server = await serve((request, response) => {
      response.setHeader("set-cookie", request.url === "/" ? ["a=1"] : ["a=1", "b=2"]);
      response.setHeader("x-many", ["1", "2"]);
      response.end();
    });
    const one = await get(server);
    const client = httpClient({ givenOrigins: [server.origin] });
    const two = await client.request({ method: "GET", url: `${server.origin}/two` });
    expect(one.headers["set-cookie"]).toEqual(["a=1"]);
    expect(two.headers["set-cookie"]).toEqual(["a=1", "b=2"]);
    expect(one.headers["x-many"]).toEqual(["1", "2"]);
  });

  it("without content type has no media type", async () => {
    const response = await get(await serveBytes(Buffer.from("x")));
    expect(response.mediaType).toBeUndefined();
  });

  it("HT22: of HEAD, 204 and 304 has an empty body, whatever its headers say", async () => {
    const server = await serve((request, response) => {
      response.writeHead(Number(request.url?.slice(1)), {
        "content-encoding": "gzip",
        ...(request.method === "HEAD" ? { "content-length": "50000000" } : {}),
      });
      response.end();
    });
    const client = httpClient({ givenOrigins: [server.origin] });
    for (const [method, status] of [
      ["HEAD", 200],
      ["GET", 204],
      ["GET", 304],
      ["GET", 200],
    ] as const) {
      const response = await client.request({ method, url: `${server.origin}/${status}` });
      expect(response.status).toBe(status);
      expect(response.body).toHaveLength(0);
      expect(response.text()).toBe("");
    }
  });

  it.each([
    ["gzip", gzipSync(text)],
    ["x-gzip", gzipSync(text)],
    ["GZip", gzipSync(text)],
    ["deflate", deflateSync(text)],
    ["deflate", deflateRawSync(text)],
    ["br", brotliCompressSync(text)],
    ["zstd", zstdCompressSync(text)],
    ["identity", Buffer.from(text)],
  ])("in %s is decoded", async (encoding, body) => {
    const response = await get(await serveBytes(body, { "content-encoding": encoding }));
    expect(response.text()).toBe(text);
  });

  it("is decoded if it arrives byte by byte", async () => {
    const server = await serve((_request, response) => {
      response.writeHead(200, { "content-encoding": "deflate" });
      for (const byte of deflateRawSync("hello")) response.write(Buffer.of(byte));
      response.end();
    });
    expect((await get(server)).text()).toBe("hello");
  });

  it("is requested compressed unless the caller sets another encoding", async () => {
    const server = await serve((_request, response) => response.end());
    const client = httpClient({ givenOrigins: [server.origin] });
    await client.request({ method: "GET", url: server.origin });
    await client.request({
      method: "GET",
      url: server.origin,
      headers: { "Accept-Encoding": "identity" },
    });
    expect(server.requests.map((request) => request.headers["accept-encoding"])).toEqual([
      "gzip, deflate, br, zstd",
      "identity",
    ]);
  });

  it.each([
    ["data that is neither gzip nor text", "gzip", Buffer.of(1, 2, 3, 4)],
    ["cut-off gzip", "gzip", gzipSync(text).subarray(0, -20)],
    ["gzip with a wrong checksum", "gzip", withWrongChecksum(gzipSync(text))],
    ["cut-off brotli", "br", brotliCompressSync(text).subarray(0, 20)],
    ["cut-off zstd", "zstd", zstdCompressSync(text).subarray(0, 30)],
  ])("HT25: with %s is upstream", async (_what, encoding, body) => {
    const error = await failure(get(await serveBytes(body, { "content-encoding": encoding })));
    expect(error.code).toBe("upstream");
    expect(error.message).toContain("not what its content-encoding says");
  });

  it.each(["foo", "gzip, foo", "compress", "br, br, br, br, br, br"])(
    "HT25: encoded as %s is upstream",
    async (encoding) => {
      const server = await serveBytes(gzipSync(text), { "content-encoding": encoding });
      const error = await failure(get(server));
      expect(error.code).toBe("upstream");
      expect(error.message).toContain(JSON.stringify(encoding));
      expect(error.message).toContain('set `headers: {"accept-encoding": "identity"}`');
    },
  );

  it.each([
    ["gzip, br", brotliCompressSync(gzipSync(text))],
    ["br, gzip", gzipSync(brotliCompressSync(text))],
    ["gzip, gzip", gzipSync(gzipSync(text))],
    ["gzip,, identity ,deflate", deflateRawSync(gzipSync(text))],
    ["identity, GZIP", gzipSync(text)],
    ["aws-chunked,gzip", gzipSync(text)],
    ["aws-chunked", Buffer.from(text)],
    ["utf-8, gzip", gzipSync(text)],
  ])(
    "encoded as %s is decoded, the last coding first (RFC 9110, section 8.4)",
    async (encoding, body) => {
      expect((await get(await serveBytes(body, { "content-encoding": encoding }))).text()).toBe(
        text,
      );
    },
  );

  it("may name its codings in several lines", async () => {
    const server = await serve((_request, response) => {
      response.setHeader("content-encoding", ["gzip", "br"]);
      response.end(brotliCompressSync(gzipSync(text)));
    });
    expect((await get(server)).text()).toBe(text);
  });

  it.each(["utf-8", "UTF8", "none", "binary", "json", "application/json", "foo", ""])(
    "with the coding %j, which is none, is a plain body",
    async (encoding) => {
      const server = await serveBytes(Buffer.from(text), { "content-encoding": encoding });
      expect((await get(server)).text()).toBe(text);
    },
  );

  it.each(["gzip", "deflate", "br", "zstd", "gzip, br", "gzip, gzip"])(
    "that is labelled %s and is not encoded is a plain body, whatever its parts are",
    async (encoding) => {
      for (const plain of ["{}", '[1,2,"é"]', "hello", "x", "Hx^y", text]) {
        const server = await serve((_request, response) => {
          response.writeHead(200, { "content-encoding": encoding });
          const [first = 0, ...rest] = Buffer.from(plain);
          response.write(Buffer.of(first), () =>
            setImmediate(() => response.end(Buffer.from(rest))),
          );
        });
        expect((await get(server)).text()).toBe(plain);
      }
    },
  );

  it("that is labelled gzip and is a picture is the picture", async () => {
    const picture = Buffer.concat([Buffer.from("\x89PNG\r\n\x1a\n", "latin1"), Buffer.alloc(50)]);
    const server = await serveBytes(picture, { "content-encoding": "gzip" });
    expect([...(await get(server)).body]).toEqual([...picture]);
  });

  it("encoded twice is limited in each of its forms", async () => {
    // The file name in the header of the inner form is the only large part.
    const plain = gzipSync("short");
    const header = Buffer.from(plain.subarray(0, 10));
    header[3] = 8;
    const name = Buffer.from(`${"a".repeat(4 * 1024 * 1024)}\0`);
    const inner = Buffer.concat([header, name, plain.subarray(10)]);
    const server = await serveBytes(gzipSync(inner), { "content-encoding": "gzip, gzip" });
    const error = await failure(get(server, { maxBytes: 100_000 }));
    expect(error.message).toContain("more than 100000 bytes (maxBytes)");
  });

  it("HT25: with a zstd window that would cost much memory is upstream", async () => {
    const params = { [constants.ZSTD_c_windowLog]: 25 };
    const body = zstdCompressSync(Buffer.alloc(40_000_000), { params });
    const server = await serveBytes(body, { "content-encoding": "zstd" });
    const error = await failure(get(server, { maxBytes: Infinity }));
    expect(error.message).toContain("not what its content-encoding says");
  });

  const megabytes = (count: number): Buffer => Buffer.alloc(count * 1024 * 1024);
  it.each([
    ["gzip", gzipSync(megabytes(64))],
    ["br", brotliCompressSync(megabytes(16))],
    ["zstd", zstdCompressSync(megabytes(64), { params: { [constants.ZSTD_c_windowLog]: 20 } })],
  ])("RE04: a %s bomb stops at maxBytes and closes its socket", async (encoding, bomb) => {
    // Far more than are sent before the client has reached its limit, on a busy machine, too.
    const most = 100_000;
    let written = 0;
    const server = await serve((_request, response) => {
      response.writeHead(200, { "content-encoding": encoding });
      const more = (): void => {
        written++;
        if (!response.destroyed && written < most) response.write(bomb, () => setImmediate(more));
      };
      more();
    });
    const before = process.memoryUsage().arrayBuffers;
    const error = await failure(get(server, { maxBytes: 1024 * 1024 }));
    const grown = process.memoryUsage().arrayBuffers - before;
    expect(error).toMatchObject({ code: "upstream", status: 200 });
    expect(error.message).toContain("more than 1048576 bytes (maxBytes)");
    expect(grown).toBeLessThan(64 * 1024 * 1024);
    await socketClosed(server);
    expect(written).toBeLessThan(most);
  });

  it("HT26: an endless plain body stops at maxBytes and closes its socket", async () => {
    const server = await serve((_request, response) => {
      const chunk = Buffer.alloc(65_536);
      const more = (): void => {
        if (!response.destroyed) response.write(chunk, more);
      };
      more();
    });
    const error = await failure(get(server));
    expect(error.message).toContain("more than 10485760 bytes (maxBytes)");
    await socketClosed(server);
  });

  it("may have exactly maxBytes, compressed or not", async () => {
    const noise = Buffer.from(Array.from({ length: 5000 }, (_, index) => (index * 7919) % 251));
    const limits = { maxBytes: noise.length };
    expect((await get(await serveBytes(noise), limits)).body).toHaveLength(5000);
    const encoded = await serveBytes(gzipSync(noise, { level: 0 }), { "content-encoding": "gzip" });
    expect((await get(encoded, limits)).body).toHaveLength(5000);
    expect((await failure(get(encoded, { maxBytes: 4999 }))).code).toBe("upstream");
  });

  it.each([
    ["text/plain; charset=iso-8859-1", Buffer.from("Grüße", "latin1"), "Grüße"],
    ['text/plain; charset="UTF-8"', Buffer.from("Grüße"), "Grüße"],
    ["text/plain", Buffer.from("Grüße"), "Grüße"],
    ["application/json", Buffer.from("\ufeff{}"), "{}"],
    ["text/plain; charset=utf-16le", Buffer.from("Grüße", "utf16le"), "Grüße"],
    ["text/plain; charset=utf-8", Buffer.from("\ufeffGrüße", "utf16le"), "Grüße"],
    ["text/plain; charset=shift_jis", Buffer.of(0x83, 0x65, 0x83, 0x58, 0x83, 0x67), "テスト"],
    ["text/plain; charset=no-such-thing", Buffer.from("Grüße"), "Grüße"],
    ["application/json; charset=ISO-8859-1", Buffer.from('"’ü"'), '"’ü"'],
    ["text/plain; charset=windows-1252", Buffer.from("Grüße"), "Grüße"],
    ["application/json; charset=us-ascii", Buffer.from("Grüße"), "Grüße"],
    ["application/json; charset=utf-16", Buffer.from('{"a":"ü"}'), '{"a":"ü"}'],
    ["text/plain; charset=iso-2022-jp", Buffer.from("\x1b$B%F%9%H\x1b(B", "latin1"), "テスト"],
    ["application/json; charset=utf-16", Buffer.from('{"a":1}', "utf16le").swap16(), '{"a":1}'],
    ["application/json", Buffer.from('"ж"', "utf16le"), '"ж"'],
    ["application/json", Buffer.from('"ж"', "utf16le").swap16(), '"ж"'],
    ["application/json", Buffer.of(0, 0, 0, 0x22, 0, 1, 0xf4, 0xda, 0, 0, 0, 0x22), '"📚"'],
    ["application/json", Buffer.from('{"a":"ü"}', "utf16le"), '{"a":"ü"}'],
    ['text/plain; title="; charset=utf-16"; charset=latin1', Buffer.of(0xfc), "ü"],
    ["text/plain; charset", Buffer.from("ü"), "ü"],
  ])("as text honours mark and charset: %s", async (type, body, expected) => {
    const response = await get(await serveBytes(body, { "content-type": type }));
    expect(response.text()).toBe(expected);
  });

  it("of several chunks is one body", async () => {
    const server = await serve((_request, response) => {
      response.write("one ", () => setImmediate(() => response.end("two")));
    });
    const response = await get(server);
    expect(response.body).toHaveLength(7);
    expect(response.text()).toBe("one two");
  });
});

function withWrongChecksum(gzip: Buffer): Buffer {
  gzip[gzip.length - 6] = (gzip.at(-6) ?? 0) ^ 255;
  return gzip;
}
