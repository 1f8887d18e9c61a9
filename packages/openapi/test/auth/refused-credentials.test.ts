import type { JsonObject } from "@toolweave/core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { OpenApiOptions } from "../../src/index.ts";
import { RecordingServer, respond } from "@toolweave/test-support/recording-server";
import { call, rejection, openSource, findTool } from "../support/call-tool.ts";
import { auth, securitySchemes } from "./support/all-credentials.ts";

let server: RecordingServer;

beforeAll(async () => {
  server = await RecordingServer.start();
});
afterAll(() => server.close());

const ok = { "200": { description: "ok" } };

/** The text that a model reads of a call that is not sent. */
async function readText(
  security: JsonObject[],
  allowOrigins: readonly string[] = [],
): Promise<unknown> {
  await using source = await openSource(
    { "/x": { get: { operationId: "x", security, responses: {} } } },
    {
      baseUrl: server.origin,
      allowOrigins,
      credentialOrigins: allowOrigins,
      auth: { bearer: "T-4711-abc" },
    },
    { components: { securitySchemes } },
  );
  const { content } = await call(findTool(source, "x"));
  return (content[0] as { readonly text?: string }).text;
}

describe("a refused call", () => {
  test.each<[string, JsonObject[]]>([
    ["with a part of its credentials", [{ bearer: [], basic: [] }]],
    ["without any, where they are optional", [{ digest: [], basic: [] }, {}]],
  ])("%s names the reason why no request can be authorized", async (_how, security) => {
    server.answer = respond(401, "text/plain", "no");
    expect(await readText(security)).toMatch(
      /cannot be authorized, since it asks for "\w+" and "basic" at once, and both are the header authorization of a request\. Repeating/,
    );
  });

  test("by another origin, to which the API redirected, does not mention the credentials of the API", async () => {
    await using elsewhere = await RecordingServer.start(respond(401, "text/plain", "no"));
    server.answer = (_recorded, response) => {
      response.writeHead(302, { location: `${elsewhere.origin}/x` }).end();
    };
    expect(await readText([{ bearer: [] }], [elsewhere.origin])).toBe(
      `401 Unauthorized: no\nCredentials are missing: the API redirected the request to ${elsewhere.origin}, and credentials are not sent there. Repeating the call will not help.`,
    );
    expect(elsewhere.last.headers["authorization"]).toBeUndefined();
  });
});

describe("a refusal", () => {
  const refusedWith = async (
    status: number,
    options: OpenApiOptions,
    security?: JsonObject[],
  ): Promise<unknown> => {
    server.answer = respond(status, "text/plain", "no");
    const operation = {
      operationId: "x",
      responses: ok,
      ...(security === undefined ? {} : { security }),
    };
    await using source = await openSource(
      { "/x": { get: operation } },
      { baseUrl: server.origin, ...options },
      { components: { securitySchemes } },
    );
    const output = await call(findTool(source, "x"));
    server.answer = respond(200, "application/json", "{}");
    return { code: output.error?.code, text: (output.content[0] as { text: string }).text };
  };

  test("without credentials names the missing ones", async () => {
    expect(await refusedWith(401, {}, [{ bearer: [] }])).toMatchObject({
      code: "auth_required",
      text: expect.stringMatching(
        /^401 Unauthorized: no\nCredentials are missing: .*`auth`.*bearer/,
      ) as string,
    });
    expect(await refusedWith(403, {})).toMatchObject({
      code: "upstream",
      text: "403 Forbidden: no",
    });
  });

  test("of sent credentials reports that, and the ones that the document requires", async () => {
    expect(await refusedWith(401, { auth })).toMatchObject({
      code: "upstream",
      text: expect.stringContaining("credentials were refused") as string,
    });
    const other = await refusedWith(401, { auth: { bearer: "TOKEN" } }, [{ header_key: [] }]);
    expect(other).toMatchObject({
      text: expect.stringContaining(
        "to renew or replace them (the document asks for header_key, an API key in the header X-Key; the host has configured a bearer token)",
      ) as string,
    });
    expect(await refusedWith(403, { auth })).toMatchObject({
      code: "upstream",
      text: expect.stringContaining("do not permit this") as string,
    });
  });

  test("of credentials without a scheme in the document is predicted when it is loaded", async () => {
    const operation = { operationId: "x", responses: ok, security: [{ bearer: [] }] };
    await using source = await openSource(
      { "/x": { get: operation } },
      {
        baseUrl: "http://127.0.0.1:1",
        auth: { schemes: { baerer: "TOKEN", header_key: "KEY+123" } },
      },
      { components: { securitySchemes } },
    );
    expect(source.problems).toMatchObject([
      {
        severity: "warning",
        message: expect.stringMatching(
          /^auth\.schemes has "baerer", which is not a security scheme .*"bearer"/,
        ) as string,
      },
    ]);
  });

  test("of a token that no client may request is predicted in problems, with the line to add", async () => {
    const tokenUrl = "https://login.example/token";
    const flows = { clientCredentials: { tokenUrl, scopes: {} } };
    const operation = { operationId: "x", responses: ok, security: [{ machine: [] }] };
    await using source = await openSource(
      { "/x": { get: operation } },
      {
        baseUrl: "https://api.example",
        auth: { schemes: { machine: { clientId: "agent", clientSecret: "of the vault" } } },
      },
      { components: { securitySchemes: { machine: { type: "oauth2", flows } } } },
    );
    source.realize();
    expect(source.problems).toMatchObject([
      {
        message: expect.stringMatching(
          /^It cannot be called, because .*tokenUrl: "https:\/\/login\.example\/token"/,
        ) as string,
      },
    ]);
  });

  test("that no request can avoid is predicted in problems", async () => {
    const get = (operationId: string, security: JsonObject[]): JsonObject => ({
      get: { operationId, responses: ok, security },
    });
    await using source = await openSource(
      {
        "/both": get("both", [{ digest: [], bearer: [] }]),
        "/unknown": get("unknown", [{ undeclared: [] }]),
        "/either": get("either", [{ digest: [], bearer: [] }, { mtls: [] }]),
      },
      { baseUrl: "https://api.example" },
      { components: { securitySchemes } },
    );
    source.realize();
    expect(source.problems).toMatchObject([
      {
        subject: "GET /both",
        severity: "warning",
        message: expect.stringContaining(
          'asks for "digest" and "bearer" at once, and both are the header authorization',
        ) as string,
      },
      {
        subject: "GET /unknown",
        severity: "warning",
        message: expect.stringContaining(
          '"undeclared", which the document does not declare',
        ) as string,
      },
    ]);
    expect(source.tools()).toHaveLength(3);
  });

  test("by the host's own function for a secret is auth_required", async () => {
    for (const bearer of [
      (): never => {
        throw new Error("vault: SECRET");
      },
      (): Promise<string> => Promise.reject(new Error("vault: SECRET")),
    ]) {
      await using source = await openSource(
        { "/x": { get: { operationId: "x", responses: ok } } },
        {
          baseUrl: server.origin,
          auth: { bearer },
        },
      );
      const error = await rejection(findTool(source, "x"));
      expect(error).toMatchObject({
        code: "auth_required",
        message: expect.not.stringContaining("SECRET") as string,
      });
    }
  });
});
