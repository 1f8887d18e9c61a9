import { visit } from "@toolweave/test-support/visit";
import { describe, expect, it } from "vitest";
import { httpClient, oauthClient, type OAuthClientOptions } from "../../src/index.ts";
import { failure } from "../support/failure.ts";
import { authorizationServer, redirectUri } from "./support/authorization-server.ts";

async function signingIn(options: Partial<OAuthClientOptions> = {}) {
  const server = await authorizationServer();
  const { http, discoveryUrl } = server;
  const client = oauthClient({
    http,
    discoveryUrl,
    clientId: "app",
    redirectUri,
    scopes: ["openid"],
    ...options,
  });
  return { server, client };
}

describe("the authorization code flow", () => {
  it("returns a token that the server accepts, with the granted scopes", async () => {
    const { server, client } = await signingIn({ scopes: ["openid", "read"] });
    const { url, state } = await client.beginAuthorization();
    const token = await client.finishAuthorization(await visit(url), state);
    expect(token).toMatchObject({ type: "token", scopes: ["openid", "read"] });
    expect(token.expiresAt).toBeGreaterThan(Date.now() + 560_000);
    expect(token.expiresAt).toBeLessThanOrEqual(Date.now() + 570_000);
    expect(await server.isGood(token.accessToken)).toBe(true);
  });

  it("sends a challenge, a state and a nonce, none of which is the secret itself", async () => {
    const { client } = await signingIn({ scopes: ["openid"] });
    const { url, state } = await client.beginAuthorization();
    const sent = new URL(url).searchParams;
    expect(Object.fromEntries(sent)).toMatchObject({
      response_type: "code",
      client_id: "app",
      redirect_uri: redirectUri,
      scope: "openid",
      code_challenge_method: "S256",
      state: state["state"],
      nonce: state["nonce"],
    });
    expect(sent.get("code_challenge")).toMatch(/^[\w-]{43}$/);
    expect(url).not.toContain(state["verifier"]);
    expect(state["verifier"]).toMatch(/^[\w-]{43}$/);
  });

  it("is a different one each time", async () => {
    const { client } = await signingIn();
    const first = await client.beginAuthorization();
    const second = await client.beginAuthorization();
    for (const name of ["verifier", "state"])
      expect(first.state[name]).not.toBe(second.state[name]);
  });

  it("can be continued in another process, with the state serialized to JSON", async () => {
    const { server, client } = await signingIn();
    const { url, state } = await client.beginAuthorization();
    const { http, discoveryUrl } = server;
    const other = oauthClient({
      http,
      discoveryUrl,
      clientId: "app",
      redirectUri,
      scopes: ["openid"],
    });
    const restored = JSON.parse(JSON.stringify(state)) as typeof state;
    const token = await other.finishAuthorization(await visit(url), restored);
    expect(token.refreshToken).toBeTypeOf("string");
  });

  it("works with a secret in the header and with one in the body", async () => {
    for (const [clientId, clientSecret, clientAuthentication] of [
      ["shop", "s3cret: with %, + & more", undefined],
      ["poster", "posted-secret", "post"],
    ] as const) {
      const { client } = await signingIn({ clientId, clientSecret, clientAuthentication });
      const { url, state } = await client.beginAuthorization();
      const token = await client.finishAuthorization(await visit(url), state);
      expect(token.accessToken).not.toBe("");
    }
  });

  it("accepts a bare code if the server does not name itself in its answers", async () => {
    const server = await authorizationServer();
    const { http, origin } = server;
    const client = oauthClient({
      http,
      clientId: "app",
      redirectUri,
      scopes: ["openid"],
      authorizationUrl: `${origin}/auth`,
      tokenUrl: `${origin}/token`,
    });
    const { url, state } = await client.beginAuthorization();
    const code = new URL(await visit(url)).searchParams.get("code") ?? "";
    expect(await client.finishAuthorization(` ${code}\n`, state)).toMatchObject({ type: "token" });
    expect(server.requests).not.toContain("GET /.well-known/openid-configuration");
  });

  it("needs a new sign-in if the person declines", async () => {
    const { client } = await signingIn();
    const { url, state } = await client.beginAuthorization();
    const error = await failure(
      client.finishAuthorization(await visit(url, { aborts: true }), state),
    );
    expect(error).toMatchObject({ code: "auth_required", audience: "user" });
    expect(error.message).toContain('access_denied: "End-User aborted interaction"');
  });

  it("needs a new sign-in if the code was used before", async () => {
    const { client } = await signingIn();
    const { url, state } = await client.beginAuthorization();
    const answer = await visit(url);
    await client.finishAuthorization(answer, state);
    const error = await failure(client.finishAuthorization(answer, state));
    expect(error).toMatchObject({ code: "auth_required", retryable: false });
    expect(error.message).toContain("invalid_grant");
  });

  it("needs the verifier that belongs to the challenge", async () => {
    const { client } = await signingIn();
    const { url, state } = await client.beginAuthorization();
    const answer = await visit(url);
    const error = await failure(
      client.finishAuthorization(answer, { ...state, verifier: "A".repeat(43) }),
    );
    expect(error.code).toBe("auth_required");
  });
});

describe("an answer to a sign-in", () => {
  const changed = (answer: string, change: (url: URL) => void): string => {
    const url = new URL(answer);
    change(url);
    return url.href;
  };

  it.each<[string, (answer: string) => string]>([
    ["belongs to another sign-in", (a) => changed(a, (u) => u.searchParams.set("state", "x"))],
    ["belongs to another sign-in", (a) => changed(a, (u) => u.searchParams.delete("state"))],
    ['more than one "state"', (a) => changed(a, (u) => u.searchParams.append("state", "x"))],
    ['more than one "code"', (a) => changed(a, (u) => u.searchParams.append("code", "x"))],
    ["holds no code", (a) => changed(a, (u) => u.searchParams.delete("code"))],
    [
      "does not come from",
      (a) => changed(a, (u) => u.searchParams.set("iss", "https://b.example")),
    ],
    ["does not come from", (a) => changed(a, (u) => u.searchParams.delete("iss"))],
    ["not the address", (a) => changed(a, (u) => (u.pathname = "/other"))],
    ["not the address", (a) => changed(a, (u) => (u.port = "10"))],
    ["not the address", (a) => changed(a, (u) => u.searchParams.delete("app"))],
    ["is a part of an address", (a) => new URL(a).search],
    ["which server it was", (a) => new URL(a).searchParams.get("code") ?? ""],
    ["not a URL", () => "http://[::/"],
  ])("is refused if it %s", async (why, change) => {
    const { server, client } = await signingIn();
    const { url, state } = await client.beginAuthorization();
    const answer = await visit(url);
    const error = await failure(client.finishAuthorization(change(answer), state));
    expect(error.code).toBe("auth_required");
    expect(error.message).toContain(why);
    expect(server.requests).not.toContain("POST /token");
    // An attacker cannot use it, and the person can still continue.
    await client.finishAuthorization(answer, state);
  });

  it("may redirect to an application instead of a page", async () => {
    const redirectUri = "com.example.museum:/callback?app=1";
    const client = oauthClient({
      http: httpClient(),
      clientId: "app",
      redirectUri,
      authorizationUrl: "https://auth.example.com/authorize",
      tokenUrl: "http://127.0.0.1:9/token",
    });
    const { state } = await client.beginAuthorization();
    const said = (query: string) =>
      failure(client.finishAuthorization(`${redirectUri}&${query}`, state));
    const no = await said(`error=access_denied&state=${String(state["state"])}`);
    expect(no).toMatchObject({ code: "auth_required" });
    expect(no.message).toContain("The authorization server gave no token (access_denied)");
    expect((await said("code=a&state=b")).message).toContain("belongs to another sign-in");
    const busy = await said(`error=temporarily_unavailable&state=${String(state["state"])}`);
    expect(busy).toMatchObject({ code: "unavailable", retryable: true });
    const wrong = await said(`error=invalid%20scope&state=${String(state["state"])}`);
    expect(wrong).toMatchObject({ code: "upstream", audience: "host" });
  });

  it("is refused if the sign-in was begun at another server", async () => {
    const { client } = await signingIn();
    const other = await signingIn();
    const { url, state } = await client.beginAuthorization();
    const error = await failure(other.client.finishAuthorization(await visit(url), state));
    expect(error.code).toBe("auth_required");
    expect(error.message).toContain("another authorization server");
  });

  it("is a defect of the host if the state is invalid", async () => {
    const { client } = await signingIn();
    expect((await failure(client.finishAuthorization("code", {}))).code).toBe(
      "invalid_configuration",
    );
  });
});
