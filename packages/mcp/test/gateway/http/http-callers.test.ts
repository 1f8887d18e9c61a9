import { ToolExecutor, ToolRegistry } from "@toolweave/core";
import { createServer, type Server } from "node:http";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import {
  exportJWK,
  generateKeyPair,
  SignJWT,
  UnsecuredJWT,
  type CryptoKey,
  type JWK,
  type JWTPayload,
} from "jose";
import { afterEach, beforeAll, describe, expect, it, onTestFinished, vi } from "vitest";
import { serveMcp } from "../../../src/gateway/index.ts";
import { jwtCallers, type JwtOptions } from "../../../src/gateway/http/jwt-callers.ts";
import { ask, echo, listening, type Answered } from "../../support/open-listener.ts";

const issuer = "https://id.example.com";
const audience = "https://tools.example.com/mcp";
const publicUrl = audience;

interface Pair {
  readonly privateKey: CryptoKey;
  readonly jwk: JWK;
}

async function createKeyPair(kid: string, algorithm = "ES256"): Promise<Pair> {
  const { privateKey, publicKey } = await generateKeyPair(algorithm);
  return { privateKey, jwk: { ...(await exportJWK(publicKey)), kid, alg: algorithm } };
}

const claims: JWTPayload = {
  sub: "ada",
  scope: "tools read",
  client_id: "desk",
  roles: ["editor"],
};

let first: Pair;
let second: Pair;
let rsa: Pair;
beforeAll(async () => {
  [first, second, rsa] = await Promise.all([
    createKeyPair("1"),
    createKeyPair("2"),
    createKeyPair("3", "RS256"),
  ]);
});
afterEach(() => vi.useRealTimers());

/** A valid token, except for the given claims. */
function token(
  more: Readonly<Record<string, unknown>> = {},
  { privateKey, jwk }: Pair = first,
): Promise<string> {
  const { kid = "", alg = "" } = jwk;
  const now = Math.floor(Date.now() / 1000);
  return new SignJWT({ iss: issuer, aud: audience, exp: now + 60, ...claims, ...more })
    .setProtectedHeader({ alg, kid })
    .sign(privateKey);
}

const bearer = (sent: string): Record<string, string> => ({ authorization: `Bearer ${sent}` });

async function gatewayFor(
  more: Partial<JwtOptions> = {},
): Promise<(sent?: string) => Promise<Answered>> {
  const jwks = { keys: [first.jwk, rsa.jwk] };
  const callers = jwtCallers({ issuer, audience, jwks, scopes: ["tools"], ...more });
  const { url } = await listening(echo, { publicUrl, ...callers });
  return (sent) => ask(url, sent === undefined ? {} : { headers: bearer(sent) });
}

const readCaller = ({ body }: Answered): unknown =>
  (JSON.parse(body) as { caller: unknown }).caller;

describe("a token", () => {
  it("that is shared admits every client that has it", async () => {
    const shared = "a-long-token-of-thirty-two-chars";
    const { url } = await listening(echo, { token: shared });
    expect(readCaller(await ask(url, { headers: bearer(shared) }))).toEqual({ id: "token" });
    for (const wrong of [`${shared}x`, shared.slice(1), "a"]) {
      const { status, headers } = await ask(url, { headers: bearer(wrong) });
      expect(status).toBe(401);
      expect(headers["www-authenticate"]).toMatch(/^Bearer error="invalid_token"/);
      expect(headers["www-authenticate"]).not.toContain(shared);
    }
    const none = await ask(url);
    expect([none.status, none.headers["www-authenticate"]]).toEqual([401, "Bearer"]);
    expect((await ask(url, { headers: { authorization: `Basic ${shared}` } })).status).toBe(401);
    expect((await ask(`${url}?access_token=${shared}`)).status).toBe(401);
  });

  it("of the issuer names the caller", async () => {
    const asked = await gatewayFor();
    const ada = { id: "ada", roles: ["editor"], agent: "desk" };
    expect(readCaller(await asked(await token()))).toEqual(ada);
    expect(readCaller(await asked(await token({}, rsa)))).toEqual(ada);
    expect(readCaller(await asked(await token({ aud: ["https://x.test", audience] })))).toEqual(
      ada,
    );
    expect(readCaller(await asked(await token({ scope: undefined, scp: ["tools"] })))).toEqual(ada);
  });

  it.each<[string, () => Promise<string>]>([
    ["has expired", () => token({ exp: Math.floor(Date.now() / 1000) - 60 })],
    ["never expires", () => token({ exp: undefined })],
    ["is not valid yet", () => token({ nbf: Math.floor(Date.now() / 1000) + 120 })],
    ["MC28 is for another service", () => token({ aud: "https://other.example.com/mcp" })],
    ["MC28 has no audience", () => token({ aud: undefined })],
    ["comes from another issuer", () => token({ iss: "https://id.example.com.evil.test" })],
    ["names no subject", () => token({ sub: undefined })],
    ["is signed with a key that is not the issuer's", () => token({}, second)],
    ["is signed with another key than it declares", () => token({}, { ...second, jwk: first.jwk })],
    [
      "is not signed",
      async () => new UnsecuredJWT({ ...claims, iss: issuer, aud: audience }).encode(),
    ],
    [
      "is signed with the public key as a shared secret",
      () => {
        const secret = new TextEncoder().encode(JSON.stringify(first.jwk));
        const jwt = new SignJWT({ iss: issuer, aud: audience, exp: 9e9, ...claims });
        return jwt.setProtectedHeader({ alg: "HS256", kid: "1" }).sign(secret);
      },
    ],
    ["is none", async () => "a.b.c"],
    ["has been changed", async () => (await token()).replace(/\.[^.]+\./, ".e30.")],
    ["is endless", async () => "a".repeat(20_000)],
  ])("that %s is rejected", async (_, sent) => {
    const { status, headers, body } = await (await gatewayFor())(await sent());
    expect(status).toBe(401);
    expect(headers["www-authenticate"]).toContain('error="invalid_token"');
    expect(body).not.toContain("caller");
  });

  it("without the scope gets an error with the required scope and the metadata URL", async () => {
    const asked = await gatewayFor();
    const { status, headers } = await asked(await token({ scope: "read" }));
    expect(status).toBe(403);
    expect(headers["www-authenticate"]).toBe(
      'Bearer error="insufficient_scope", error_description="The token lacks: tools.", scope="tools", ' +
        'resource_metadata="https://tools.example.com/.well-known/oauth-protected-resource/mcp"',
    );
  });

  it("can be mapped to a caller by other claims, or rejected", async () => {
    const asked = await gatewayFor({
      callerOf: ({ email }) => (typeof email === "string" ? { id: email } : undefined),
    });
    expect(readCaller(await asked(await token({ email: "ada@example.com" })))).toEqual({
      id: "ada@example.com",
    });
    expect((await asked(await token())).status).toBe(401);
  });

  it.each([
    [{ audience: [] }, "audience must name"],
    [{ issuer: "" }, "issuer must name"],
    [{ algorithms: ["HS256"] }, 'not "HS256"'],
    [{ algorithms: ["none"] }, 'not "none"'],
    [{ algorithms: [] }, "algorithms takes"],
    [{ jwksUrl: "" }, "unknown option"],
    [{ jwks: "z" }, "jwks takes the URL of a key set"],
    [{ jwks: "ftp://id.example/jwks" }, "jwks takes the URL of a key set"],
    [{ jwks: {} }, "jwks takes the URL of a key set"],
    [{ jwks: undefined, issuer: "id" }, "jwks is missing, and issuer is no URL"],
  ])("cannot be checked with %j", (more, message) => {
    const options = { issuer, audience, jwks: { keys: [] }, ...more };
    expect(() => jwtCallers(options as never)).toThrow(message);
  });
});

describe("the metadata of the protected resource", () => {
  it("names the authorization server, and is linked in every rejection", async () => {
    const callers = jwtCallers({ issuer, audience, jwks: { keys: [] }, scopes: ["tools"] });
    const { url } = await listening(echo, { publicUrl, ...callers });
    const { headers } = await ask(url);
    expect(headers["www-authenticate"]).toBe(
      'Bearer scope="tools", resource_metadata="https://tools.example.com/.well-known/oauth-protected-resource/mcp"',
    );
    for (const path of [
      "/.well-known/oauth-protected-resource/mcp",
      "/.well-known/oauth-protected-resource",
    ]) {
      const { status, body } = await ask(new URL(path, url).href, { method: "GET" });
      expect(status).toBe(200);
      expect(JSON.parse(body)).toEqual({
        resource: publicUrl,
        authorization_servers: [issuer],
        scopes_supported: ["tools"],
        bearer_methods_supported: ["header"],
      });
    }
  });
});

/** An issuer's keys over HTTP, and the number of requests for them. */
async function keyServer(): Promise<{
  url: string;
  keys: JWK[] | undefined;
  asked: number;
  server: Server;
}> {
  const server = createServer((_, response) => {
    served.asked += 1;
    if (served.keys === undefined) return void response.writeHead(500).end();
    response.end(JSON.stringify({ keys: served.keys }));
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const served = {
    url: `http://127.0.0.1:${port}/jwks.json`,
    keys: [first.jwk],
    asked: 0,
    server,
  } as {
    url: string;
    keys: JWK[] | undefined;
    asked: number;
    server: Server;
  };
  return served;
}

describe("the keys of an issuer", () => {
  const minute = 60_000;
  const go = (ms: number): void => void vi.advanceTimersByTime(ms);

  it("are fetched once, and again when a token is signed with a new one", async () => {
    vi.useFakeTimers({ toFake: ["performance"] });
    const served = await keyServer();
    const asked = await gatewayFor({ jwks: served.url });
    const sent = await token();
    const answers = await Promise.all([1, 2, 3].map(() => asked(sent)));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(served.asked).toBe(1);
    served.keys = [first.jwk, second.jwk];
    go(minute);
    expect((await asked(await token({}, second))).status).toBe(200);
    expect(served.asked).toBe(2);
  });

  it("are not fetched more often if tokens name unknown keys", async () => {
    vi.useFakeTimers({ toFake: ["performance"] });
    const served = await keyServer();
    const asked = await gatewayFor({ jwks: served.url });
    const forged = await token({}, second);
    for (let count = 0; count < 5; count++) expect((await asked(forged)).status).toBe(401);
    expect(served.asked).toBe(1);
    go(minute);
    for (let count = 0; count < 5; count++) expect((await asked(forged)).status).toBe(401);
    expect(served.asked).toBe(2);
  });

  it("are used for an hour while the issuer fails; then every request is rejected", async () => {
    vi.useFakeTimers({ toFake: ["performance"] });
    const served = await keyServer();
    const asked = await gatewayFor({ jwks: served.url });
    const sent = await token();
    expect((await asked(sent)).status).toBe(200);
    served.keys = undefined;
    go(30 * minute);
    expect((await asked(sent)).status).toBe(200);
    go(31 * minute);
    expect(await asked(sent)).toMatchObject({ status: 503, headers: { "retry-after": "5" } });
    served.keys = [first.jwk];
    go(minute);
    expect((await asked(sent)).status).toBe(200);
  });

  it("that were revoked are accepted for ten minutes at most", async () => {
    vi.useFakeTimers({ toFake: ["performance"] });
    const served = await keyServer();
    const asked = await gatewayFor({ jwks: served.url });
    const sent = await token();
    expect((await asked(sent)).status).toBe(200);
    served.keys = [second.jwk];
    go(11 * minute);
    expect((await asked(sent)).status).toBe(401);
  });
});

describe("the metadata of an issuer", () => {
  /** An issuer with metadata at one of the places. */
  async function issuerAt(place: (path: string) => string, named?: string) {
    const server = createServer((request, response) => {
      const { port } = server.address() as AddressInfo;
      const own = `http://127.0.0.1:${port}/tenant`;
      if (request.url === "/keys") {
        return void response.end(JSON.stringify({ keys: [first.jwk] }));
      }
      if (request.url !== place("/tenant")) return void response.writeHead(404).end();
      const metadata = { issuer: named ?? own, jwks_uri: `http://127.0.0.1:${port}/keys` };
      response.end(JSON.stringify(metadata));
    });
    await once(server.listen(0, "127.0.0.1"), "listening");
    onTestFinished(() => void server.close());
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}/tenant`;
  }

  async function askWith(own: string): Promise<number> {
    const { url } = await listening(echo, { publicUrl, ...jwtCallers({ issuer: own, audience }) });
    return (await ask(url, { headers: bearer(await token({ iss: own })) })).status;
  }

  it.each<[string, (path: string) => string]>([
    ["OpenID Connect", (path) => `${path}/.well-known/openid-configuration`],
    ["RFC 8414", (path) => `/.well-known/oauth-authorization-server${path}`],
  ])("names its keys: %s", async (_, place) => {
    expect(await askWith(await issuerAt(place))).toBe(200);
  });

  it("of another issuer, or none, admits no caller", async () => {
    const place = (path: string): string => `${path}/.well-known/openid-configuration`;
    expect(await askWith(await issuerAt(place, "https://id.example.com"))).toBe(503);
    expect(await askWith(await issuerAt(() => "/elsewhere"))).toBe(503);
  });
});

describe("a session", () => {
  const initialize = {
    protocolVersion: "2025-06-18",
    capabilities: {},
    clientInfo: { name: "c", version: "1" },
  };

  it("MC30 belongs to its caller: other callers, agents, roles and requests without a caller get 404", async () => {
    const registry = new ToolRegistry([]);
    const gateway = serveMcp(registry, new ToolExecutor({ registry }));
    onTestFinished(() => gateway.close({ graceMs: 0 }));
    const { url } = await listening(gateway, {
      // "ada", or "ada as desk with editor".
      authenticate: ({ headers }) => {
        const [id, agent, role] = (headers.get("authorization") ?? "").split(/ as | with /);
        if (id === undefined || id === "") return undefined;
        return { id, ...(agent ? { agent } : {}), ...(role ? { roles: [role] } : {}) };
      },
    });
    const say = (who: string, method: string, session?: string): Promise<Answered> =>
      ask(url, {
        headers: {
          authorization: who,
          accept: "application/json, text/event-stream",
          "content-type": "application/json",
          ...(session === undefined ? {} : { "mcp-session-id": session }),
        },
        body: JSON.stringify({
          jsonrpc: "2.0",
          id: 1,
          method,
          params: method === "initialize" ? initialize : {},
        }),
      });
    const end = (who: string): Promise<Answered> =>
      ask(url, { method: "DELETE", headers: { authorization: who, "mcp-session-id": id } });
    const ada = "ada as desk with editor";
    const { headers } = await say(ada, "initialize");
    const id = String(headers["mcp-session-id"]);
    expect(id.length).toBeGreaterThan(20);
    expect((await say(ada, "ping", id)).status).toBe(200);
    for (const other of [
      "eve",
      "ada",
      "ada as bot with editor",
      "Like a session that never existed.",
    ]) {
      const stolen = await say(other, "ping", id);
      expect(stolen.status).toBe(404);
      // Just as one that there never was.
      expect(stolen.body).toBe((await say(other, "ping", "made-up")).body);
      expect((await end(other)).status).toBe(404);
    }
    expect((await say("", "ping", id)).status).toBe(401);
    expect((await say(ada, "ping", id)).status).toBe(200);
    expect((await end(ada)).status).toBe(200);
    expect((await say(ada, "ping", id)).status).toBe(404);
  });
});
