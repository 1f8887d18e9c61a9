import { memoryCredentials, type CredentialStore } from "@toolweave/core/stores";
import { describe, expect, it } from "vitest";
import { mcpSource, signIn, type McpHttpServer, type McpOAuth } from "../../src/index.ts";
import { webOrigin, type Said, type WebOrigin } from "../support/web-origin.ts";

/** An MCP server that requires a sign-in, and its authorization server. */
interface World {
  readonly server: WebOrigin;
  readonly authority: WebOrigin;
  /** The metadata of the authorization server. */
  readonly metadata: Record<string, unknown>;
  /** The metadata of the MCP server. */
  readonly resource: Record<string, unknown>;
  readonly store: CredentialStore;
  /** The options of a source, with the changes of this test. */
  options(oauth?: McpOAuth): McpHttpServer;
}

async function world(): Promise<World> {
  const [server, authority] = [await webOrigin(), await webOrigin()];
  const store = memoryCredentials();
  const resource: Record<string, unknown> = {
    resource: `${server.origin}/mcp`,
    authorization_servers: [authority.origin],
  };
  const metadata: Record<string, unknown> = {
    issuer: authority.origin,
    authorization_endpoint: `${authority.origin}/authorize`,
    token_endpoint: `${authority.origin}/token`,
    registration_endpoint: `${authority.origin}/register`,
    response_types_supported: ["code"],
    code_challenge_methods_supported: ["S256"],
    authorization_response_iss_parameter_supported: true,
  };
  const described = "/.well-known/oauth-protected-resource/mcp";
  refuse(server, `Bearer resource_metadata="${server.origin}${described}"`);
  server.says.set(described, () => ({ body: resource }));
  authority.says.set("/.well-known/oauth-authorization-server", () => ({ body: metadata }));
  authority.says.set("/register", {
    status: 201,
    body: { client_id: "registered", redirect_uris: ["http://127.0.0.1:8976/callback"] },
  });
  authority.says.set("/token", { body: { access_token: "good-token", token_type: "Bearer" } });
  return {
    server,
    authority,
    metadata,
    resource,
    store,
    options: (oauth = {}) => ({
      name: "museum",
      url: `${server.origin}/mcp`,
      auth: { oauth, store },
      allowOrigins: [authority.origin],
    }),
  };
}

function refuse({ says }: WebOrigin, challenge: string): void {
  const refused: Said = { status: 401, headers: { "www-authenticate": challenge } };
  says.set("/mcp", refused);
}

/** The address to which a person was redirected, with the server's parameters. */
function callback(url: string, added: Record<string, string>): string {
  const state = new URL(url).searchParams.get("state") ?? "";
  return `http://127.0.0.1:8976/callback?${new URLSearchParams({ code: "c0de", state, ...added }).toString()}`;
}

describe("MC26: URLs that a server names are requested only if they are allowed", () => {
  it.each([
    "http://169.254.169.254/latest/meta-data",
    "http://[::ffff:169.254.169.254]/",
    "http://10.0.0.1/.well-known/oauth-protected-resource",
  ])("its description at %s", async (url) => {
    const { server, options } = await world();
    refuse(server, `Bearer resource_metadata="${url}"`);
    await expect(signIn(options())).rejects.toMatchObject({ code: "permission_denied" });
  });

  it("its authorization server on a private address is blocked, and the error names the option", async () => {
    const { authority, options } = await world();
    const { allowOrigins: _, ...strict } = options();
    await expect(signIn(strict)).rejects.toMatchObject({
      code: "permission_denied",
      message: expect.stringContaining(`allowOrigins: ["${authority.origin}"]`),
    });
    expect(authority.asked).toEqual([]);
  });

  it.each(["token_endpoint", "registration_endpoint"])("a %s", async (name) => {
    const { metadata, options } = await world();
    const stranger = await webOrigin();
    metadata[name] = `${stranger.origin}/elsewhere`;
    const begun = signIn(options()).then((one) =>
      one?.finish(callback(one.url, { iss: String(metadata["issuer"]) })),
    );
    await expect(begun).rejects.toMatchObject({ code: "permission_denied" });
    expect(stranger.asked).toEqual([]);
  });

  it("the target of a metadata redirect is checked", async () => {
    const { authority, options } = await world();
    const stranger = await webOrigin();
    authority.says.set("/.well-known/oauth-authorization-server", {
      status: 302,
      headers: { location: `${stranger.origin}/` },
    });
    await expect(signIn(options())).rejects.toMatchObject({ code: "permission_denied" });
    expect(stranger.asked).toEqual([]);
  });

  it("metadata of a redirect target is not used, allowed or not", async () => {
    const { authority, metadata, options } = await world();
    const stranger = await webOrigin();
    stranger.says.set("/", { body: metadata });
    authority.says.set("/.well-known/oauth-authorization-server", {
      status: 302,
      headers: { location: `${stranger.origin}/` },
    });
    const allowOrigins = [authority.origin, stranger.origin];
    await expect(signIn({ ...options(), allowOrigins })).rejects.toMatchObject({
      code: "upstream",
    });
  });
});

describe("MC27: a person is never sent to an invalid URL", () => {
  it.each([
    "file:///etc/passwd",
    "javascript:alert(1)",
    "http://auth.example/$(calc)",
    "not an address",
  ])("%s", async (url) => {
    const { metadata, options } = await world();
    metadata["authorization_endpoint"] = url;
    await expect(signIn(options())).rejects.toMatchObject({ code: "upstream" });
  });

  it("parameters of the authorization URL are preserved", async () => {
    const { metadata, options, authority } = await world();
    metadata["authorization_endpoint"] = `${authority.origin}/a;$(calc)?x=\`id\``;
    const begun = await signIn(options());
    expect(new URL(begun?.url ?? "").origin).toBe(authority.origin);
    expect(begun?.url).not.toMatch(/[\s"'<>`]/);
  });
});

describe("MC28: a token is sent only to the server that it was issued for", () => {
  async function signedIn(given: World): Promise<void> {
    const begun = await signIn(given.options());
    await begun?.finish(callback(begun.url, { iss: given.authority.origin }));
  }

  it("also if the source's name later belongs to another server", async () => {
    const one = await world();
    await signedIn(one);
    const other = await webOrigin();
    refuse(other, "Bearer");
    const source = mcpSource({ ...one.options(), url: `${other.origin}/mcp` });
    await expect(source.ready).rejects.toMatchObject({ code: "auth_required" });
    await source.close();
    expect(other.asked.length).toBeGreaterThan(0);
    expect(other.asked.every(({ headers }) => headers.authorization === undefined)).toBe(true);
  });

  it("also if the server redirects", async () => {
    const one = await world();
    await signedIn(one);
    const other = await webOrigin();
    one.server.says.set("/mcp", { status: 307, headers: { location: `${other.origin}/mcp` } });
    const source = mcpSource({ ...one.options(), allowOrigins: [other.origin] });
    await expect(source.ready).rejects.toMatchObject({ code: "upstream" });
    await source.close();
    expect(other.asked.every(({ headers }) => headers.authorization === undefined)).toBe(true);
  });

  it("also if the server names another authorization server: that one receives neither token nor client", async () => {
    const one = await world();
    one.authority.says.set("/token", {
      body: { access_token: "good-token", token_type: "Bearer", refresh_token: "precious" },
    });
    await signedIn(one);
    const thief = await webOrigin();
    thief.says.set("/.well-known/oauth-authorization-server", {
      body: {
        ...one.metadata,
        issuer: thief.origin,
        authorization_endpoint: `${thief.origin}/authorize`,
        token_endpoint: `${thief.origin}/token`,
        registration_endpoint: `${thief.origin}/register`,
      },
    });
    thief.says.set("/register", { status: 201, body: { client_id: "x", redirect_uris: [] } });
    one.resource["authorization_servers"] = [thief.origin];
    const options = { ...one.options(), allowOrigins: [thief.origin, one.authority.origin] };
    const begun = await signIn(options);
    expect(new URL(begun?.url ?? "").searchParams.get("client_id")).toBe("x");
    expect(JSON.stringify(thief.asked)).not.toMatch(/precious|good-token|registered/);
  });

  it("a secret of the host requires the issuer, and is sent to no other server", async () => {
    const one = await world();
    const secret = { clientId: "agent", clientSecret: "s3cret-of-the-host" };
    expect(() => mcpSource(one.options(secret))).toThrow(/auth\.oauth\.issuer/);
    const registered = { ...secret, issuer: "https://auth.example" };
    await expect(signIn(one.options(registered))).rejects.toMatchObject({ code: "upstream" });
    expect(one.authority.asked).toEqual([]);
  });
});

describe("MC29: an answer is valid only for its own sign-in", () => {
  it.each([
    ["of another server", { iss: "https://thief.example" }],
    ["of another sign-in", { state: "another" }],
    ["of an unknown server", {}],
  ])("%s", async (_, added) => {
    const { authority, options, store } = await world();
    const begun = await signIn(options());
    await expect(begun?.finish(callback(begun.url, added))).rejects.toMatchObject({
      code: "auth_required",
    });
    expect(authority.asked.some(({ path }) => path === "/token")).toBe(false);
    expect(await store.get({ source: "museum", scheme: "oauth" })).toBeUndefined();
  });

  it("metadata of another issuer is rejected", async () => {
    const { metadata, options, authority } = await world();
    metadata["issuer"] = "https://honest.example";
    await expect(signIn(options())).rejects.toMatchObject({ code: "upstream" });
    expect(authority.asked.some(({ path }) => path === "/register")).toBe(false);
  });

  it("metadata of another server is rejected", async () => {
    const { resource, options, authority } = await world();
    resource["resource"] = "https://bank.example/mcp";
    await expect(signIn(options())).rejects.toMatchObject({ code: "upstream" });
    expect(authority.asked).toEqual([]);
  });
});

describe("an MCP server that publishes no metadata", () => {
  async function older(): Promise<{ readonly server: WebOrigin; readonly options: McpHttpServer }> {
    const server = await webOrigin();
    const store = memoryCredentials();
    refuse(server, "Bearer");
    server.says.set("/register", { status: 201, body: { client_id: "registered" } });
    server.says.set("/token", { body: { access_token: "good-token", token_type: "Bearer" } });
    const options = { name: "museum", url: `${server.origin}/mcp`, auth: { oauth: {}, store } };
    return { server, options };
  }

  it("is its own authorization server, at the default endpoints", async () => {
    const { server, options } = await older();
    const begun = await signIn(options);
    expect(begun?.url).toMatch(`${server.origin}/authorize?`);
    await begun?.finish(callback(begun.url, {}));
    expect(await options.auth?.store?.get({ source: "museum", scheme: "oauth" })).toMatchObject({
      accessToken: "good-token",
      bound: { client: { clientId: "registered", issuer: server.origin } },
    });
  });

  it("and does not register clients has an error that names the issuer as a way out", async () => {
    const { server, options } = await older();
    server.says.set("/register", { status: 404 });
    await expect(signIn(options)).rejects.toThrow(
      `${server.origin} has no registration at /register (status 404). If another server issues the tokens, set its issuer`,
    );
  });

  it("is not signed in at with the answer of another server", async () => {
    const { server, options } = await older();
    const begun = await signIn(options);
    const answer = callback(begun?.url ?? "", { iss: "https://thief.example" });
    await expect(begun?.finish(answer)).rejects.toMatchObject({ code: "auth_required" });
    expect(server.asked.some(({ path }) => path === "/token")).toBe(false);
  });
});

it("of several authorization servers the first that publishes metadata is used", async () => {
  const { resource, authority, options } = await world();
  const other = await webOrigin();
  resource["authorization_servers"] = [other.origin, authority.origin];
  const more = { allowOrigins: [authority.origin, other.origin] };
  const begun = await signIn({ ...options(), ...more });
  expect(begun?.url).toMatch(`${authority.origin}/`);
  expect(other.asked.length).toBeGreaterThan(0);
});

it("the scope openid requires no ID token, and an ID token of another client is ignored", async () => {
  const { resource, authority, options, store } = await world();
  resource["scopes_supported"] = ["openid"];
  for (const more of [{}, { id_token: "of another client" }]) {
    authority.says.set("/token", {
      body: { access_token: "good-token", token_type: "Bearer", ...more },
    });
    const begun = await signIn(options());
    expect(begun?.scopes).toEqual(["openid"]);
    await begun?.finish(callback(begun.url, { iss: authority.origin }));
    expect(await store.get({ source: "museum", scheme: "oauth" })).toBeDefined();
    await store.delete({ source: "museum", scheme: "oauth" });
  }
});

it("a token request is not repeated where a redirect leads", async () => {
  const { authority, options } = await world();
  authority.says.set("/token", { status: 307, headers: { location: "/elsewhere" } });
  authority.says.set("/elsewhere", { body: { access_token: "bad-token", token_type: "Bearer" } });
  const begun = await signIn(options());
  const finished = begun?.finish(callback(begun.url, { iss: authority.origin }));
  await expect(finished).rejects.toMatchObject({ code: "upstream" });
});

it("a server without PKCE is rejected", async () => {
  const { metadata, options } = await world();
  delete metadata["code_challenge_methods_supported"];
  await expect(signIn(options())).rejects.toMatchObject({ code: "upstream" });
});

it("a token other than a bearer token is rejected", async () => {
  const { authority, options, store } = await world();
  authority.says.set("/token", { body: { access_token: "good-token", token_type: "DPoP" } });
  const begun = await signIn(options());
  await expect(begun?.finish(callback(begun.url, { iss: authority.origin }))).rejects.toMatchObject(
    { code: "upstream" },
  );
  expect(await store.get({ source: "museum", scheme: "oauth" })).toBeUndefined();
});

it("error messages of a server do not contain what was sent to it", async () => {
  const { authority, options } = await world();
  authority.says.set("/token", ({ body }) => ({
    status: 400,
    body: { error: "invalid_request", error_description: `${body}\u001b[2J` },
  }));
  const begun = await signIn(options());
  const error = await begun?.finish(callback(begun.url, { iss: authority.origin })).then(
    () => undefined,
    (thrown: unknown) => thrown as Error,
  );
  expect(error).toMatchObject({ code: "upstream" });
  expect(error?.message).not.toMatch(/c0de|\u001b/);
});
