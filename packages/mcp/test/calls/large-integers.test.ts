import { ToolExecutor, ToolRegistry, type ToolOutcome } from "@toolweave/core";
import { describe, expect, it, onTestFinished } from "vitest";
import { serveMcp } from "../../src/gateway/index.ts";
import type { McpSource } from "../../src/index.ts";
import { greets, rawHttp } from "../support/raw-http.ts";
import { requestFor } from "../support/open-gateway.ts";
import { executorOver, opened } from "../support/open-source.ts";

const outputSchema = { type: "object", properties: { id: { type: "integer" } } };
const tools = [{ name: "look", inputSchema: { type: "object" }, outputSchema }];
const value = '{"id":1234567890123456789,"in":[-9007199254740993]}';

/** The source of a server that answers each call with this result, as JSON or as an event. */
async function looking(result: string, asEvent: boolean): Promise<McpSource> {
  const url = await rawHttp((exchange) => {
    const { message, response, json, stream } = exchange;
    if (greets(exchange)) return;
    if (message.method === "tools/list") return json({ result: { tools } });
    const answer = `{"jsonrpc":"2.0","id":${message.id},"result":${result}}`;
    if (asEvent) {
      stream();
      response.end(`data: ${answer}\n\n`);
    } else response.writeHead(200, { "content-type": "application/json" }).end(answer);
  });
  const source = opened({ name: "raw", url, prefix: false });
  await source.ready;
  return source;
}

/** The outcome of a call. */
async function looked(result: string, asEvent: boolean): Promise<ToolOutcome> {
  const source = await looking(result, asEvent);
  return executorOver(source).execute({ id: "1", name: "look", arguments: {} });
}

/** The text of the response of a gateway over the server. */
async function lookedThroughGateway(result: string): Promise<string> {
  const registry = new ToolRegistry([await looking(result, false)]);
  const gateway = serveMcp(registry, new ToolExecutor({ registry, policy: "autonomous" }));
  onTestFinished(() => gateway.close({ graceMs: 0 }));
  const call = requestFor("http://127.0.0.1/mcp", "tools/call", { name: "look", arguments: {} });
  return (await gateway.fetch(call)).text();
}

describe("an integer beyond 2^53 in a result", () => {
  it.each([
    ["JSON", false],
    ["an event", true],
  ])("as %s has its digits for the model and is an integer in the value", async (_, asEvent) => {
    expect(await looked(`{"structuredContent":${value}}`, asEvent)).toMatchObject({
      status: "completed",
      result: {
        content: [{ type: "text", text: value }],
        value: JSON.parse(value),
        details: {
          warnings: [
            "The value holds integers beyond 2^53 rounded; the content has their digits: 1234567890123456789, -9007199254740993.",
          ],
        },
      },
    });
  });

  it("has its digits in a block of an unknown type, and `_meta` stays beside the warning", async () => {
    const block = '{"type":"chart","at":9007199254740993}';
    const result = `{"content":[${block}],"structuredContent":${value},"_meta":{"a":1}}`;
    expect(await looked(result, false)).toMatchObject({
      result: {
        content: [{ type: "text", text: block }, { text: value }],
        details: { _meta: { a: 1 }, warnings: [expect.stringContaining("1234567890123456789")] },
      },
    });
  });

  it("is rounded in the structured content of a gateway, whose content has its digits", async () => {
    const block = { type: "text", text: value };
    for (const content of ["", `"content":[${JSON.stringify(block)}],`]) {
      const response = await lookedThroughGateway(`{${content}"structuredContent":${value}}`);
      expect(response).toContain(`"content":[${JSON.stringify(block)}]`);
      const rounded = '{"id":1234567890123456800,"in":[-9007199254740992]}';
      expect(response).toContain(`"structuredContent":${rounded}`);
    }
  });

  it("is a warning in the `_meta` of a gateway's result, beside that of the server", async () => {
    const response = await lookedThroughGateway(`{"structuredContent":${value},"_meta":{"a":1}}`);
    const text =
      "The value holds integers beyond 2^53 rounded; the content has their digits: 1234567890123456789, -9007199254740993.";
    expect(response).toContain(`"_meta":{"a":1,"toolweave/warnings":["${text}"]`);
    const exact = await lookedThroughGateway('{"structuredContent":{"id":1}}');
    expect(exact).not.toContain("toolweave/warnings");
  });
});
