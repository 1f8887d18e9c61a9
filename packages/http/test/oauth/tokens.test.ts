import { visit } from "@toolweave/test-support/visit";
import { describe, expect, it } from "vitest";
import { oauthClient, type OAuthClient, type OAuthClientOptions } from "../../src/index.ts";
import { failure } from "../support/failure.ts";
import {
  authorizationServer,
  redirectUri,
  type AuthorizationServer,
} from "./support/authorization-server.ts";

const secret = "s3cret: with %, + & more";

function createClient(
  { http, discoveryUrl }: AuthorizationServer,
  options: Partial<OAuthClientOptions> = {},
): OAuthClient {
  return oauthClient({
    http,
    discoveryUrl,
    clientId: "app",
    redirectUri,
    scopes: ["openid"],
    ...options,
  });
}

function tokenRequests({ requests }: AuthorizationServer): number {
  return requests.filter((request) => request === "POST /token").length;
}

async function signedIn(client: OAuthClient) {
  const { url, state } = await client.beginAuthorization();
  return client.finishAuthorization(await visit(url), state);
}

describe("client credentials", () => {
  it("return a token, with a secret that needs encoding", async () => {
    const server = await authorizationServer();
    const client = createClient(server, {
      clientId: "shop",
      clientSecret: secret,
      scopes: ["read"],
    });
    const token = await client.clientCredentials();
    expect(token).toMatchObject({ type: "token", scopes: ["read"] });
    expect(token.refreshToken).toBeUndefined();
  });

  it("are requested once by simultaneous calls, and again by the next", async () => {
    const server = await authorizationServer();
    const client = createClient(server, {
      clientId: "shop",
      clientSecret: secret,
      scopes: ["read"],
    });
    const tokens = await Promise.all(Array.from({ length: 50 }, () => client.clientCredentials()));
    expect(new Set(tokens.map(({ accessToken }) => accessToken)).size).toBe(1);
    expect(tokenRequests(server)).toBe(1);
    await client.clientCredentials();
    expect(tokenRequests(server)).toBe(2);
    expect(server.requests.filter((request) => request.includes("well-known"))).toHaveLength(1);
  });

  it("are not lost for the others if one caller aborts", async () => {
    const server = await authorizationServer();
    const client = createClient(server, {
      clientId: "shop",
      clientSecret: secret,
      scopes: ["read"],
    });
    const leaving = new AbortController();
    const left = failure(client.clientCredentials(leaving.signal));
    const staying = client.clientCredentials(new AbortController().signal);
    leaving.abort();
    expect((await left).code).toBe("cancelled");
    expect((await staying).accessToken).not.toBe("");
    expect(tokenRequests(server)).toBe(1);
  });

  it("name the cause if the secret is wrong, without the secret", async () => {
    const server = await authorizationServer();
    const client = createClient(server, {
      clientId: "shop",
      clientSecret: "not-the-secret",
      scopes: ["read"],
    });
    const error = await failure(client.clientCredentials());
    expect(error).toMatchObject({ code: "upstream", audience: "host", status: 401 });
    expect(error.message).toContain("invalid_client");
    expect(JSON.stringify([error, error.cause])).not.toContain("not-the-secret");
  });
});

describe("a refresh", () => {
  it("replaces both tokens, and keeps the scopes", async () => {
    const server = await authorizationServer();
    const client = createClient(server, { scopes: ["openid", "read"] });
    const old = await signedIn(client);
    const token = await client.refresh(old);
    expect(token.accessToken).not.toBe(old.accessToken);
    expect(token.refreshToken).not.toBe(old.refreshToken);
    expect(token.scopes).toEqual(["openid", "read"]);
    expect(await server.isGood(token.accessToken)).toBe(true);
  });

  it("keeps the refresh token if the answer has none", async () => {
    const server = await authorizationServer({ rotateRefreshToken: false });
    const client = createClient(server);
    const old = await signedIn(client);
    const token = await client.refresh(old);
    expect(token.refreshToken).toBe(old.refreshToken);
    // The same refresh token with another access token is another credential.
    expect((await client.refresh(token)).accessToken).not.toBe(token.accessToken);
  });

  it("happens once for simultaneous calls, and for those that still have the old token", async () => {
    const server = await authorizationServer();
    const client = createClient(server);
    const old = await signedIn(client);
    const before = tokenRequests(server);
    const tokens = await Promise.all(Array.from({ length: 50 }, () => client.refresh({ ...old })));
    const late = await client.refresh(old);
    for (const token of tokens) expect(token).toEqual(late);
    expect(tokenRequests(server)).toBe(before + 1);
    // If the old one had been sent twice, the server would have ended the grant.
    expect(await server.isGood(late.accessToken)).toBe(true);
    const next = await client.refresh(late);
    expect(await client.refresh(old)).toEqual(next);
    expect(await server.isGood(next.accessToken)).toBe(true);
  });

  it("is sent with the newest refresh token even for a caller with the oldest", async () => {
    let now = Date.now();
    const server = await authorizationServer();
    const clock = { now: () => now, setTimeout, clearTimeout } as never;
    const client = createClient(server, { clock });
    const old = await signedIn(client);
    const second = await client.refresh(old);
    now += 599_000;
    const third = await client.refresh(old);
    expect(third.accessToken).not.toBe(second.accessToken);
    expect(await server.isGood(third.accessToken)).toBe(true);
  });

  it("keeps two sign-ins separate", async () => {
    const server = await authorizationServer();
    const client = createClient(server);
    const [ada, bob] = [await signedIn(client), await signedIn(client)];
    const [newAda, newBob] = await Promise.all([client.refresh(ada), client.refresh(bob)]);
    expect(newAda.accessToken).not.toBe(newBob.accessToken);
  });

  it("continues for the others, and for later calls, if its only caller aborts", async () => {
    const server = await authorizationServer();
    const client = createClient(server);
    const old = await signedIn(client);
    const before = tokenRequests(server);
    const leaving = new AbortController();
    const left = failure(client.refresh(old, leaving.signal));
    leaving.abort();
    expect((await left).code).toBe("cancelled");
    const token = await client.refresh(old);
    expect(tokenRequests(server)).toBe(before + 1);
    expect(await server.isGood(token.accessToken)).toBe(true);
  });

  it("may fail if no caller waits for it any more", async () => {
    const server = await authorizationServer();
    const client = createClient(server);
    const leaving = new AbortController();
    const token = { type: "token", accessToken: "a", refreshToken: "never-issued" } as const;
    const left = failure(client.refresh(token, leaving.signal));
    leaving.abort();
    expect((await left).code).toBe("cancelled");
    // It shares the running request, or makes its own.
    expect((await failure(client.refresh(token))).code).toBe("auth_required");
  });

  it("needs a person if the refresh token is invalid, or if there is none", async () => {
    const server = await authorizationServer();
    const client = createClient(server);
    const refreshToken = "never-issued-refresh-token";
    const token = { type: "token", accessToken: "gone", refreshToken } as const;
    const refused = await failure(client.refresh(token));
    expect(refused).toMatchObject({ code: "auth_required", audience: "user", retryable: false });
    expect(refused.message).toContain("invalid_grant");
    expect(refused.message).not.toContain(refreshToken);
    const without = await failure(client.refresh({ type: "token", accessToken: "gone" }));
    expect(without.code).toBe("auth_required");
  });

  it("does nothing for a caller that has already aborted", async () => {
    const server = await authorizationServer();
    const client = createClient(server);
    const token = { type: "token", accessToken: "a", refreshToken: "b" } as const;
    const error = await failure(client.refresh(token, AbortSignal.abort()));
    expect(error.code).toBe("cancelled");
    expect(server.requests).toEqual([]);
  });
});
