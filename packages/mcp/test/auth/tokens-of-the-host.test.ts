import { generateKeyPairSync } from "node:crypto";
import { memoryCredentials } from "@toolweave/core/stores";
import { expect, it, onTestFinished } from "vitest";
import { mcpSource, type McpAuth, type TokenRequest } from "../../src/index.ts";
import { guardedLibrary } from "../support/guarded-library.ts";
import { executorOver, opened } from "../support/open-source.ts";
import { webOrigin } from "../support/web-origin.ts";
import { httpLibrary } from "../support/http-library.ts";

const show = { id: "1", name: "library__show_environment", arguments: {} };

async function openLibrary() {
  const library = await httpLibrary();
  onTestFinished(() => library.close());
  return library;
}

it("a bearer token is sent with every request, and is redacted everywhere", async () => {
  const library = await openLibrary();
  const bearer = "a-token-of-the-host";
  const source = opened({ name: "library", url: library.url, auth: { bearer } });
  await source.ready;
  const outcome = await executorOver(source).execute(show);
  expect(library.headers.map(({ authorization }) => authorization)).toEqual(
    library.headers.map(() => `Bearer ${bearer}`),
  );
  expect(JSON.stringify(outcome)).toContain("Bearer [redacted]");
  expect(JSON.stringify(outcome)).not.toContain(bearer);
});

it("a function is called for the token of each caller, and each has a separate connection", async () => {
  const library = await openLibrary();
  const bearer = ({ caller }: TokenRequest): string => `token-of-${caller ?? "the-host"}`;
  const url = `${library.url}/sessions`;
  const source = opened({ name: "library", url, auth: { bearer } });
  await source.ready;
  const executor = executorOver(source);
  for (const id of ["ada", "bob", "ada"]) {
    await executor.execute(
      { ...show, name: "library__get_book", arguments: { id: 1 } },
      { caller: { id } },
    );
  }
  const pairs = library.headers.map((headers) => [
    headers["mcp-session-id"],
    headers.authorization,
  ]);
  const bySession = new Map(
    pairs.filter(([session]) => session !== undefined) as [string, string][],
  );
  expect([...bySession.values()].toSorted()).toEqual([
    "Bearer token-of-ada",
    "Bearer token-of-bob",
    "Bearer token-of-the-host",
  ]);
  const used = pairs.filter(([session]) => session !== undefined);
  expect(used.every(([session, token]) => token === bySession.get(String(session)))).toBe(true);
});

it("a function whose token was rejected is called once more", async () => {
  const server = await webOrigin();
  server.says.set("/mcp", { status: 401 });
  let asked = 0;
  const bearer = (): string => `token-${asked++}`;
  const source = mcpSource({ name: "odd", url: `${server.origin}/mcp`, auth: { bearer } });
  await expect(source.ready).rejects.toMatchObject({ code: "auth_required" });
  await source.close();
  expect(server.asked).toHaveLength(2);
});

it.each([
  ["a secret", undefined],
  ["a key", generateKeyPairSync("ec", { namedCurve: "P-256" })],
])("a host that signs in itself does so with %s, for all callers", async (_, pair) => {
  const jwk = pair?.publicKey.export({ format: "jwk" });
  const library = await guardedLibrary([
    {
      client_id: "agent",
      grant_types: ["client_credentials"],
      redirect_uris: [],
      response_types: [],
      ...(jwk === undefined
        ? { client_secret: "s3cret: with %, + & more" }
        : { token_endpoint_auth_method: "private_key_jwt", jwks: { keys: [jwk as never] } }),
    },
  ]);
  const key = pair?.privateKey.export({ type: "pkcs8", format: "pem" }).toString();
  const store = memoryCredentials();
  const auth: McpAuth = {
    store,
    oauth: {
      clientId: "agent",
      issuer: library.authority,
      flow: "clientCredentials",
      ...(key === undefined
        ? { clientSecret: "s3cret: with %, + & more" }
        : { privateKey: { key, algorithm: "ES256" } }),
    },
  };
  const source = opened({ name: "library", url: library.url, auth });
  await source.ready;
  const executor = executorOver(source);
  const callers = [{ caller: { id: "ada" } }, { caller: { id: "bob" } }, {}];
  const outcomes = await Promise.all(callers.map((one) => executor.execute(show, one)));
  expect(outcomes.map(({ status }) => status)).toEqual(callers.map(() => "completed"));
  expect(library.asked.filter((path) => path === "POST /token")).toHaveLength(1);
  const kept = await store.get({ source: "library", scheme: "oauth" });
  expect(JSON.stringify(kept)).not.toMatch(/s3cret|PRIVATE/);

  // An expired one is renewed without a person.
  await library.revoke(kept?.type === "token" ? kept.accessToken : "");
  expect(await executor.execute(show)).toMatchObject({ status: "completed" });
  expect(library.asked.filter((path) => path === "POST /token")).toHaveLength(2);
});

it.each<[string, object, RegExp]>([
  ["an invalid word", { auth: { token: "x" } }, /unknown option "token"/],
  ["an empty token", { auth: { bearer: "" } }, /auth\.bearer/],
  ["two tokens", { auth: { bearer: "x" }, headers: { Authorization: "y" } }, /only one/],
  ["an invalid store", { auth: { store: {} } }, /auth\.store/],
  ["a secret without a client", { auth: { oauth: { clientSecret: "x" } } }, /no clientId/],
  [
    "a flow without a secret",
    { auth: { oauth: { flow: "clientCredentials" } } },
    /clientCredentials/,
  ],
  ["an unknown flow", { auth: { oauth: { flow: "implicit" } } }, /auth\.oauth\.flow/],
  [
    "a document over http",
    { auth: { oauth: { clientMetadataUrl: "http://x.example/a" } } },
    /https/,
  ],
  ["an origin with a path", { allowOrigins: ["https://auth.example/a"] }, /allowOrigins/],
])("%s is refused at once", (_, more, message) => {
  const server = { name: "library", url: "https://mcp.example/mcp", ...more };
  expect(() => mcpSource(server as never)).toThrow(message);
});
