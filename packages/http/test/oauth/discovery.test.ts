import { describe, expect, it } from "vitest";
import { httpClient, oauthClient } from "../../src/index.ts";
import { failure } from "../support/failure.ts";
import { serve } from "../support/servers.ts";

type Described = Record<string, unknown>;

/** A server with the metadata of `describe(origin)`, which issues a token for any request. */
async function described(describe: (origin: string) => Described | string, path: string) {
  const server = await serve((request, response) => {
    if (request.method === "POST") {
      return response.end('{"access_token":"a","token_type":"Bearer"}');
    }
    const said = describe(`http://${request.headers.host}`);
    return response.end(typeof said === "string" ? said : JSON.stringify(said));
  });
  const { origin } = server;
  const client = oauthClient({
    http: httpClient({ givenOrigins: [origin] }),
    clientId: "app",
    clientSecret: "the-client-secret",
    discoveryUrl: origin + path,
  });
  return { server, client };
}

const openId = "/.well-known/openid-configuration";
const rfc8414 = "/.well-known/oauth-authorization-server";

describe("discovery", () => {
  it.each([
    [openId, ""],
    [openId, "/"],
    [`/tenant${openId}`, "/tenant"],
    [`/tenant${openId}`, "/tenant/"],
    [`${openId}/tenant`, "/tenant"],
    [rfc8414, ""],
    [`${rfc8414}/a/b`, "/a/b"],
    ["/metadata", "/anything"],
  ])("trusts %s about the issuer at %j", async (path, issuer) => {
    const { client, server } = await described(
      (origin) => ({ issuer: origin + issuer, token_endpoint: `${origin}/token` }),
      path,
    );
    expect(await client.clientCredentials()).toMatchObject({ accessToken: "a" });
    expect(server.requests.map(({ url }) => url)).toEqual([path, "/token"]);
  });

  it.each<[string, (origin: string) => Described | string]>([
    ["another origin", () => ({ issuer: "https://accounts.example.com" })],
    ["another path", (origin) => ({ issuer: `${origin}/other` })],
    ["a query", (origin) => ({ issuer: `${origin}/?a` })],
    ["a template", (origin) => ({ issuer: `${origin}/{tenantid}/v2.0` })],
    ["no issuer", () => ({})],
    ["a number", () => ({ issuer: 7 })],
  ])("does not trust metadata whose issuer is %s", async (_what, describe) => {
    const { client, server } = await described((origin) => {
      const said = describe(origin);
      return typeof said === "string" ? said : { token_endpoint: `${origin}/token`, ...said };
    }, openId);
    const error = await failure(client.clientCredentials());
    expect(error).toMatchObject({ code: "upstream", audience: "host" });
    expect(server.requests).toHaveLength(1);
  });

  it.each(["", "null", "[]", "<html>", '"text"', "{"])("does not read %j", async (said) => {
    const { client } = await described(() => said, openId);
    expect((await failure(client.clientCredentials())).code).toBe("upstream");
  });

  it("names the status of a server without metadata", async () => {
    const server = await serve((_request, response) => {
      response.writeHead(404, { "content-type": "application/json" }).end('{"detail":"none"}');
    });
    const client = oauthClient({
      http: httpClient({ givenOrigins: [server.origin] }),
      clientId: "app",
      discoveryUrl: server.origin + openId,
    });
    const error = await failure(client.clientCredentials());
    expect(error).toMatchObject({ code: "upstream", audience: "host", status: 404 });
    expect(error.message).toContain("status 404");
  });

  it("is not read if the host has set everything that a request needs", async () => {
    const { client, server } = await described((origin) => ({ issuer: origin }), openId);
    const { origin } = server;
    const configured = oauthClient({
      http: httpClient({ givenOrigins: [origin] }),
      clientId: "app",
      discoveryUrl: origin + openId,
      tokenUrl: `${origin}/token`,
    });
    await configured.clientCredentials();
    expect(server.requests.map(({ method }) => method)).toEqual(["POST"]);
    expect((await failure(client.clientCredentials())).code).toBe("invalid_configuration");
  });

  it.each([
    ["http://auth.example.com/token", "upstream"],
    ["ftp://auth.example.com/token", "upstream"],
    ["/token", "upstream"],
    [7, "invalid_configuration"],
    // Private addresses are refused by the guard.
    ["https://10.0.0.1/token", "permission_denied"],
    ["http://127.0.0.1:1/token", "permission_denied"],
    ["https://169.254.169.254/latest", "permission_denied"],
  ])("sends nothing to a token endpoint at %s", async (tokenEndpoint, code) => {
    const { client } = await described(
      (origin) => ({ issuer: origin, token_endpoint: tokenEndpoint }),
      openId,
    );
    const error = await failure(client.clientCredentials());
    expect(error.code).toBe(code);
    expect(error.message).not.toContain("the-client-secret");
  });

  it("does not follow metadata to another origin", async () => {
    const elsewhere = await serve((_request, response) => response.end("{}"));
    const server = await serve((_request, response) => {
      response.writeHead(302, { location: `${elsewhere.origin}${openId}` }).end();
    });
    const client = oauthClient({
      http: httpClient({ givenOrigins: [server.origin, elsewhere.origin] }),
      clientId: "app",
      discoveryUrl: server.origin + openId,
    });
    expect((await failure(client.clientCredentials())).code).toBe("upstream");
  });

  it("is repeated after a failure, and not after a success", async () => {
    let down = true;
    const server = await serve((request, response) => {
      const origin = `http://${request.headers.host}`;
      response.statusCode = down ? 503 : 200;
      if (request.method === "POST") response.end('{"access_token":"a","token_type":"bearer"}');
      else response.end(JSON.stringify({ issuer: origin, token_endpoint: `${origin}/token` }));
    });
    const client = oauthClient({
      http: httpClient({ givenOrigins: [server.origin] }),
      clientId: "app",
      discoveryUrl: server.origin + openId,
    });
    const error = await failure(client.clientCredentials());
    expect(error).toMatchObject({ code: "unavailable", retryable: true });
    down = false;
    await client.clientCredentials();
    await client.clientCredentials();
    expect(server.requests.filter(({ method }) => method === "GET")).toHaveLength(2);
  });

  it("authenticates the client with a method that the server supports", async () => {
    for (const [methods, header] of [
      [["client_secret_post"], false],
      [["private_key_jwt", "client_secret_basic", "client_secret_post"], true],
      [undefined, true],
    ] as const) {
      const { client, server } = await described(
        (origin) => ({
          issuer: origin,
          token_endpoint: `${origin}/token`,
          token_endpoint_auth_methods_supported: methods,
        }),
        openId,
      );
      await client.clientCredentials();
      expect("authorization" in (server.requests.at(-1)?.headers ?? {})).toBe(header);
    }
  });

  it("is overridden by the host's URLs", async () => {
    const server = await serve((request, response) => {
      const origin = `http://${request.headers.host}`;
      if (request.method === "POST") response.end('{"access_token":"a","token_type":"bearer"}');
      else response.end(JSON.stringify({ issuer: origin, token_endpoint: `${origin}/described` }));
    });
    const client = oauthClient({
      http: httpClient({ givenOrigins: [server.origin] }),
      clientId: "app",
      discoveryUrl: server.origin + openId,
      tokenUrl: `${server.origin}/given`,
    });
    await client.clientCredentials();
    expect(server.requests.at(-1)?.url).toBe("/given");
  });

  it("is an error of the host's options if nothing names an endpoint", async () => {
    const client = oauthClient({ http: httpClient(), clientId: "app" });
    for (const asked of [
      client.clientCredentials(),
      client.beginAuthorization(),
      client.beginDevice(),
    ]) {
      expect((await failure(asked)).code).toBe("invalid_configuration");
    }
  });
});
