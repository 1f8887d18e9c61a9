import { createPublicKey, generateKeyPairSync, verify } from "node:crypto";
import type { ServerResponse } from "node:http";
import { describe, expect, it } from "vitest";
import {
  httpClient,
  oauthClient,
  OAuthRefusal,
  registerClient,
  type ClientRegistration,
  type OAuthClientOptions,
} from "../../src/index.ts";
import { failure } from "../support/failure.ts";
import { readBody, serve } from "../support/servers.ts";

const redirectUri = "http://127.0.0.1:8976/callback";

/** A server with one answer to every request, and the bodies that it has received. */
async function answering(
  answer: (response: ServerResponse) => void,
  members: Record<string, string[]> = {},
) {
  const bodies: string[] = [];
  const server = await serve((request, response) => {
    void readBody(request).then((body) => {
      bodies.push(body);
      answer(response);
    });
  });
  const { origin } = server;
  const metadata = {
    issuer: origin,
    token_endpoint: `${origin}/token`,
    registration_endpoint: `${origin}/register`,
    ...members,
  };
  return { bodies, server, metadata, http: httpClient({ givenOrigins: [origin] }) };
}

const json =
  (value: unknown, status = 200) =>
  (response: ServerResponse) => {
    response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(value));
  };

describe("a registration", () => {
  async function registering(
    answer: (response: ServerResponse) => void,
    more: Partial<ClientRegistration> = {},
    members: Record<string, string[]> = {},
  ) {
    const { http, metadata, bodies } = await answering(answer, members);
    const options = { http, metadata, clientName: "Agent", redirectUri, ...more };
    return { metadata, bodies, registered: registerClient(options) };
  }

  it("requests a client without a secret if the server allows that", async () => {
    const { bodies, registered, metadata } = await registering(
      json({ client_id: "a", client_secret_expires_at: 0 }, 201),
      { scopes: ["read", "write"] },
      { token_endpoint_auth_methods_supported: ["client_secret_post", "none"] },
    );
    expect(await registered).toEqual({
      type: "client",
      issuer: metadata.issuer,
      clientId: "a",
      clientAuthentication: "none",
      redirectUri,
      scopes: ["read", "write"],
    });
    expect(JSON.parse(bodies[0] ?? "")).toEqual({
      client_name: "Agent",
      redirect_uris: [redirectUri],
      grant_types: ["authorization_code", "refresh_token"],
      response_types: ["code"],
      application_type: "native",
      token_endpoint_auth_method: "none",
      scope: "read write",
    });
  });

  it("is one of a web application for an https redirect URI", async () => {
    const { bodies, registered } = await registering(json({ client_id: "a" }), {
      redirectUri: "https://app.example/callback",
    });
    await registered;
    expect(JSON.parse(bodies[0] ?? "")).toMatchObject({ application_type: "web" });
  });

  it("has the secret, the method and the end that the server chose", async () => {
    const { registered } = await registering(
      json({
        client_id: "a",
        client_secret: "s3cret",
        client_secret_expires_at: 7,
        token_endpoint_auth_method: "client_secret_post",
      }),
    );
    expect(await registered).toMatchObject({
      clientSecret: "s3cret",
      clientAuthentication: "client_secret_post",
      expiresAt: 7_000,
    });
  });

  it.each<[string, (response: ServerResponse) => void, string]>([
    ["refuses", json({ error: "invalid_redirect_uri" }, 400), "upstream"],
    ["has no client id", json({}, 201), "upstream"],
    ["has a number for one", json({ client_id: 7 }, 201), "upstream"],
    ["answers with a page", (response) => response.end("<html>"), "upstream"],
    ["is busy", json({}, 503), "unavailable"],
    ["redirects", (response) => response.writeHead(307, { location: "/b" }).end(), "upstream"],
  ])("fails if the server %s", async (_what, answer, code) => {
    const { registered } = await registering((response) => {
      if (response.req.url === "/b") json({ client_id: "a" }, 201)(response);
      else answer(response);
    });
    expect((await failure(registered)).code).toBe(code);
  });
});

describe("a client with metadata", () => {
  const issued = { access_token: "a", token_type: "Bearer" };

  async function client(
    answer: (response: ServerResponse) => void,
    options: Partial<OAuthClientOptions>,
    members: Record<string, string[]> = {},
  ) {
    const { http, metadata, bodies, server } = await answering(answer, members);
    const given = { http, clientId: "agent", metadata, ...options };
    return { metadata, bodies, server, oauth: oauthClient(given) };
  }

  it("proves who it is with a private key, for the issuer only", async () => {
    const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
    const key = privateKey.export({ type: "pkcs8", format: "pem" }).toString();
    const { oauth, bodies, metadata } = await client(json(issued), {
      privateKey: { key, algorithm: "ES256" },
    });
    await oauth.clientCredentials();
    const form = new URLSearchParams(bodies[0]);
    const [header = "", payload = "", signature = ""] = (form.get("client_assertion") ?? "").split(
      ".",
    );
    const read = (text: string): unknown => JSON.parse(Buffer.from(text, "base64url").toString());
    expect(read(header)).toMatchObject({ alg: "ES256" });
    expect(read(payload)).toMatchObject({ iss: "agent", sub: "agent", aud: metadata.issuer });
    const spki = createPublicKey(publicKey.export({ type: "spki", format: "pem" }));
    const isSigned = verify(
      "sha256",
      Buffer.from(`${header}.${payload}`),
      { key: spki, dsaEncoding: "ieee-p1363" },
      Buffer.from(signature, "base64url"),
    );
    expect(isSigned).toBe(true);
  });

  it("sends nothing with a key that cannot be used, or without an issuer", async () => {
    const { oauth, bodies } = await client(json(issued), {
      privateKey: { key: "not a key", algorithm: "ES256" },
    });
    const error = await failure(oauth.clientCredentials());
    expect(error.code).toBe("invalid_configuration");
    expect(JSON.stringify([error, error.cause])).not.toContain("not a key");
    const unknown = oauthClient({
      http: httpClient(),
      clientId: "agent",
      tokenUrl: "https://auth.example/token",
      privateKey: { key: "not a key", algorithm: "ES256" },
    });
    expect((await failure(unknown.clientCredentials())).message).toContain("metadata");
    expect(bodies).toEqual([]);
  });

  it("sends no secret to a server that takes none", async () => {
    const { oauth, bodies, server } = await client(
      json(issued),
      { clientSecret: "s3cret-of-agent" },
      { token_endpoint_auth_methods_supported: ["none"] },
    );
    await oauth.clientCredentials();
    expect(server.requests[0]?.headers).not.toHaveProperty("authorization");
    expect(bodies[0]).not.toContain("s3cret");
  });

  it("ignores ID tokens if it does not sign in with OpenID Connect", async () => {
    const { oauth } = await client(json({ ...issued, id_token: "another client's" }), {
      tokenUrl: undefined,
      openId: false,
      scopes: ["openid"],
    });
    expect(await oauth.clientCredentials()).toMatchObject({ accessToken: "a" });
    const { oauth: strict } = await client(json({ ...issued, id_token: "another client's" }), {});
    expect((await failure(strict.clientCredentials())).code).toBe("upstream");
  });

  it("fails with the server's own code when it is refused", async () => {
    const { oauth } = await client(json({ error: "invalid_client" }, 401), {});
    const error = await failure(oauth.clientCredentials());
    expect(error).toBeInstanceOf(OAuthRefusal);
    expect(error).toMatchObject({ code: "upstream", error: "invalid_client" });
  });
});
