import { exportJWK, generateKeyPair, SignJWT, type CryptoKey, type JWK } from "jose";
import { beforeAll, describe, expect, it } from "vitest";
import {
  gatewayCallers,
  type CallerIssuer,
  type GatewayCallersOptions,
} from "../../../src/gateway/http/gateway-callers.ts";
import { createToken } from "../../../src/gateway/http/named-tokens.ts";

const audience = "https://tools.example.com/mcp";
const corp = "https://id.example.com";
const partner = "https://login.example.org";

let privateKey: CryptoKey;
let jwk: JWK;
beforeAll(async () => {
  const pair = await generateKeyPair("ES256");
  privateKey = pair.privateKey;
  jwk = { ...(await exportJWK(pair.publicKey)), kid: "1", alg: "ES256" };
});

const toIssuer = (issuer: string, more: Partial<CallerIssuer> = {}): CallerIssuer => ({
  issuer,
  audience,
  jwks: { keys: [jwk] },
  ...more,
});

/** The caller for a token with these claims, or the reason why it is refused. */
async function askWith(
  options: GatewayCallersOptions,
  iss: string,
  claims: Record<string, unknown>,
): Promise<unknown> {
  const token = await new SignJWT({ iss, aud: audience, sub: "ada", ...claims })
    .setProtectedHeader({ alg: "ES256", kid: "1" })
    .setExpirationTime("5m")
    .sign(privateKey);
  const headers = { authorization: `Bearer ${token}` };
  return gatewayCallers(options).authenticate(new Request(audience, { headers }));
}

describe("claims", () => {
  it.each<[string, CallerIssuer["claims"], Record<string, unknown>, unknown]>([
    [
      "are the usual ones",
      undefined,
      { roles: ["a"], azp: "desk" },
      { id: "ada", roles: ["a"], agent: "desk" },
    ],
    [
      "can be named",
      { id: "email", agent: "app" },
      { email: "ada@x.test", app: "desk" },
      { id: "ada@x.test", agent: "desk" },
    ],
    [
      "can be inside of others",
      { roles: "/realm_access/roles" },
      { realm_access: { roles: ["a", "b"] } },
      { id: "ada", roles: ["a", "b"] },
    ],
    [
      "can have names like addresses",
      { roles: "https://x.test/roles" },
      { "https://x.test/roles": "a b" },
      { id: "ada", roles: ["a", "b"] },
    ],
    ["name a tenant", { tenant: "org" }, { org: "acme" }, { id: "acme/ada" }],
    ["have to name the tenant", { tenant: "org" }, {}, { refused: "invalid_token" }],
    [
      "have no tenant with a slash",
      { tenant: "org" },
      { org: "acme/x" },
      { refused: "invalid_token" },
    ],
    ["have no id of a named token", undefined, { sub: "token:ci" }, { refused: "invalid_token" }],
    ["have to name an id", { id: "email" }, {}, { refused: "invalid_token" }],
    ["grant no roles that are no texts", undefined, { roles: [1] }, { id: "ada" }],
  ])("%s", async (_, claims, given, caller) => {
    const issuer = toIssuer(corp, claims === undefined ? {} : { claims });
    expect(await askWith({ issuers: [issuer] }, corp, given)).toMatchObject(caller as object);
  });
});

it("subjects of two issuers are different callers, and others are refused", async () => {
  const options = {
    issuers: [toIssuer(corp, { prefix: "corp:" }), toIssuer(partner, { prefix: "partner:" })],
  };
  expect(await askWith(options, corp, {})).toEqual({ id: "corp:ada" });
  expect(await askWith(options, partner, {})).toEqual({ id: "partner:ada" });
  expect(await askWith(options, "https://evil.test", {})).toMatchObject({
    refused: "invalid_token",
  });
});

it("named tokens work beside an issuer, which clients find in the metadata", async () => {
  const { token, sha256 } = createToken();
  const callers = gatewayCallers({
    tokens: { ci: { sha256, roles: ["deploy"] } },
    issuers: [toIssuer(corp, { scopes: ["tools"] })],
  });
  const ask = (sent: string): unknown =>
    callers.authenticate(new Request(audience, { headers: { authorization: `Bearer ${sent}` } }));
  expect(await ask(token)).toEqual({ id: "token:ci", roles: ["deploy"] });
  expect(await ask("no-token")).toMatchObject({ refused: "invalid_token" });
  expect(await callers.authenticate(new Request(audience))).toBeUndefined();
  expect(callers.protectedResource).toEqual({ authorizationServers: [corp], scopes: ["tools"] });
  expect(gatewayCallers({ tokens: {} })).not.toHaveProperty("protectedResource");
});

it.each<[string, () => readonly CallerIssuer[]]>([
  ["prefix is missing", () => [toIssuer(corp), toIssuer(partner, { prefix: "p:" })]],
  [
    "is another issuer's",
    () => [toIssuer(corp, { prefix: "p:" }), toIssuer(partner, { prefix: "p:" })],
  ],
  ['prefix is "token:"', () => [toIssuer(corp, { prefix: "token:" })]],
  ['prefix is "corp"', () => [toIssuer(corp, { prefix: "corp" })]],
  ['"role"', () => [toIssuer(corp, { claims: { role: "x" } as never })]],
])("options are refused: %s", (message, issuers) => {
  expect(() => gatewayCallers({ issuers: issuers() })).toThrow(message);
});
