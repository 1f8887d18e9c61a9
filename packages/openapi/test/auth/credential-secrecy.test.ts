import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { RecordingServer, respond, type Recorded } from "@toolweave/test-support/recording-server";
import { call, rejection, openSource, findTool } from "../support/call-tool.ts";
import { auth, basicHeader, securitySchemes } from "./support/all-credentials.ts";

let server: RecordingServer;

beforeAll(async () => {
  server = await RecordingServer.start();
});
afterAll(() => server.close());

const ok = { "200": { description: "ok" } };

describe("credentials are never revealed", () => {
  const echo = (recorded: Recorded): string =>
    JSON.stringify({ headers: recorded.headers, query: decodeURIComponent(recorded.query) });

  test.each([200, 400])("by an API that echoes them, with status %i", async (status) => {
    server.answer = (recorded, response) =>
      response
        .writeHead(status, {
          "content-type": "application/json",
          link: `<${recorded.headers["x-key"]}>`,
        })
        .end(echo(recorded));
    await using source = await openSource(
      {
        "/x": {
          get: {
            operationId: "x",
            responses: ok,
            security: [{ query_key: [], header_key: [], basic: [], cookie_key: [] }],
          },
        },
      },
      { baseUrl: server.origin, auth, headers: { "X-Auth-Token": "HOST-SECRET" } },
      { components: { securitySchemes } },
    );
    const output = await call(findTool(source, "x"));
    server.answer = respond(200, "application/json", "{}");
    const everything = JSON.stringify([output, output.error?.message]);
    for (const secret of ["KEY+123", "HOST-SECRET", "sécret", basicHeader.slice(6)])
      expect(everything).not.toContain(secret);
    expect(everything).toContain("[redacted]");
  });

  test("but a plain word that happens to be a password does not garble answers", async () => {
    server.answer = respond(200, "application/json", '{"password":"changed"}');
    await using source = await openSource(
      { "/x": { get: { operationId: "x", responses: ok } } },
      {
        baseUrl: server.origin,
        auth: { basic: { username: "me", password: "password" } },
      },
    );
    expect((await call(findTool(source, "x"))).value).toEqual({ password: "changed" });
  });

  test("by the spec, the source or an error", async () => {
    await using source = await openSource(
      {
        "/x": {
          post: {
            operationId: "x",
            responses: ok,
            security: [{ query_key: [] }],
            parameters: [{ name: "key&", in: "query", required: true, schema: { type: "string" } }],
          },
        },
      },
      { baseUrl: "http://127.0.0.1:1", auth },
      { components: { securitySchemes } },
    );
    const tool = findTool(source, "x");
    const permissions = await tool.preflight?.({}, {} as never);
    const failure = (await rejection(tool)) as Error;
    expect(
      JSON.stringify([tool.spec, source.problems, permissions, failure, failure.message]),
    ).not.toContain("KEY");
    expect(tool.spec.inputSchema).toEqual({
      type: "object",
      properties: {},
      additionalProperties: false,
    });
  });
});
