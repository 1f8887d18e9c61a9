import { describe, expect, it } from "vitest";
import { SseParser } from "@toolweave/http";
import { invalidChunkListener } from "../../../src/transport/messages/read-message.ts";
import type { McpServer } from "../../../src/index.ts";
import { rawServer } from "../../support/open-connection.ts";
import { greets, rawHttp, said } from "../../support/raw-http.ts";
import { executorOver, opened } from "../../support/open-source.ts";

/** A result whose text is "Jürgen" in Latin-1. */
function latin(id: unknown): Buffer {
  const text = JSON.stringify({ jsonrpc: "2.0", id, result: said("J|rgen") });
  const [begin = "", end = ""] = text.split("|");
  return Buffer.concat([Buffer.from(begin), Buffer.of(0xfc), Buffer.from(end)]);
}

async function overHttp(asEvent: boolean): Promise<McpServer> {
  const url = await rawHttp((exchange) => {
    const { message, response, json, stream } = exchange;
    if (greets(exchange)) return;
    if (message.method === "tools/list") {
      return json({ result: { tools: [{ name: "latin", inputSchema: { type: "object" } }] } });
    }
    if (asEvent) {
      stream();
      response.end(Buffer.concat([Buffer.from("data: "), latin(message.id), Buffer.from("\n\n")]));
    } else {
      response.writeHead(200, { "content-type": "application/json" }).end(latin(message.id));
    }
  });
  return { name: "raw", url };
}

describe("text that is not valid UTF-8", () => {
  it.each([
    ["a line over stdio", (): McpServer | Promise<McpServer> => rawServer()],
    ["JSON over HTTP", () => overHttp(false)],
    ["an event", () => overHttp(true)],
  ])("as %s is read with replacement characters, and a problem names it once", async (_, serve) => {
    const server = await serve();
    const source = opened({ ...server, prefix: false });
    await source.ready;
    expect(source.problems).toEqual([]);
    const executor = executorOver(source);
    for (const id of ["1", "2"]) {
      expect(await executor.execute({ id, name: "latin", arguments: {} })).toMatchObject({
        result: { content: [{ type: "text", text: "J\uFFFDrgen" }] },
      });
    }
    expect(source.problems).toEqual([
      {
        subject: server.name,
        severity: "warning",
        message: expect.stringMatching(/not valid UTF-8.*U\+FFFD: .*J\uFFFDrgen/) as string,
      },
    ]);
  });

  it("is not reported for U+FFFD sent by the server, in any chunks", () => {
    const invalid: string[] = [];
    const texts: string[] = [];
    const reader = new SseParser({
      onEvent: ({ data }) => void texts.push(data),
      onText: invalidChunkListener((text) => void invalid.push(text)),
    });
    const bytes = Buffer.from("data: a\uFFFDü🙂\uFFFD\n\n");
    for (const byte of bytes) reader.push(Buffer.of(byte));
    reader.push(bytes);
    reader.push(bytes.subarray(0, 9));
    reader.push(bytes.subarray(9));
    expect(texts).toEqual(Array.from({ length: 3 }, () => "a\uFFFDü🙂\uFFFD"));
    expect(invalid).toEqual([]);
  });
});
