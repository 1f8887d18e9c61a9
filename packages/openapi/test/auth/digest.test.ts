import { createHash } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { ToolExecutor, ToolRegistry, type JsonObject } from "@toolweave/core";
import { startServer } from "@toolweave/test-support/start-server";
import auth from "http-auth";
import { describe, expect, onTestFinished, test } from "vitest";
import type { OpenApiSource } from "../../src/index.ts";
import { call, openSource, findTool } from "../support/call-tool.ts";

interface Exchange {
  readonly authorization: string | undefined;
  readonly status: number;
  readonly body: string;
}

type Listener = (request: IncomingMessage, response: ServerResponse, body: string) => void;

async function recording(exchanges: Exchange[], listener: Listener): Promise<string> {
  const server = createServer((request, response) => {
    void (async () => {
      let body = "";
      for await (const chunk of request) body += String(chunk);
      response.on("finish", () => {
        const { authorization } = request.headers;
        exchanges.push({ authorization, status: response.statusCode, body });
      });
      listener(request, response, body);
    })();
  });
  return startServer(server);
}

/** MD5 of name, realm and password, as in a server's password file. */
const known = createHash("md5").update("ada:museum:love, lace").digest("hex");

/** A server program with one user. */
async function digestServer(): Promise<{
  readonly origin: string;
  readonly exchanges: Exchange[];
}> {
  const exchanges: Exchange[] = [];
  const digest = auth.digest({ realm: "museum", algorithm: "MD5", qop: "auth" }, (name, done) =>
    done(name === "ada" ? known : undefined),
  );
  const check = digest.check((_request, response) => response.end('{"ok":true}'));
  const origin = await recording(exchanges, (request, response) => check(request, response));
  return { origin, exchanges };
}

const securitySchemes = { digest: { type: "http", scheme: "Digest" } };

async function source(
  origin: string,
  password = "love, lace",
  allowOrigins: readonly string[] = [],
): Promise<OpenApiSource> {
  const operation = (operationId: string): JsonObject => ({
    operationId,
    security: [{ digest: [] }],
    responses: {},
  });
  const opened = await openSource(
    {
      "/x": {
        get: { ...operation("read"), parameters: [{ name: "q", in: "query", schema: {} }] },
        post: { ...operation("write"), requestBody: { content: { "application/json": {} } } },
      },
    },
    {
      baseUrl: origin,
      allowOrigins,
      credentialOrigins: allowOrigins,
      auth: { basic: { username: "ada", password } },
    },
    {
      components: { securitySchemes },
    } as JsonObject,
  );
  onTestFinished(() => opened.close());
  return opened;
}

describe("http digest (RFC 7616)", () => {
  test("answers the first challenge, and further requests with its nonce", async () => {
    const { origin, exchanges } = await digestServer();
    const opened = await source(origin);
    for (const q of ["a b", "c&d"]) {
      expect(await call(findTool(opened, "read"), { q })).toMatchObject({ value: { ok: true } });
    }
    expect(exchanges.map(({ status }) => status)).toEqual([401, 200, 200]);
    expect(exchanges.map(({ authorization = "" }) => /nc=(\d+)/.exec(authorization)?.[1])).toEqual([
      undefined,
      "00000001",
      "00000002",
    ]);
    expect(exchanges[1]?.authorization).toContain('uri="/x?q=a%20b"');
  });

  test("answers a challenge only to its own origin", async () => {
    const [one, other] = [await digestServer(), await digestServer()];
    const operation = (url: string): JsonObject => ({
      get: { operationId: url, servers: [{ url }], security: [{ digest: [] }], responses: {} },
    });
    const opened = await openSource(
      { "/a": operation(one.origin), "/b": operation(other.origin) },
      {
        allowOrigins: [one.origin, other.origin],
        credentialOrigins: [one.origin, other.origin],
        auth: { basic: { username: "ada", password: "love, lace" } },
      },
      { components: { securitySchemes } } as unknown as JsonObject,
    );
    onTestFinished(() => opened.close());
    for (const tool of opened.tools()) await call(tool);
    for (const { exchanges } of [one, other]) {
      expect(exchanges.map(({ status }) => status)).toEqual([401, 200]);
      expect(exchanges[0]?.authorization).toBeUndefined();
    }
  });

  test("sends the body again with the answer", async () => {
    const { origin, exchanges } = await digestServer();
    const opened = await source(origin);
    expect(await call(findTool(opened, "write"), { body: { n: 1 } })).toMatchObject({
      value: { ok: true },
    });
    expect(exchanges.map(({ body }) => body)).toEqual(['{"n":1}', '{"n":1}']);
  });

  test("repeats a request whose nonce has become stale, once", async () => {
    let nonce = "one";
    const exchanges: Exchange[] = [];
    const origin = await recording(exchanges, ({ headers: { authorization = "" } }, response) => {
      if (authorization.includes(`nonce="${nonce}"`)) return void response.end("{}");
      const challenge = `Digest realm="m", qop="auth", algorithm=SHA-256, nonce="${nonce}", stale=true`;
      response.writeHead(401, { "www-authenticate": challenge }).end();
    });
    const opened = await source(origin);
    await call(findTool(opened, "read"));
    nonce = "two";
    await call(findTool(opened, "read"));
    expect(exchanges.map(({ status }) => status)).toEqual([401, 200, 401, 200]);
    expect(exchanges.at(-1)?.authorization).toMatch(/nc=00000001/);
  });

  test("tries a refused password once, and reveals nothing of it", async () => {
    const { origin, exchanges } = await digestServer();
    const opened = await source(origin, "wrong-PASSWORD-1");
    const output = await call(findTool(opened, "read"));
    expect(output.error?.message).toContain("credentials were refused");
    expect(exchanges.map(({ status }) => status)).toEqual([401, 401]);
    const response = /response="(\w+)"/.exec(exchanges[1]?.authorization ?? "")?.[1] ?? "";
    expect(response).not.toBe("");
    const seen = JSON.stringify([output, output.error?.message, opened.problems]);
    expect(seen).not.toContain("wrong-PASSWORD-1");
    expect(seen).not.toContain(response);
  });

  test("reveals no digest if an API repeats it", async () => {
    const challenge = 'Digest realm="m", qop="auth", algorithm=SHA-256, nonce="n"';
    const exchanges: Exchange[] = [];
    const origin = await recording(exchanges, ({ headers: { authorization } }, response) => {
      if (authorization === undefined) response.writeHead(401, { "www-authenticate": challenge });
      response.end(JSON.stringify({ authorization }));
    });
    const opened = await source(origin);
    const seen = JSON.stringify(await call(findTool(opened, "read")));
    const [, response = ""] = /response="(\w+)"/.exec(exchanges[1]?.authorization ?? "") ?? [];
    expect(response).toMatch(/^\w{64}$/);
    expect(seen).not.toContain(response);
    expect(seen).toContain("[redacted]");
  });

  test("reveals no digest of a later call", async () => {
    const challenge = 'Digest realm="m", qop="auth", algorithm=SHA-256, nonce="n"';
    const received: string[] = [];
    const origin = await recording([], ({ headers: { authorization } }, response) => {
      if (authorization === undefined) response.writeHead(401, { "www-authenticate": challenge });
      else received.push(authorization);
      response.end(JSON.stringify({ received }));
    });
    const registry = new ToolRegistry([await source(origin)]);
    await registry.ready;
    const executor = new ToolExecutor({ registry });
    const read = { name: "read", arguments: {} };
    await executor.execute({ id: "1", ...read });
    const seen = JSON.stringify(await executor.execute({ id: "2", ...read }));
    expect(received).toHaveLength(2);
    for (const one of received) {
      expect(seen).not.toContain(/response="(\w+)"/.exec(one)?.[1] ?? "");
    }
  });

  test("accepts no challenge of an origin to which the API redirects", async () => {
    const elsewhere = await recording([], (_request, response) => {
      const challenge = 'Digest realm="museum", qop="auth", nonce="n"';
      response.writeHead(401, { "www-authenticate": challenge }).end();
    });
    const exchanges: Exchange[] = [];
    const origin = await recording(exchanges, (_request, response) => {
      response.writeHead(302, { location: elsewhere }).end();
    });
    const opened = await source(origin, "love, lace", [elsewhere]);
    for (const _ of [1, 2]) await call(findTool(opened, "read"));
    expect(exchanges.map(({ authorization }) => authorization)).toEqual([undefined, undefined]);
  });

  test("ignores other kinds of challenges", async () => {
    const exchanges: Exchange[] = [];
    const origin = await recording(exchanges, (_request, response) => {
      response.writeHead(401, { "www-authenticate": 'Basic realm="m"' }).end();
    });
    const opened = await source(origin);
    await call(findTool(opened, "read"));
    expect(exchanges).toEqual([{ authorization: undefined, status: 401, body: "" }]);
  });
});
