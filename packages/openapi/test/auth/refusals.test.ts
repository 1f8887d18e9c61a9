import type { JsonObject } from "@toolweave/core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { RecordingServer, respond } from "../support/recording-server.ts";
import { call, sourceOf, toolOf } from "../support/tool-of.ts";
import { securitySchemes } from "./support/requirement-cases.ts";

let server: RecordingServer;

beforeAll(async () => {
  server = await RecordingServer.start();
});
afterAll(() => server.close());

/** What a model reads of a call that goes nowhere. */
async function textOf(
  security: JsonObject[],
  allowOrigins: readonly string[] = [],
): Promise<unknown> {
  await using source = await sourceOf(
    { "/x": { get: { operationId: "x", security, responses: {} } } },
    { baseUrl: server.origin, allowOrigins, auth: { bearer: "T-4711-abc" } },
    { components: { securitySchemes } } as unknown as JsonObject,
  );
  const { content } = await call(toolOf(source, "x"));
  return (content[0] as { readonly text?: string }).text;
}

describe("a call that is refused", () => {
  test.each<[string, JsonObject[]]>([
    ["with a part of its credentials", [{ bearer: [], basic: [] }]],
    ["without any, where they are optional", [{ digest: [], basic: [] }, {}]],
  ])("%s says why no request can be authorised", async (_how, security) => {
    server.answer = respond(401, "text/plain", "no");
    expect(await textOf(security)).toMatch(
      /cannot be authorised, since it asks for "\w+" and "basic" at once, and both are the header authorization of a request\. Repeating/,
    );
  });

  test("by another origin, to which the API redirected, says nothing of what the API got", async () => {
    await using elsewhere = await RecordingServer.start(respond(401, "text/plain", "no"));
    server.answer = (_recorded, response) => {
      response.writeHead(302, { location: `${elsewhere.origin}/x` }).end();
    };
    expect(await textOf([{ bearer: [] }], [elsewhere.origin])).toBe(
      `401 Unauthorized: no\nCredentials are missing: the API redirected the request to ${elsewhere.origin}, and they do not go there. Repeating the call will not help.`,
    );
    expect(elsewhere.last.headers["authorization"]).toBeUndefined();
  });
});
