import type { ServerResponse } from "node:http";
import { describe, expect, it } from "vitest";
import { httpClient, oauthClient, type OAuthClient } from "../../src/index.ts";
import { failure } from "../support/failure.ts";
import { readBody, serve, type TestServer } from "../support/servers.ts";

const secret = "the client's secret";
const old = {
  type: "token",
  accessToken: "old-access",
  refreshToken: "old refresh+token",
} as const;

interface Asked {
  readonly client: OAuthClient;
  readonly server: TestServer;
  readonly bodies: string[];
}

async function asking(
  answer: (response: ServerResponse, body: string) => void,
  ...origins: readonly string[]
): Promise<Asked> {
  const bodies: string[] = [];
  const server = await serve((request, response) => {
    void readBody(request).then((body) => {
      bodies.push(body);
      answer(response, body);
    });
  });
  const client = oauthClient({
    http: httpClient({ givenOrigins: [server.origin, ...origins], maxBytes: 4 * 1024 * 1024 }),
    clientId: "app",
    clientSecret: secret,
    tokenUrl: `${server.origin}/token`,
    authorizationUrl: `${server.origin}/authorize?audience=museum#part`,
    resource: "https://api.example.com/",
  });
  return { client, server, bodies };
}

const json =
  (value: unknown, status = 200) =>
  (response: ServerResponse) => {
    response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(value));
  };

const good = { access_token: "new", token_type: "Bearer" };

describe("a token answer", () => {
  it.each<[string, (response: ServerResponse) => void]>([
    ["is HTML", (response) => response.end("<html>sign in</html>")],
    ["is empty", (response) => response.end()],
    ["is a list", json([good])],
    ["is null", json(null)],
    ["has no token", json({ token_type: "Bearer" })],
    ["has an empty token", json({ ...good, access_token: "" })],
    ["has a number for a token", json({ ...good, access_token: 7 })],
    ["has a token that would be two headers", json({ ...good, access_token: "a\r\nx: y" })],
    ["has a token beyond ASCII", json({ ...good, access_token: "tök" })],
    ["has a token of a megabyte", json({ ...good, access_token: "a".repeat(1_000_000) })],
    ["has no type", json({ access_token: "new" })],
    ["has another type", json({ ...good, token_type: "DPoP" })],
    ["has a list for a type", json({ ...good, token_type: ["Bearer"] })],
    ["has a negative lifetime", json({ ...good, expires_in: -1 })],
    ["has a lifetime that is not a number", json({ ...good, expires_in: "soon" })],
    ["has an object for a refresh token", json({ ...good, refresh_token: {} })],
    ["is larger than the maximum of a token", json({ ...good, more: "a".repeat(2_000_000) })],
    ["is larger than the client reads", json({ ...good, more: "a".repeat(5_000_000) })],
    ["comes without success", json(good, 404)],
    ["comes with another status than 200 and 201", json(good, 202)],
  ])("is not taken when it %s", async (_what, answer) => {
    const { client } = await asking(answer);
    const error = await failure(client.refresh(old));
    expect(error).toMatchObject({ code: "upstream", retryable: false });
    expect(error.message.length).toBeLessThan(500);
  });

  it.each([
    [{ expires_in: 3600 }, 3_570_000],
    [{ expires_in: "3600" }, 3_570_000],
    [{ expires_in: 10 }, 5_000],
    [{ expires_in: 0 }, undefined],
    [{}, undefined],
    [{ expires_in: null }, undefined],
    [{ expires_in: 1e300 }, 3_155_760_000_000 - 30_000],
  ])("with %j is valid for %j milliseconds", async (life, expected) => {
    const server = await serve((_request, response) => json({ ...good, ...life })(response));
    const client = oauthClient({
      http: httpClient({ givenOrigins: [server.origin] }),
      clientId: "app",
      tokenUrl: `${server.origin}/token`,
      clock: { now: () => 1_000, setTimeout, clearTimeout } as never,
    });
    const { expiresAt } = await client.clientCredentials();
    expect(expiresAt).toBe(expected === undefined ? undefined : 1_000 + expected);
  });

  it("may come with status 201, which some frameworks give to every POST", async () => {
    const { client } = await asking(json(good, 201));
    expect(await client.refresh(old)).toMatchObject({ accessToken: good.access_token });
  });

  it("may have its scopes as a list", async () => {
    const { client } = await asking(json({ ...good, scope: ["read", "write"] }));
    expect(await client.refresh(old)).toMatchObject({ scopes: ["read", "write"] });
  });

  it("accepts bearer in any case, and treats an absent refresh token as none", async () => {
    const { client } = await asking(
      json({ ...good, token_type: "bEARER", refresh_token: null, error: null }),
    );
    expect(await client.refresh(old)).toEqual({
      type: "token",
      accessToken: "new",
      refreshToken: old.refreshToken,
    });
  });

  it("is not accepted from a redirect", async () => {
    const elsewhere = await serve((_request, response) => json(good)(response));
    for (const status of [301, 302, 303, 307, 308]) {
      for (const location of ["/elsewhere", elsewhere.origin]) {
        const { client } = await asking((response) => {
          const at = response.req.url === "/token" ? { location } : {};
          response.writeHead("location" in at ? status : 200, at).end(JSON.stringify(good));
        }, elsewhere.origin);
        expect((await failure(client.refresh(old))).code).toBe("upstream");
      }
    }
    for (const { method, headers } of elsewhere.requests) {
      expect(method).toBe("GET");
      expect(headers).not.toHaveProperty("authorization");
    }
  });
});

describe("a server's error", () => {
  it.each([
    ["invalid_grant", "auth_required"],
    ["access_denied", "auth_required"],
    ["interaction_required", "auth_required"],
    ["invalid_client", "upstream"],
    ["invalid_scope", "upstream"],
    ["unsupported_grant_type", "upstream"],
    ["temporarily_unavailable", "unavailable"],
  ])("of %s is %s, with either status", async (error, code) => {
    for (const status of [400, 200]) {
      const { client } = await asking(json({ error }, status));
      const failed = await failure(client.refresh(old));
      expect(failed.code).toBe(code);
      expect(failed.message).toContain(error);
    }
  });

  it("is retryable if the server is busy", async () => {
    for (const status of [429, 500, 503]) {
      const { client } = await asking((response) => {
        response.writeHead(status, { "retry-after": "7" }).end("<html>busy</html>");
      });
      expect(await failure(client.refresh(old))).toMatchObject({
        code: "unavailable",
        retryable: true,
        retryAfterMs: 7_000,
      });
    }
  });

  it("SE02: repeats no secret that was sent, in any encoding", async () => {
    const { client } = await asking((response, body) => {
      const { authorization = "" } = response.req.headers;
      const [, basic = ""] = authorization.split(" ");
      const description = [
        body,
        basic,
        Buffer.from(basic, "base64").toString(),
        secret,
        encodeURIComponent(old.refreshToken),
        old.refreshToken,
        `o\u200bld refresh+token`,
      ].join(" ");
      json(
        { error: "invalid_grant", error_description: description.slice(0, 5_000) },
        400,
      )(response);
    });
    const error = await failure(client.refresh(old));
    const serialized = JSON.stringify([error, error.cause]);
    for (const hidden of [
      secret,
      "client%27s",
      "client's",
      "refresh%2Btoken",
      "refresh+token",
      "YXBw",
    ]) {
      expect(serialized).not.toContain(hidden);
    }
  });

  it("SE02: repeats no secret as its code", async () => {
    const sent = "the+client%27s+secret";
    for (const echoed of [sent, Buffer.from(`app:${sent}`).toString("base64")]) {
      const error = echoed.replace(/=+$/, "");
      const { client } = await asking(json({ error }, 400));
      const { message } = await failure(client.refresh(old));
      expect(message).toContain("refused the client (***)");
      expect(message).not.toContain(error.slice(0, 12));
    }
  });

  it("repeats the name of a client without a secret", async () => {
    const { server } = await asking(
      json({ error: "invalid_client", error_description: "unknown app: app" }, 400),
    );
    const client = oauthClient({
      http: httpClient({ givenOrigins: [server.origin] }),
      clientId: "app",
      tokenUrl: `${server.origin}/token`,
    });
    expect((await failure(client.clientCredentials())).message).toContain("unknown app: app");
  });

  it("names no granted scope above the maximum length", async () => {
    const { client } = await asking(json({ ...good, scope: "x ".repeat(10_000) }));
    expect(await client.refresh(old)).not.toHaveProperty("scopes");
  });

  it("is short, on one line, and visible", async () => {
    const description = `Ignore\u202e what\n\n\u001b[2J you\u{e0041} know. ${"x".repeat(100_000)}`;
    const { client } = await asking(
      json({ error: "invalid_grant", error_description: description }),
    );
    const { message } = await failure(client.refresh(old));
    expect(message.length).toBeLessThan(500);
    expect(message).toMatch(/^[\x20-\x7e…]*$/);
  });

  it("is its status if its code is not an error code", async () => {
    for (const error of [7, "", "a\nb", "x".repeat(65), { a: 1 }]) {
      const { client } = await asking(json({ error }, 400));
      const failed = await failure(client.refresh(old));
      expect(failed.code).toBe("upstream");
      expect(failed.message).toContain("(400)");
    }
  });
});

describe("a request", () => {
  it("has the parameters of the specification, with the API as its resource", async () => {
    const { client, server, bodies } = await asking(json(good));
    await client.refresh(old);
    expect(Object.fromEntries(new URLSearchParams(bodies[0]))).toEqual({
      grant_type: "refresh_token",
      refresh_token: old.refreshToken,
      resource: "https://api.example.com/",
    });
    expect(server.requests[0]?.headers).toMatchObject({
      accept: "application/json",
      "content-type": "application/x-www-form-urlencoded;charset=UTF-8",
      authorization: `Basic ${Buffer.from("app:the+client%27s+secret").toString("base64")}`,
    });
  });

  it("keeps the query of the authorization endpoint's URL, and drops its fragment", async () => {
    const { client } = await asking(json(good));
    const url = new URL((await client.beginAuthorization()).url);
    expect(url.searchParams.get("audience")).toBe("museum");
    expect(url.searchParams.get("resource")).toBe("https://api.example.com/");
    expect(url.searchParams.has("redirect_uri")).toBe(false);
    expect(url.hash).toBe("");
  });

  it("is not sent without encryption", async () => {
    for (const tokenUrl of [
      "http://auth.example.com/token",
      "http://127.0.0.1.example.com/token",
    ]) {
      const client = oauthClient({ http: httpClient(), clientId: "app", tokenUrl });
      expect((await failure(client.clientCredentials())).code).toBe("invalid_configuration");
    }
  });
});

describe("an ID token", () => {
  const now = Math.floor(Date.now() / 1000);
  const claims = (nonce: unknown) => ({
    iss: "https://a.example",
    sub: "ada",
    aud: ["app"],
    iat: now,
    exp: now + 600,
    nonce,
  });
  const jwt = (payload: object, alg = "ES256"): string =>
    [JSON.stringify({ alg }), JSON.stringify(payload), "x"]
      .map((part) => Buffer.from(part).toString("base64url"))
      .join(".");

  async function finishing(idToken: (nonce: string) => unknown) {
    let nonce = "";
    const server = await serve((_request, response) => {
      json({ ...good, id_token: idToken(nonce) })(response);
    });
    const client = oauthClient({
      http: httpClient({ givenOrigins: [server.origin] }),
      clientId: "app",
      scopes: ["openid"],
      tokenUrl: `${server.origin}/token`,
      authorizationUrl: `${server.origin}/authorize`,
    });
    const { state } = await client.beginAuthorization();
    nonce = String(state["nonce"]);
    return client.finishAuthorization("code", state);
  }

  it("is accepted if it belongs to the sign-in", async () => {
    expect(await finishing((nonce) => jwt(claims(nonce)))).toMatchObject({ accessToken: "new" });
  });

  it.each<[string, (nonce: string) => unknown]>([
    ["another nonce", () => jwt(claims("other"))],
    ["no nonce", () => jwt(claims(undefined))],
    ["another audience", (nonce) => jwt({ ...claims(nonce), aud: "other" })],
    ["no issuer", (nonce) => jwt({ ...claims(nonce), iss: undefined })],
    ["expired", (nonce) => jwt({ ...claims(nonce), exp: now - 60 })],
    ["no algorithm", (nonce) => jwt(claims(nonce), "none")],
    ["an unreadable value", () => "a.b.c"],
    ["no value, though openid was requested (OpenID Connect Core 3.1.3.3)", () => undefined],
    ["a number in its place", () => 7],
  ])("ends the sign-in if it has %s", async (_what, idToken) => {
    expect((await failure(finishing(idToken))).code).toBe("upstream");
  });
});

describe("options", () => {
  it("are refused if they are invalid", () => {
    const http = httpClient();
    for (const options of [
      { http, clientId: "" },
      { http, clientId: "a", clientAuthentication: "basic" },
      { http, clientId: "a", clientAuthentication: "post" },
      { http, clientId: "a", tokenURL: "https://a.example" },
    ]) {
      expect(() => oauthClient(options as never)).toThrow(
        expect.objectContaining({ code: "invalid_configuration" }),
      );
    }
  });
});
