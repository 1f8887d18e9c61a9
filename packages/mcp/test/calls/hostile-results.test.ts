import type { JsonObject, JsonValue } from "@toolweave/core";
import { describe, expect, it } from "vitest";
import { ConnectionClosedError } from "../../src/transport/messages/transport-errors.ts";
import type { Requester } from "../../src/connection/requester.ts";
import { listPages } from "../../src/resources/server-provider.ts";
import { toCallError, toConnectError } from "../../src/transport/call-error.ts";
import { toToolOutput, toProgressMessage } from "../../src/calls/call-output.ts";

let nested: JsonValue = [];
for (let level = 0; level < 100_000; level++) nested = [nested];

describe("endless nesting", () => {
  it.each<[string, JsonObject]>([
    ["in a structured answer", { content: [], structuredContent: { a: nested } }],
    ["in a block of an unknown type", { content: [{ type: "odd", a: nested }] }],
  ])("%s is an invalid answer, and the error says that the call did run", (_, answer) => {
    expect(() => toToolOutput("s", answer)).toThrow("is too deeply nested. The call did run");
  });

  it("in the data of an error is omitted", () => {
    const error = toCallError("s", { code: 5, message: "full", data: nested });
    expect([error.code, error.message, error.body]).toEqual([
      "upstream",
      "full",
      { code: 5, message: "full" },
    ]);
  });
});

describe("terminal control sequences are removed from", () => {
  const steering = "\u001b]0;title\u0007\u001b[31mred\u202e";

  it("the error of a start that was written to standard error", () => {
    const { message } = toConnectError("s", new ConnectionClosedError("it has ended", steering));
    expect(message).toBe(
      "The MCP server s cannot be connected to: it has ended. Standard error: red",
    );
  });

  it("the error of an unknown result type", () => {
    expect(() => toToolOutput("s", { resultType: steering })).toThrow(
      'returned a result of the type "red"',
    );
  });

  it("progress, which is truncated first", () => {
    expect(toProgressMessage(steering)).toBe("red");
    expect(toProgressMessage("a".repeat(10_000_000)).length).toBe(2_000);
  });
});

it("an endless list of resources is cut off at fifty million characters, without entries that are too deep", async () => {
  const name = "n".repeat(1_000_000);
  let pages = 0;
  const request = async (): Promise<unknown> => {
    const entry = { uri: `a:${++pages}`, name };
    const resources = [...Array.from({ length: 9 }, () => entry), { uri: "deep", a: nested }];
    return { resources, nextCursor: `${pages}` };
  };
  const { signal } = new AbortController();
  const page = await listPages({ request } as unknown as Requester, {}, "resources", signal);
  expect(page.entries.length).toBe(49);
  expect(page.entries.every(({ uri }) => uri !== "deep")).toBe(true);
});
