import { once } from "node:events";
import { request, type IncomingMessage } from "node:http";
import { connect, type Socket } from "node:net";
import { describe, expect, onTestFinished, test } from "vitest";
import { AllowedHosts, type NetworkRules } from "../../src/index.ts";
import { ForwardProxy } from "../../src/proxy.ts";
import { readBody, serve } from "../support/servers.ts";

const credentials = { username: "browser", password: "s3cret" };
const authorization = `Basic ${Buffer.from("browser:s3cret").toString("base64")}`;

interface OpenProxy {
  readonly proxy: ForwardProxy;
  readonly port: number;
  readonly refused: readonly string[];
}

/** Opens a proxy that needs credentials, and is closed when the test ends. */
async function openProxy(rules: NetworkRules): Promise<OpenProxy> {
  const hosts = new AllowedHosts("test", rules);
  const refused: string[] = [];
  const proxy = new ForwardProxy({
    getReach: (target) => hosts.getReach(target),
    onRefused: ({ hostname, port }) => refused.push(`${hostname}:${port}`),
    credentials,
  });
  const port = await proxy.listen();
  onTestFinished(() => proxy.close());
  return { proxy, port, refused };
}

async function send(
  port: number,
  url: string,
  headers: Readonly<Record<string, string>> = { "proxy-authorization": authorization },
): Promise<{ readonly answer: IncomingMessage; readonly body: string }> {
  const sent = request({ host: "127.0.0.1", port, path: url, headers, agent: false }).end();
  const [answer] = (await once(sent, "response")) as [IncomingMessage];
  return { answer, body: await readBody(answer) };
}

/** Asks for a tunnel, and resolves with the first line of the answer. */
async function openTunnel(
  port: number,
  target: string,
  headers = `Proxy-Authorization: ${authorization}\r\n`,
): Promise<{ readonly socket: Socket; readonly line: string | undefined }> {
  const socket = connect(port, "127.0.0.1");
  onTestFinished(() => void socket.destroy());
  socket.write(`CONNECT ${target} HTTP/1.1\r\nHost: ${target}\r\n${headers}\r\n`);
  const [head] = (await once(socket, "data")) as [Buffer];
  return { socket, line: head.toString().split("\r\n")[0] };
}

describe("a forward proxy", () => {
  test("sends requests to hosts of the list, without its own credentials", async () => {
    const server = await serve((_, response) => response.end("hello"));
    const { port } = await openProxy({ allowPrivate: [`127.0.0.1:${server.port}`] });
    const { answer, body } = await send(port, `${server.origin}/a?b=1`);
    expect([answer.statusCode, body]).toEqual([200, "hello"]);
    expect(server.requests[0]?.url).toBe("/a?b=1");
    expect(server.requests[0]?.headers).toMatchObject({ host: `127.0.0.1:${server.port}` });
    expect(server.requests[0]?.headers).not.toHaveProperty("proxy-authorization");
  });

  test("refuses other hosts, and private addresses of hosts on the list", async () => {
    const server = await serve((_, response) => response.end("hello"));
    const { port, refused } = await openProxy({ allow: [`localhost:${server.port}`] });
    const other = await send(port, `${server.origin}/`);
    expect(other.answer.statusCode).toBe(403);
    expect(other.body).toBe(`Connections to 127.0.0.1:${server.port} are not allowed.\n`);
    expect((await send(port, `http://localhost:${server.port}/`)).answer.statusCode).toBe(403);
    expect((await openTunnel(port, `127.0.0.1:${server.port}`)).line).toBe(
      "HTTP/1.1 403 Forbidden",
    );
    expect(refused).toEqual([
      `127.0.0.1:${server.port}`,
      `localhost:${server.port}`,
      `127.0.0.1:${server.port}`,
    ]);
    expect(server.sockets.length).toBe(0);
  });

  test("answers nothing without its credentials", async () => {
    const server = await serve((_, response) => response.end("hello"));
    const { port } = await openProxy({ allowPrivate: [`127.0.0.1:${server.port}`] });
    for (const headers of [{}, { "proxy-authorization": "Basic YTpi" }]) {
      const { answer } = await send(port, `${server.origin}/`, headers as Record<string, string>);
      expect(answer.statusCode).toBe(407);
      expect(answer.headers["proxy-authenticate"]).toMatch(/^Basic /);
    }
    expect((await openTunnel(port, `127.0.0.1:${server.port}`, "")).line).toBe(
      "HTTP/1.1 407 Proxy Authentication Required",
    );
    expect(server.sockets.length).toBe(0);
  });

  test.each(["", "127.0.0.1:1\0.example.com", "user@127.0.0.1:80", "[::1", "127.0.0.1:99999"])(
    "%j is no target of a tunnel",
    async (target) => {
      const { port, refused } = await openProxy({ allow: ["*"] });
      expect((await openTunnel(port, target)).line).toMatch(/^HTTP\/1\.1 400 /);
      expect(refused).toEqual([]);
    },
  );

  test("says that a host cannot be reached, which is no refusal", async () => {
    const { port, refused } = await openProxy({ allowPrivate: ["127.0.0.1:1"] });
    expect((await send(port, "http://127.0.0.1:1/")).answer.statusCode).toBe(502);
    expect((await openTunnel(port, "127.0.0.1:1")).line).toBe("HTTP/1.1 502 Bad Gateway");
    expect(refused).toEqual([]);
  });

  test("passes bytes on in both directions, until either side ends", async () => {
    const server = await serve((incoming, response) => incoming.pipe(response));
    const { port, proxy } = await openProxy({ allowPrivate: [`127.0.0.1:${server.port}`] });
    const { socket, line } = await openTunnel(port, `127.0.0.1:${server.port}`);
    expect(line).toBe("HTTP/1.1 200 Connection established");
    socket.write("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nhello");
    const [answer] = (await once(socket, "data")) as [Buffer];
    expect(answer.toString()).toMatch(/^HTTP\/1\.1 200 OK/);
    const ended = once(socket, "close");
    await proxy.close();
    await ended;
  });
});
