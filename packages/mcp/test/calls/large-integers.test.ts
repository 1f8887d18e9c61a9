import type { ToolOutcome } from "@toolweave/core";
import { describe, expect, it } from "vitest";
import { greets, rawHttp } from "../support/raw-http.ts";
import { executorOver, opened } from "../support/open-source.ts";

const outputSchema = { type: "object", properties: { id: { type: "integer" } } };
const tools = [{ name: "look", inputSchema: { type: "object" }, outputSchema }];
const value = '{"id":1234567890123456789,"in":[-9007199254740993]}';

/** The outcome of a call that a server answers with this result, as JSON or as an event. */
async function looked(result: string, asEvent: boolean): Promise<ToolOutcome> {
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
  return executorOver(source).execute({ id: "1", name: "look", arguments: {} });
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
        content: [{ type: "text", text: block }],
        details: { _meta: { a: 1 }, warnings: [expect.stringContaining("1234567890123456789")] },
      },
    });
  });
});
