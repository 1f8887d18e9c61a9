import { describe, expect, it } from "vitest";
import { discoverAuthorizationServer, discoverResource, httpClient } from "../../src/index.ts";
import { failure } from "../support/failure.ts";
import { serve } from "../support/servers.ts";

type Answer = number | string | Record<string, unknown>;

/** A server that answers by path; a number is a status. Other paths are not found, with a page. */
async function publishing(answers: (origin: string) => Record<string, Answer>) {
  const server = await serve((request, response) => {
    const answer = answers(`http://${request.headers.host}`)[request.url ?? ""] ?? 404;
    if (typeof answer === "number") response.writeHead(answer).end("<html>");
    else response.end(typeof answer === "string" ? answer : JSON.stringify(answer));
  });
  const { origin } = server;
  return {
    origin,
    options: { http: httpClient({ givenOrigins: [origin] }) },
    paths: () => server.requests.map(({ url }) => url),
  };
}

const oauth = "/.well-known/oauth-authorization-server";
const openId = "/.well-known/openid-configuration";

function metadata(issuer: string, members: Record<string, unknown> = {}): Answer {
  return { issuer, token_endpoint: `${new URL(issuer).origin}/token`, ...members };
}

describe("the metadata of an authorization server", () => {
  it.each([
    ["", [oauth, openId]],
    ["/", [oauth, openId]],
    ["/tenant", [`${oauth}/tenant`, `${openId}/tenant`, `/tenant${openId}`]],
  ])("of the issuer at %j is requested in the order of RFC 8414 section 5", async (path, paths) => {
    const last = paths.at(-1) ?? "";
    const server = await publishing((origin) => ({ [last]: metadata(origin + path) }));
    const found = await discoverAuthorizationServer(server.origin + path, server.options);
    expect(found?.issuer).toBe(server.origin + path);
    expect(server.paths()).toEqual(paths);
  });

  it("is undefined if there is none", async () => {
    const server = await publishing(() => ({}));
    expect(await discoverAuthorizationServer(server.origin, server.options)).toBeUndefined();
  });

  it.each([
    ["another issuer", "https://honest.example"],
    ["a longer path", "/tenant/"],
    ["another path", "/tenant"],
  ])("is rejected with %s", async (_what, issuer) => {
    const server = await publishing((origin) => ({
      [oauth]: metadata(new URL(issuer, origin).href),
    }));
    expect(await failure(discoverAuthorizationServer(server.origin, server.options))).toMatchObject(
      { code: "upstream", audience: "host" },
    );
  });

  it.each([
    ["/", ""],
    ["", "/"],
    ["/tenant", "/tenant/"],
    ["/tenant/", "/tenant"],
  ])(
    "of the issuer at %j may name it at %j: the slash is not significant",
    async (asked, named) => {
      const path = named.replace(/\/$/, "");
      const server = await publishing((origin) => ({ [oauth + path]: metadata(origin + named) }));
      const found = await discoverAuthorizationServer(server.origin + asked, server.options);
      expect(found?.issuer).toBe(server.origin + named);
    },
  );

  it.each<[string, Answer]>([
    ["a page", "<html>"],
    ["a list", "[]"],
    ["an error", { error: "not_found" }],
    ["an empty body", ""],
    ["the metadata of another issuer", { issuer: "https://honest.example", token_endpoint: "/" }],
  ])("is read at the next path if the first one has %s", async (_, answer) => {
    const server = await publishing((origin) => ({ [oauth]: answer, [openId]: metadata(origin) }));
    const found = await discoverAuthorizationServer(server.origin, server.options);
    expect(found?.issuer).toBe(server.origin);
  });

  it.each<[string, Answer]>([
    ["a page", "<html>"],
    ["a list", "[]"],
    ["no token endpoint", { token_endpoint: undefined }],
    ["a token endpoint that is not encrypted", { token_endpoint: "http://auth.example/token" }],
    ["a script to sign in at", { authorization_endpoint: "javascript:alert(1)" }],
    ["a registration endpoint with a password", { registration_endpoint: "https://a:b@c.example" }],
  ])("is rejected if it is or has %s", async (_what, answer) => {
    const server = await publishing((origin) => ({
      [oauth]: typeof answer === "string" ? answer : metadata(origin, answer as object as never),
    }));
    const error = await failure(discoverAuthorizationServer(server.origin, server.options));
    expect(error.code).toBe("upstream");
  });

  it("is unavailable while the server is busy, but not for a proxy's 502", async () => {
    const busy = await publishing(() => ({ [oauth]: 503 }));
    expect(await failure(discoverAuthorizationServer(busy.origin, busy.options))).toMatchObject({
      code: "unavailable",
      retryable: true,
    });
    const proxied = await publishing((origin) => ({ [oauth]: 502, [openId]: metadata(origin) }));
    const found = await discoverAuthorizationServer(proxied.origin, proxied.options);
    expect(found?.issuer).toBe(proxied.origin);
  });
});

const resourcePath = "/.well-known/oauth-protected-resource";

describe("the metadata of an API", () => {
  it("is read at its path, and else at the root of its origin", async () => {
    for (const paths of [[`${resourcePath}/mcp`], [`${resourcePath}/mcp`, resourcePath]]) {
      const server = await publishing((origin) => ({
        [paths.at(-1) ?? ""]: {
          resource: `${origin}/mcp`,
          authorization_servers: ["https://auth.example"],
          scopes_supported: ["read"],
        },
      }));
      const api = new URL("/mcp", server.origin);
      expect(await discoverResource(api, undefined, server.options)).toEqual({
        resource: api.href,
        authorizationServers: ["https://auth.example"],
        scopes: ["read"],
      });
      expect(server.paths()).toEqual(paths);
    }
  });

  it("is read at the URL of a challenge, if there is one", async () => {
    const server = await publishing((origin) => ({ "/elsewhere": { resource: `${origin}/mcp` } }));
    const api = new URL("/mcp", server.origin);
    const at = new URL("/elsewhere", server.origin);
    expect(await discoverResource(api, at, server.options)).toMatchObject({ resource: api.href });
    expect(server.paths()).toEqual(["/elsewhere"]);
  });

  it.each<[string, Answer]>([
    ["is not found", 404],
    ["fails", 500],
    ["is a page", "<html>"],
    ["is no metadata", { error: "not_found" }],
    ["describes another API", { resource: "https://bank.example/mcp" }],
  ])("is read at the well-known URLs if that of the challenge %s", async (_, answer) => {
    for (const wellKnown of [`${resourcePath}/mcp`, resourcePath]) {
      const server = await publishing((origin) => ({
        "/elsewhere": answer,
        [wellKnown]: { resource: `${origin}/mcp` },
      }));
      const api = new URL("/mcp", server.origin);
      const at = new URL("/elsewhere", server.origin);
      expect(await discoverResource(api, at, server.options)).toMatchObject({ resource: api.href });
    }
  });

  it.each(["https:", "http:"])(
    "is read at the well-known URLs if that of the challenge (%s) cannot be reached",
    async (protocol) => {
      const server = await publishing((origin) => ({
        [`${resourcePath}/mcp`]: { resource: `${origin}/mcp` },
      }));
      const at = new URL("/elsewhere", server.origin);
      if (protocol === "https:") at.protocol = protocol;
      else at.hostname = "host.invalid";
      const http = httpClient({ givenOrigins: [server.origin, at.origin] });
      const api = new URL("/mcp", server.origin);
      expect(await discoverResource(api, at, { http })).toMatchObject({ resource: api.href });
    },
  );

  it("has the error of the challenge's URL if there is no other", async () => {
    const server = await publishing(() => ({}));
    const at = new URL("/elsewhere", server.origin);
    at.protocol = "https:";
    const http = httpClient({ givenOrigins: [server.origin, at.origin] });
    const error = await failure(discoverResource(new URL(server.origin), at, { http }));
    expect(error.code).toBe("unavailable");
  });

  it.each([
    ["/mcp", "/mcp/"],
    ["/mcp/", "/mcp"],
  ])("of %s may name it %s", async (path, name) => {
    const server = await publishing((origin) => ({
      [`${resourcePath}/mcp`]: { resource: origin + name },
    }));
    const api = new URL(path, server.origin);
    const found = await discoverResource(api, undefined, server.options);
    expect(found?.resource).toBe(server.origin + name);
  });

  it.each(["/other", "/mcp/more", "/mc", "https://bank.example/mcp"])(
    "of %s is rejected for /mcp",
    async (resource) => {
      const server = await publishing((origin) => ({
        [`${resourcePath}/mcp`]: { resource: new URL(resource, origin).href },
      }));
      const api = new URL("/mcp", server.origin);
      const error = await failure(discoverResource(api, undefined, server.options));
      expect(error).toMatchObject({ code: "upstream", audience: "host" });
    },
  );

  it.each<Answer>([
    500,
    "<html>",
    {},
    { resource: 7 },
    { resource: "/", authorization_servers: "https://auth.example" },
  ])("is undefined for %j", async (answer) => {
    const server = await publishing(() => ({ [resourcePath]: answer }));
    const api = new URL(server.origin);
    expect(await discoverResource(api, undefined, server.options)).toBeUndefined();
  });

  it("is not read from another origin", async () => {
    const elsewhere = await publishing(() => ({ "/": { resource: "https://api.example/" } }));
    const server = await serve((_request, response) => {
      response.writeHead(302, { location: elsewhere.origin }).end();
    });
    const http = httpClient({ givenOrigins: [server.origin, elsewhere.origin] });
    const error = await failure(discoverResource(new URL(server.origin), undefined, { http }));
    expect(error.code).toBe("upstream");
  });
});
