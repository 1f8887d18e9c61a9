import { Client as OldClient } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as OldHttp } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import type { JsonObject, Tool } from "@toolweave/core";
import { describe, expect, it, onTestFinished } from "vitest";
import { openClient, echo, eras, post, serving, readText } from "../support/open-gateway.ts";

/** A tool with an output schema whose call completes with an error and a value, as an OpenAPI tool does after a 404. */
function notFoundTool(outputSchema?: JsonObject): Tool {
  const tool = echo("get_painting");
  return {
    ...tool,
    spec: { ...tool.spec, ...(outputSchema === undefined ? {} : { outputSchema }) },
    invoke: () => ({
      content: [{ type: "text", text: "404 Not Found: There is no painting 7." }],
      isError: true,
      value: { problem: "There is no painting 7." },
    }),
  };
}

const painting: JsonObject = {
  type: "object",
  properties: { id: { type: "integer" } },
  required: ["id"],
  additionalProperties: false,
};
const call = { name: "get_painting", arguments: {} };
const params = { ...call, _meta: {} };

describe("an error result of a tool with an output schema", () => {
  it.each(eras)("reaches the model through the official client 2.x, %s", async (era) => {
    const { url } = await serving({ tools: [notFoundTool(painting)] });
    const client = await openClient(url, era);
    expect((await client.listTools()).tools.map(({ name }) => name)).toContain("get_painting");
    const result = await client.callTool(call);
    expect([result.isError, readText(result)]).toEqual([
      true,
      "404 Not Found: There is no painting 7.",
    ]);
  });

  it("reaches the model through the official client 1.x", async () => {
    const { url } = await serving({ tools: [notFoundTool(painting)] });
    const client = new OldClient({ name: "host", version: "1" });
    await client.connect(new OldHttp(new URL(url)) as never);
    onTestFinished(() => client.close());
    const { tools } = await client.listTools();
    expect(tools.find(({ name }) => name === "get_painting")?.outputSchema).toBeDefined();
    const { isError, content } = await client.callTool(call);
    expect([isError, readText({ content })]).toEqual([
      true,
      "404 Not Found: There is no painting 7.",
    ]);
  });

  it("is sent without structured content", async () => {
    const { url } = await serving({ tools: [notFoundTool(painting)] });
    const { result = {} } = await post(url, "tools/call", params);
    expect(result).toMatchObject({ isError: true });
    expect(result).not.toHaveProperty("structuredContent");
  });

  it("keeps its structured content if there is no output schema", async () => {
    const { url } = await serving({ tools: [notFoundTool()] });
    const { result = {} } = await post(url, "tools/call", params);
    expect(result["structuredContent"]).toEqual({ problem: "There is no painting 7." });
  });
});

describe.each(eras)("a call that a rule denies, of a %s client,", (era) => {
  const rule = { tools: "delete_*", effect: "deny", reason: "Ada deletes paintings" } as const;
  const policy = { default: "allow", rules: [rule] } as const;

  it("is answered with the reason of the rule that hides the tool", async () => {
    const { url } = await serving({ tools: [echo("delete_painting")], executor: { policy } });
    const client = await openClient(url, era);
    await expect(client.callTool({ name: "delete_painting", arguments: {} })).rejects.toMatchObject(
      { message: expect.stringContaining("(Ada deletes paintings)") as string },
    );
  });
});
