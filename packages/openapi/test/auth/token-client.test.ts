import type { JsonObject } from "@toolweave/core";
import { describe, expect, test } from "vitest";
import { openApiSource, type OAuthRegistration, type OpenApiOptions } from "../../src/index.ts";
import { createTokenClient } from "../../src/auth/token-client.ts";
import { RecordingServer, respond } from "@toolweave/test-support/recording-server";
import { openSource, findTool } from "../support/call-tool.ts";
import { toolContext } from "../support/tool-context.ts";
import { guardedApi } from "./support/guarded-api.ts";
import { registration, getResult, startProcess } from "./support/sign-in-executor.ts";

const secret = "S3cret-of-the-shop-4711";

/** A source of one operation whose document declares `tokenUrl`. */
async function getOutcome(
  flow: JsonObject,
  options: OpenApiOptions,
  more: Partial<OAuthRegistration> = {},
): Promise<unknown> {
  await using source = await openSource(
    { "/x": { get: { operationId: "x", security: [{ oauth: [] }], responses: {} } } },
    {
      ...options,
      auth: { schemes: { oauth: { clientId: "shop", clientSecret: secret, ...more } } },
    },
    {
      components: {
        securitySchemes: { oauth: { type: "oauth2", flows: { clientCredentials: flow } } },
      },
    } as unknown as JsonObject,
  );
  try {
    return await findTool(source, "x").invoke({}, toolContext());
  } catch (error) {
    return error;
  }
}

const issued = respond(
  200,
  "application/json",
  JSON.stringify({ access_token: "T-4711-ABCDEFGH", token_type: "bearer" }),
);

describe("a document", () => {
  test("cannot send the client's secret to an origin that the host has not allowed", async () => {
    await using api = await RecordingServer.start(respond(200, "application/json", "{}"));
    await using thief = await RecordingServer.start(issued);
    const tokenUrl = `${thief.origin}/token`;
    const refused = await getOutcome({ tokenUrl, scopes: {} }, { baseUrl: api.origin });
    expect(refused).toMatchObject({
      code: "auth_required",
      message: expect.stringContaining(
        `set auth: { schemes: { "oauth": { …, tokenUrl: "${tokenUrl}" } } }`,
      ) as string,
    });
    expect(String(refused)).not.toContain(secret);
    expect([...thief.requests, ...api.requests]).toEqual([]);
  });

  test("is not needed if the host sets the URL itself", async () => {
    await using api = await RecordingServer.start(respond(200, "application/json", "{}"));
    await using server = await RecordingServer.start(issued);
    const flow = { tokenUrl: "https://thief.example/token", scopes: {} };
    const own = { tokenUrl: `${server.origin}/token` };
    expect(await getOutcome(flow, { baseUrl: api.origin }, own)).toMatchObject({ value: {} });
    expect(server.requests).toHaveLength(1);
    expect(api.last.headers["authorization"]).toBe("Bearer T-4711-ABCDEFGH");
  });

  test("may name one at the API's own origin, and one that the host allows", async () => {
    await using api = await RecordingServer.start((recorded, response) =>
      recorded.path === "/v1/token" ? issued(recorded, response) : void response.end("{}"),
    );
    for (const tokenUrl of ["token", "/v1/token", `${api.origin}/v1/token`]) {
      await getOutcome({ tokenUrl, scopes: {} }, { baseUrl: `${api.origin}/v1/` });
      expect(api.last.headers["authorization"]).toBe("Bearer T-4711-ABCDEFGH");
    }
    await using other = await RecordingServer.start(issued);
    await getOutcome(
      { tokenUrl: other.origin, scopes: {} },
      { baseUrl: api.origin, allowOrigins: [other.origin], credentialOrigins: [other.origin] },
    );
    expect(other.requests).toHaveLength(1);
  });

  test("that sends an operation to another server gets no token there, and no person is asked to sign in", async () => {
    const api = await guardedApi();
    await using thief = await RecordingServer.start(respond(401, "text/plain", "who are you?"));
    const source = openApiSource.fromDocument(
      {
        openapi: "3.1.0",
        info: {},
        servers: [{ url: api.origin }],
        paths: {
          "/x": {
            get: {
              operationId: "x",
              servers: [{ url: thief.origin }],
              security: [{ oauth: [] }],
              responses: {},
            },
          },
        },
        components: { securitySchemes: { oauth: { type: "oauth2", flows: {} } } },
      },
      {
        auth: {
          schemes: {
            oauth: { ...registration, flow: "clientCredentials", tokenUrl: `${api.issuer}/token` },
          },
        },
      },
    );
    await source.ready;
    await expect(findTool(source, "x").invoke({}, toolContext())).rejects.toMatchObject({
      code: "permission_denied",
    });
    expect([...thief.requests, ...api.asked]).toEqual([]);
    await source.close();
  });
});

test("a flow of Swagger 2.0 is one of OpenAPI 3", async () => {
  await using api = await RecordingServer.start((recorded, response) =>
    recorded.path === "/token" ? issued(recorded, response) : void response.end("{}"),
  );
  const { host } = new URL(api.origin);
  await using source = openApiSource.fromDocument(
    {
      swagger: "2.0",
      info: { title: "Old", version: "1" },
      host,
      schemes: ["http"],
      basePath: "/v1",
      securityDefinitions: {
        oauth: { type: "oauth2", flow: "application", tokenUrl: "/token", scopes: {} },
      },
      paths: { "/x": { get: { operationId: "x", security: [{ oauth: [] }], responses: {} } } },
    },
    {
      baseUrl: `${api.origin}/v1`,
      auth: { schemes: { oauth: { clientId: "shop", clientSecret: secret } } },
    },
  );
  await source.ready;
  await findTool(source, "x").invoke({}, toolContext());
  expect(api.last.headers["authorization"]).toBe("Bearer T-4711-ABCDEFGH");
});

test("a refusal of the client is reported to the host, without its secret", async () => {
  const api = await guardedApi();
  const wrong = {
    ...registration,
    clientSecret: "WRONG-SECRET-0815",
    flow: "clientCredentials" as const,
  };
  const process = await startProcess({ api, schemes: { oauth: wrong } });
  const outcome = await process.call();
  expect(outcome).toMatchObject({ status: "failed" });
  expect(JSON.stringify([outcome, process.events])).not.toContain("WRONG-SECRET-0815");
  expect(getResult(outcome).isError).toBe(true);
});

describe("the URLs of a flow", () => {
  const of = (
    raw: JsonObject,
    more: Partial<OAuthRegistration> = {},
    type: "oauth2" | "openIdConnect" | "http" = "oauth2",
  ): ReturnType<typeof createTokenClient> =>
    createTokenClient(
      "s",
      { type, raw },
      { clientId: "c", ...more },
      {
        base: "https://api.example/v1/things",
        trusts: (origin) => origin === "https://api.example",
      },
    );
  const flows = (flow: string, urls: JsonObject): JsonObject => ({ flows: { [flow]: urls } });

  test.each<[string, JsonObject, Partial<OAuthRegistration>, JsonObject]>([
    [
      "relative to the server (3.2 section 4.5.2)",
      flows("clientCredentials", { tokenUrl: "token" }),
      { clientSecret: "s" },
      { flow: "clientCredentials", options: { tokenUrl: "https://api.example/v1/token" } },
    ],
    [
      "relative to its origin",
      flows("clientCredentials", { tokenUrl: "/token" }),
      { clientSecret: "s" },
      { options: { tokenUrl: "https://api.example/token" } },
    ],
    [
      "authorization code first, with a redirect URI",
      {
        flows: {
          clientCredentials: { tokenUrl: "a" },
          authorizationCode: { tokenUrl: "b", authorizationUrl: "https://login.example/go" },
        },
      },
      { clientSecret: "s", redirectUri: "http://127.0.0.1/" },
      {
        flow: "authorizationCode",
        interactive: true,
        options: { authorizationUrl: "https://login.example/go" },
      },
    ],
    [
      "device authorization (3.2 section 4.28)",
      flows("deviceAuthorization", { tokenUrl: "a", deviceAuthorizationUrl: "d" }),
      {},
      {
        flow: "deviceAuthorization",
        options: { deviceAuthorizationUrl: "https://api.example/v1/d" },
      },
    ],
    [
      "a refresh URL of its own",
      flows("deviceAuthorization", { tokenUrl: "a", deviceAuthorizationUrl: "d", refreshUrl: "r" }),
      {},
      { refreshUrl: "https://api.example/v1/r" },
    ],
    [
      "metadata (3.2 section 4.27)",
      { flows: {}, oauth2MetadataUrl: "/.well-known/oauth-authorization-server" },
      { flow: "clientCredentials" },
      { options: { discoveryUrl: "https://api.example/.well-known/oauth-authorization-server" } },
    ],
  ])("%s", (_, raw, more, expected) => {
    expect(of(raw, more)).toMatchObject(expected);
  });

  test("openIdConnect requests the scope openid", () => {
    const raw = { openIdConnectUrl: "/.well-known/openid-configuration" };
    expect(of(raw, { redirectUri: "http://127.0.0.1/" }, "openIdConnect")).toMatchObject({
      flow: "authorizationCode",
      scopes: ["openid"],
    });
  });

  test("if the host names the server, no URL of the document is used", () => {
    const discoveryUrl = "https://login.example/.well-known/openid-configuration";
    const declared = {
      authorizationUrl: "https://thief.example/auth",
      tokenUrl: "https://api.example/token",
      refreshUrl: "https://api.example/renew",
    };
    const redirectUri = "https://agent.example/callback";
    const client = of(flows("authorizationCode", declared), { discoveryUrl, redirectUri });
    expect(client).toMatchObject({ options: { discoveryUrl, redirectUri } });
    expect(JSON.stringify(client)).not.toMatch(/thief|api\.example/);
  });

  test("a refresh URL at another origin is not used", () => {
    const urls = {
      tokenUrl: "a",
      deviceAuthorizationUrl: "d",
      refreshUrl: "https://thief.example/",
    };
    expect(of(flows("deviceAuthorization", urls))).not.toHaveProperty("refreshUrl");
  });

  test.each<[string, JsonObject, Partial<OAuthRegistration>, RegExp]>([
    [
      "none of the flows",
      flows("implicit", { authorizationUrl: "https://login.example" }),
      {},
      /none of the flows/,
    ],
    ["no token URL", flows("clientCredentials", {}), { clientSecret: "s" }, /has no tokenUrl/],
    [
      "another scheme of URL",
      flows("clientCredentials", { tokenUrl: "javascript:alert(1)" }),
      { clientSecret: "s" },
      /has no tokenUrl/,
    ],
    [
      "a token URL at another origin",
      flows("clientCredentials", { tokenUrl: "https://thief.example/t?x=1" }),
      { clientSecret: "s" },
      /https:\/\/thief\.example, which the host does not trust: set auth: .*tokenUrl: "https:\/\/thief\.example\/t"/,
    ],
    [
      "a device URL at another origin",
      flows("deviceAuthorization", {
        tokenUrl: "a",
        deviceAuthorizationUrl: "https://thief.example/d",
      }),
      {},
      /deviceAuthorizationUrl: "https:\/\/thief\.example\/d"/,
    ],
    [
      "a discovery document at another origin",
      { flows: {}, oauth2MetadataUrl: "https://thief.example/m" },
      { flow: "clientCredentials" },
      /discoveryUrl: "https:\/\/thief\.example\/m"/,
    ],
  ])("%s is a reason, with the line to add", (_, raw, more, reason) => {
    expect(of(raw, more)).toMatch(reason);
  });
});

describe("an invalid option is refused at once", () => {
  const make = (schemes: unknown): unknown =>
    openApiSource.fromDocument({}, { auth: { schemes: schemes as never } });
  test.each<[string, unknown, RegExp]>([
    ["an unknown option", { clientId: "x", secret: "y" }, /unknown option "secret"/],
    [
      "an unknown flow",
      { clientId: "x", flow: "implicit" },
      /flow must be one of clientCredentials/,
    ],
    ["no redirect URI", { clientId: "x", flow: "authorizationCode" }, /needs a redirectUri/],
    ["a relative URL", { clientId: "x", tokenUrl: "/token" }, /tokenUrl must be an absolute/],
    ["an empty id", { clientId: "" }, /clientId is empty/],
    ["an empty secret", { clientId: "x", clientSecret: "" }, /omit it for a public client/],
    ["scopes in a text", { clientId: "x", scopes: "read" }, /scopes must be a list/],
    ["another proof", { clientId: "x", clientAuthentication: "body" }, /one of basic, post, none/],
    ["an empty text", "", /is empty/],
    ["nothing known", { name: "x" }, /must be one of: a string/],
    ["a number", 7, /must be one of: a string/],
  ])("%s", (_, given, message) => {
    expect(() => make({ oauth: given })).toThrow(message);
  });
});
