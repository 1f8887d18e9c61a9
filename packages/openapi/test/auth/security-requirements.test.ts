import type { JsonObject, Tool, ToolContext } from "@toolweave/core";
import { memoryCredentials, type Credential } from "@toolweave/core/stores";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { RecordingServer, respond } from "@toolweave/test-support/recording-server";
import { openSource, findTool } from "../support/call-tool.ts";
import {
  a,
  b,
  cases,
  secret,
  securitySchemes,
  token,
  type RequirementCase,
} from "./support/requirement-cases.ts";
import { toolContext } from "../support/tool-context.ts";

let server: RecordingServer;

beforeAll(async () => {
  server = await RecordingServer.start(respond(200, "application/json", "{}"));
});
afterAll(() => server.close());

async function toolWith({
  security,
  all,
  auth,
  store,
}: Omit<RequirementCase, "section" | "says" | "sent">): Promise<{
  readonly tool: Tool;
  readonly context: ToolContext;
  readonly close: () => Promise<void>;
}> {
  const credentials = memoryCredentials();
  for (const [name, credential] of Object.entries(store ?? {})) {
    void credentials.set({ source: "api", scheme: name, caller: "ada" }, credential);
  }
  const source = await openSource(
    {
      "/x": {
        get: { operationId: "x", responses: {}, ...(security === undefined ? {} : { security }) },
      },
    },
    {
      id: "api",
      baseUrl: server.origin,
      auth: { ...auth, ...(store === undefined ? {} : { store: credentials }) },
    },
    {
      components: { securitySchemes },
      ...(all === undefined ? {} : { security: all }),
    } as JsonObject,
  );
  return {
    tool: findTool(source, "x"),
    context: { ...toolContext(), caller: { id: "ada" } },
    close: () => source.close(),
  };
}

describe("OpenAPI 3.2.0", () => {
  test.each(cases)("$section: $says", async ({ sent, ...given }) => {
    const { tool, context, close } = await toolWith(given);
    await tool.invoke({}, context);
    await close();
    const { headers, query } = server.last;
    const found: Record<string, string | undefined> = { query: query === "" ? undefined : query };
    for (const name of ["authorization", "x-key", "cookie"]) found[name] = headers[name];
    expect(found).toEqual({
      query: undefined,
      authorization: undefined,
      "x-key": undefined,
      cookie: undefined,
      ...sent,
    });
  });
});

describe("a credential that does not suffice", () => {
  test.each<[string, JsonObject[], Readonly<Record<string, Credential>>, RegExp]>([
    [
      "for its scopes",
      [{ oauth: ["write", "read"] }],
      { oauth: token("ADA", ["read"]) },
      /was not granted write/,
    ],
    [
      "for its age",
      [{ oauth: [] }],
      { oauth: { type: "token", accessToken: "OLD", expiresAt: 1 } },
      /has expired/,
    ],
    ["for its kind", [{ basic: [] }], { basic: secret("x") }, /not a user name with its password/],
    ["with a line break", [a], { header: secret("key\n") }, /not a string without line breaks/],
    ["that no URL can contain", [b], { query: secret("\ud800") }, /not a string without/],
    ["being empty", [a], { header: secret("") }, /empty or is not a string/],
  ])("%s is an error that says so, and nothing is sent", async (_, security, store, message) => {
    const { tool, context, close } = await toolWith({ security, store, auth: {} });
    const before = server.requests.length;
    await expect(tool.invoke({}, context)).rejects.toMatchObject({
      code: "auth_required",
      message: expect.stringMatching(message) as string,
    });
    expect(server.requests).toHaveLength(before);
    await close();
  });
});
