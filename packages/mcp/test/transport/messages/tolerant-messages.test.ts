import { describe, expect, it } from "vitest";
import { toSample, toTextSample } from "../../../src/transport/messages/read-message.ts";
import { formatLogMessage } from "../../../src/server-requests/inbound-messages.ts";
import { toProgressMessage } from "../../../src/calls/call-output.ts";
import { toDisplayName } from "../../../src/listing/text-sanitizer.ts";
import { toConnectError } from "../../../src/transport/call-error.ts";
import { connected, readText } from "../../support/open-connection.ts";
import { greets, rawHttp, said } from "../../support/raw-http.ts";

describe("a message of a server over HTTP", () => {
  it("may begin with a byte order mark, as JSON and as an event, and have its id as text", async () => {
    const url = await rawHttp((exchange) => {
      const { message, response, stream } = exchange;
      const id = String(message.id);
      if (message.method !== "tools/call") {
        if (greets({ ...exchange, message, json: (body) => exchange.json({ ...body, id }) }))
          return;
        return;
      }
      const answer = `\uFEFF${JSON.stringify({ jsonrpc: "2.0", id, result: said("done") })}`;
      if (message.params?.name === "event") {
        stream();
        return void response.end(`data: ${answer}\n\n`);
      }
      response.writeHead(200, { "content-type": "application/json" }).end(answer);
    });
    const connection = await connected({ name: "raw", url });
    expect(await readText(connection, "json")).toBe("done");
    expect(await readText(connection, "event")).toBe("done");
  });
});

describe("a sample of what is no message", () => {
  it.each([
    ["\u001b[31mnpm WARN\u001b[0m", "npm WARN"],
    ["🙂".repeat(101), "🙂".repeat(100)],
    [`a${"🙂".repeat(100)}`, `a${"🙂".repeat(99)}`],
    ["{\0}\0", "{} (in UTF-16? Messages must be in UTF-8)"],
  ])("of %j is visible and whole", (text, sample) => expect(toTextSample(text)).toBe(sample));

  it("has the message of an error without an id", () => {
    const error = { code: -32_700, message: "Parse error" };
    expect(toSample({ jsonrpc: "2.0", id: null, error })).toBe(
      "an error without an id: Parse error",
    );
  });
});

describe("a text that is cut", () => {
  const faces = (before: number): string => "a".repeat(before) + "🙂".repeat(3_000);
  const isWhole = (text: string): boolean => !/[\ud800-\udbff](?![\udc00-\udfff])|�/.test(text);

  it("has no half of a surrogate pair", () => {
    for (const before of [0, 1]) {
      const text = faces(before);
      for (const cut of [
        toProgressMessage(text),
        toDisplayName(text),
        formatLogMessage({ level: "info", logger: text, data: text }),
        toConnectError("s", new Error(text)).message,
      ])
        expect(isWhole(cut)).toBe(true);
    }
  });
});
