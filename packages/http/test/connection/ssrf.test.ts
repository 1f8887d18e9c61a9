import { buildConnector, Agent } from "undici";
import { describe, expect, it, onTestFinished } from "vitest";
import { guardedConnector } from "../../src/connection/guarded-connector.ts";
import { GuardedHttpClient } from "../../src/http-client.ts";
import { httpClient } from "../../src/index.ts";
import { failure } from "../support/failure.ts";
import { closedPort, serve } from "../support/servers.ts";

describe("the SSRF guard", () => {
  it.each([
    "127.0.0.1",
    "127.1",
    "2130706433",
    "0x7f000001",
    "0177.0.0.1",
    "0",
    "①②⑦.⓪.⓪.①",
    "localhost",
    "localhost.",
    "LOCALHOST",
    "[::1]",
    "[::ffff:127.0.0.1]",
    "[::127.0.0.1]",
    "[64:ff9b::7f00:1]",
    "[2002:7f00:1::]",
    "[2001:0::]",
  ])("SR01, SR02: %s is refused and reaches nothing", async (host) => {
    const server = await serve((_request, response) => response.end());
    const client = httpClient();
    const error = await failure(
      client.request({ method: "GET", url: `http://${host}:${server.port}/` }),
    );
    expect(error.code).toBe("permission_denied");
    expect(server.sockets).toEqual([]);
  });

  it("SR01: the error names the origin and the line to add", async () => {
    const error = await failure(
      httpClient().request({ method: "GET", url: "http://127.1:4010/items?key=s3cret" }),
    );
    expect(error.message).toBe(
      'http://127.0.0.1:4010 is a loopback address that the document chose, not you. To allow it: allowOrigins: ["http://127.0.0.1:4010"].',
    );
  });

  it.each([
    "169.254.169.254",
    "100.100.100.200",
    "168.63.129.16",
    "192.0.0.192",
    "[fd00:ec2::254]",
    "metadata.google.internal",
  ])("SR03: %s is refused, even if the host passed it", async (host) => {
    const url = `http://${host}/latest/meta-data`;
    for (const client of [httpClient(), httpClient({ givenOrigins: [`http://${host}`] })]) {
      const error = await failure(client.request({ method: "GET", url }));
      expect(error.code).toBe("permission_denied");
      expect(error.message).toContain("cloud metadata");
      expect(error.message).toContain(`allowOrigins: ["http://${host}"]`);
    }
  });

  it.each([
    "10.0.0.1",
    "172.16.0.1",
    "192.168.0.1",
    "100.64.0.1",
    "198.18.0.1",
    "224.0.0.1",
    "240.0.0.1",
    "[fc00::1]",
    "[fe80::1]",
    "[ff02::1]",
  ])("SR04: %s is refused", async (host) => {
    const error = await failure(httpClient().request({ method: "GET", url: `http://${host}/` }));
    expect(error).toMatchObject({ code: "permission_denied", retryable: false });
  });

  it.each([
    ["file:///etc/passwd", "permission_denied"],
    ["ftp://example.com/", "permission_denied"],
    ["gopher://example.com/", "permission_denied"],
    ["data:text/plain,hello", "permission_denied"],
    ["blob:https://example.com/1", "permission_denied"],
    ["unix:/run/docker.sock", "permission_denied"],
    ["ws://example.com/", "permission_denied"],
    ["/etc/passwd", "invalid_arguments"],
    ["", "invalid_arguments"],
  ])("SR10: %s is not requested", async (url, code) => {
    const error = await failure(httpClient().request({ method: "GET", url }));
    expect(error.code).toBe(code);
  });

  it.each([
    "http://allowed.com@127.0.0.1/",
    "http://user:s3cret@example.com/",
    "http://:s3cret@a.b/",
  ])("SR11: userinfo in %s is refused and not repeated", async (url) => {
    const error = await failure(httpClient().request({ method: "GET", url }));
    expect(error.code).toBe("permission_denied");
    expect(error.message).not.toMatch(/s3cret|allowed\.com/);
  });

  it("SR11: the host of the parser is the one that is checked", async () => {
    const server = await serve((_request, response) => response.end());
    const client = httpClient({ allowOrigins: ["http://allowed.example"] });
    for (const url of [
      `http://127.0.0.1:${server.port}#@allowed.example`,
      `http://127.0.0.1:${server.port}\\@allowed.example`,
      `http://127.0.0.1:${server.port}/@allowed.example`,
    ]) {
      expect((await failure(client.request({ method: "GET", url }))).code).toBe(
        "permission_denied",
      );
    }
    expect(server.sockets).toEqual([]);
  });

  it("SR12: an allowed origin is that origin only", async () => {
    const server = await serve((_request, response) => response.end("ok"));
    const { origin, port } = server;
    const client = httpClient({ allowOrigins: [origin] });
    for (const url of [
      `http://localhost:${port}/`,
      `http://127.0.0.2:${port}/`,
      `http://127.0.0.1:${await closedPort()}/`,
      `https://127.0.0.1:${port}/`,
    ]) {
      expect((await failure(client.request({ method: "GET", url }))).code).toBe(
        "permission_denied",
      );
    }
    expect(server.sockets).toEqual([]);
    expect((await client.request({ method: "GET", url: `${origin}/` })).text()).toBe("ok");
  });

  it("SR12: case and a trailing dot do not change an origin", async () => {
    const server = await serve((_request, response) => response.end("ok"));
    const client = httpClient({ allowOrigins: [`http://LocalHost.:${server.port}`] });
    for (const host of ["localhost", "LOCALHOST", "localhost."]) {
      const response = await client.request({
        method: "GET",
        url: `http://${host}:${server.port}/`,
      });
      expect(response.text()).toBe("ok");
    }
  });

  it.each([
    "not an origin",
    "127.0.0.1:80",
    "http://a.example/path",
    "http://a.example/?x",
    "http://a.example/?",
    "http://u@a.example",
    "ftp://a.example",
    "http://*.example/x",
  ])("SR12: the list entry %s is refused when the client is created", (entry) => {
    expect(() => httpClient({ allowOrigins: [entry] })).toThrow(/allowOrigins takes origins/);
    expect(() => httpClient({ givenOrigins: [entry] })).toThrow(/givenOrigins takes origins/);
  });

  it.each([22, 25, 444, 3306, 6379, 11211])(
    "SR13: port %d of a host that is not allowed is refused",
    async (port) => {
      const url = `http://example.com:${port}/`;
      const error = await failure(httpClient().request({ method: "GET", url }));
      expect(error.code).toBe("permission_denied");
      expect(error.message).toContain(`allowOrigins: ["http://example.com:${port}"]`);
    },
  );

  it("SR18: a socket of an allowed request is not used for requests without the permission", async () => {
    const server = await serve((_request, response) => response.end("ok"));
    const url = `${server.origin}/`;
    await httpClient({ allowOrigins: [server.origin] }).request({ method: "GET", url });
    const error = await failure(httpClient().request({ method: "GET", url }));
    expect(error.code).toBe("permission_denied");
    expect(server.requests).toHaveLength(1);
  });

  it("SR19: open and closed ports behind the guard look the same", async () => {
    const server = await serve((_request, response) => response.end());
    const ports = [server.port, await closedPort()];
    const texts = await Promise.all(
      ports.map(async (port) => {
        const url = `http://127.0.0.1:${port}/`;
        const { code, message } = await failure(httpClient().request({ method: "GET", url }));
        return `${code} ${message.replaceAll(String(port), "PORT")}`;
      }),
    );
    expect(texts[0]).toBe(texts[1]);
  });

  it("SR19: a name that resolves to an internal address is refused without the kind of the address", async () => {
    const agent = new Agent({
      connect: guardedConnector("public", {
        build: buildConnector,
        lookup: (_host, _options, callback) => callback(null, [{ address: "10.9.8.7", family: 4 }]),
      }),
    });
    onTestFinished(() => agent.destroy());
    const client = new GuardedHttpClient({}, () => agent);
    const error = await failure(
      client.request({ method: "GET", url: "http://intranet.example/a?b" }),
    );
    expect(error.code).toBe("permission_denied");
    expect(error.message).toBe(
      'http://intranet.example leads to an address that is not public, and the document chose it, not you. To allow it: allowOrigins: ["http://intranet.example"].',
    );
  });

  it("a name that resolves to a public address is reached through the guarded connector", async () => {
    const server = await serve((_request, response) => response.end("hello"));
    const agent = new Agent({
      connect: guardedConnector("public", {
        build: buildConnector,
        toAddressKind: () => undefined,
        lookup: (_host, _options, callback) =>
          callback(null, [{ address: "127.0.0.1", family: 4 }]),
      }),
    });
    onTestFinished(() => agent.destroy());
    const client = new GuardedHttpClient({}, () => agent);
    const response = await client.request({
      method: "GET",
      url: `http://public.example:${server.port}/`,
    });
    expect(response.text()).toBe("hello");
    expect(server.requests[0]?.headers.host).toBe(`public.example:${server.port}`);
  });
});
