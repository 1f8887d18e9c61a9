import { expect, it } from "vitest";
import { executorOver, opened } from "../support/open-source.ts";
import { webOrigin } from "../support/web-origin.ts";

const meta = { resultType: "complete", ttlMs: 0, cacheScope: "private" };

const inputSchema = (properties: object): object => ({ type: "object", properties });
const annotated = (name: string, more: object = {}): object => ({
  type: "string",
  "x-mcp-header": name,
  ...more,
});

const answers: Readonly<Record<string, object>> = {
  "server/discover": {
    ...meta,
    supportedVersions: ["2026-07-28"],
    capabilities: { tools: {} },
    serverInfo: { name: "headers", version: "1" },
  },
  "tools/list": {
    ...meta,
    tools: [
      {
        name: "move",
        inputSchema: inputSchema({
          region: annotated("Region"),
          password: annotated("Password", { writeOnly: true }),
        }),
      },
      { name: "injects", inputSchema: inputSchema({ a: annotated("X\r\nAuthorization") }) },
      { name: "claims", inputSchema: inputSchema({ a: annotated("Authorization") }) },
      { name: "doubles", inputSchema: inputSchema({ a: annotated("A"), b: annotated("a") }) },
    ],
  },
  "tools/call": { resultType: "complete", content: [] },
};

it("MC24, MC25: tools with invalid headers are rejected, and secrets are not sent in headers", async () => {
  const server = await webOrigin();
  server.says.set("/mcp", ({ body }) => {
    const { id, method } = JSON.parse(body) as { id: number; method: string };
    return { body: { jsonrpc: "2.0", id, result: answers[method] } };
  });
  const source = opened({ name: "headers", url: `${server.origin}/mcp`, prefix: false });
  await source.ready;
  expect(source.tools().map(({ spec }) => spec.name)).toEqual(["move"]);
  expect(source.problems.map(({ subject }) => subject).toSorted()).toEqual([
    "claims",
    "doubles",
    "injects",
    "move",
  ]);
  const args = { region: "süd", password: "open sesame" };
  await executorOver(source).execute({ id: "1", name: "move", arguments: args });
  const call = server.asked.find(({ headers }) => headers["mcp-method"] === "tools/call");
  expect(call?.headers["mcp-param-region"]).toBe("=?base64?c8O8ZA==?=");
  expect(call?.headers).not.toHaveProperty("mcp-param-password");
  expect(call?.body).toContain("open sesame");
});
