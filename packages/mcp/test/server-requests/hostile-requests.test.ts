import type { JsonObject, ToolContext } from "@toolweave/core";
import { describe, expect, it, vi } from "vitest";
import { ServerRequestHandler } from "../../src/server-requests/server-request-handler.ts";
import { readElicitation } from "../../src/server-requests/elicitation.ts";
import { handleInputRequired } from "../../src/calls/input-required.ts";

function form(properties: JsonObject, more: JsonObject = {}): unknown {
  const requestedSchema = { type: "object", properties, ...more };
  return readElicitation("s", { message: "m", requestedSchema }, async () => {});
}

const nested: JsonObject = {};
let inmost = nested;
for (let level = 0; level < 100_000; level++) {
  const next: JsonObject = {};
  Object.assign(inmost, { a: next });
  inmost = next;
}

describe("a form is rejected", () => {
  it.each(["pass\u200bword", "\u202epassword", "ｐａｓｓｗｏｒｄ", "pass\u00adword"])(
    "that disguises the secret it asks for, as %j",
    (name) => {
      expect(() => form({ [name]: { type: "string" } })).toThrow("asks for a secret");
    },
  );

  it.each<[string, JsonObject]>([
    ["refers to the network", { type: "string", $ref: "http://127.0.0.1:1/x" }],
    ["has a keyword with an invalid value", { type: "string", minLength: "1" }],
  ])("that %s", (_, field) => {
    expect(() => form({ a: field })).toThrow("not a valid schema");
  });

  it("with endless nesting", () => {
    expect(() => form({ a: { type: "string", default: nested } })).toThrow("form is too large");
  });

  it("in an error with terminal control sequences", () => {
    expect(() => form({ "a\u001b[31m\u202e": { type: "object" } })).toThrow('its field "a" is');
  });
});

describe("a round of requests is rejected", () => {
  const onSampling = vi.fn<() => never>();
  const asking = new ServerRequestHandler("s", { onSampling });
  const ctx = { callId: "c", signal: new AbortController().signal } as unknown as ToolContext;
  const asked = (answer: JsonObject): Promise<unknown> =>
    handleInputRequired(
      asking,
      ctx,
      undefined,
      async () => ({ resultType: "input_required", ...answer }),
      () => ({ content: [] }),
    );

  it("with a state that is too large to be stored", async () => {
    const requestState = "a".repeat(1_000_001);
    await expect(asked({ requestState })).rejects.toMatchObject({ code: "execution_failed" });
  });

  it("with keys that are too long", async () => {
    const question = { method: "elicitation/create", params: { message: "m" } };
    const inputRequests = { ["a".repeat(1_001)]: question };
    await expect(asked({ inputRequests })).rejects.toThrow("a key that is too long");
  });

  it.each<[string, JsonObject]>([
    ["without messages", { maxTokens: 10 }],
    ["with tools that the model does not accept", { messages: [], maxTokens: 10, tools: [] }],
  ])("that requests sampling %s", async (_, params) => {
    const inputRequests = {
      first: { method: "sampling/createMessage", params: { messages: [], maxTokens: 10 } },
      title: { method: "sampling/createMessage", params },
    };
    await expect(asked({ inputRequests })).rejects.toMatchObject({
      code: "execution_failed",
      message: expect.stringContaining("The MCP server s requires input before it continues."),
    });
    // All are checked before any is passed on.
    expect(onSampling).not.toHaveBeenCalled();
  });
});
