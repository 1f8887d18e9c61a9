import { fileURLToPath } from "node:url";
import type { JsonObject, JsonValue, ToolExecutor, ToolOutcome } from "@toolweave/core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { mcpSource, type McpSource } from "../../src/index.ts";
import { cover } from "../support/library.ts";
import { executorOver, findTool } from "../support/open-source.ts";

let source: McpSource;
let executor: ToolExecutor;

beforeAll(async () => {
  const file = fileURLToPath(new URL("../support/echoing-server.ts", import.meta.url));
  source = mcpSource({ name: "odd", prefix: false, command: process.execPath, args: [file] });
  await source.ready;
  executor = executorOver(source);
});

afterAll(() => source.close());

const context = {
  signal: new AbortController().signal,
  progress() {},
  idempotencyKey: async () => "k",
} as never;

const ran = "The call did run: do not repeat it before checking what it did.";

function answered(result: JsonValue, name = "answer"): Promise<ToolOutcome> {
  return executor.execute({ id: "1", name, arguments: { result } });
}

function refused(error: JsonObject): Promise<ToolOutcome> {
  return executor.execute({ id: "1", name: "answer", arguments: { error } });
}

describe("an answer", () => {
  const blocks: readonly JsonObject[] = [
    {
      type: "text",
      text: "Emma",
      annotations: { audience: ["user"], priority: 1 },
      _meta: { a: 1 },
    },
    {
      type: "image",
      data: cover,
      mimeType: "image/png",
      annotations: { lastModified: "2026-01-01" },
    },
    { type: "audio", data: "UklGRg", mimeType: "audio/wav", _meta: { "b/c": [null] } },
    {
      type: "resource_link",
      uri: "book://1",
      name: "emma",
      title: "Emma",
      description: "A novel.",
      mimeType: "text/plain",
      size: 7,
      icons: [{ src: "https://books.example/icon.png", sizes: ["48x48"], theme: "dark" }],
    },
    { type: "resource", resource: { uri: "book://1", mimeType: "text/plain", text: "Emma" } },
    { type: "resource", resource: { uri: "book://1/cover", blob: cover, _meta: { c: "d" } } },
  ];

  it.each(blocks)("keeps its $type block unchanged", async (block) => {
    const tool = findTool(source, "answer");
    expect(await tool.invoke({ result: { content: [block] } }, context)).toEqual({
      content: [block],
    });
  });

  it.each([{ a: 1 }, [1, 2], "text", 0, false, null])(
    "keeps %j as its structured value",
    async (value) => {
      expect(await answered({ content: [], structuredContent: value })).toMatchObject({
        status: "completed",
        result: { value, content: [{ type: "text", text: JSON.stringify(value) }] },
      });
    },
  );

  it("keeps its _meta for the host", async () => {
    expect(await answered({ content: [], _meta: { "a/b": { c: 1 } } })).toMatchObject({
      result: { details: { _meta: { "a/b": { c: 1 } } }, content: [] },
    });
  });

  it("that is an error keeps all of its content", async () => {
    const content = [{ type: "text", text: "There is no book 7." }];
    expect(await answered({ content, isError: true, structuredContent: { id: 7 } })).toMatchObject({
      status: "completed",
      result: { isError: true, content: [...content, { text: '{"id":7}' }], value: { id: 7 } },
    });
  });

  it("can have blocks of unknown types: their JSON is the text", async () => {
    const block = { type: "hologram", data: [1] };
    expect(await answered({ content: [block] })).toMatchObject({
      status: "completed",
      result: { content: [{ type: "text", text: JSON.stringify(block) }] },
    });
  });

  it.each<readonly [string, JsonValue]>([
    ["is not an object", "done"],
    ["is nothing", null],
    ["has no content", { nope: 1 }],
    ["is an error without content", { isError: true }],
    ["has content that is not a list", { content: "done" }],
    ["has content that is not a list beside a value", { content: {}, structuredContent: 1 }],
    ["has a block that is not an object", { content: ["done"] }],
    ["has a block without a type", { content: [{ text: "done" }] }],
    ["has a block whose type is not a string", { content: [{ type: 7, text: "done" }] }],
    ["has a text without text", { content: [{ type: "text" }] }],
    ["has an image without bytes", { content: [{ type: "image", mimeType: "image/png" }] }],
    [
      "has an image that is not base64",
      { content: [{ type: "image", mimeType: "image/png", data: "%%" }] },
    ],
    [
      "has audio that is not base64",
      { content: [{ type: "audio", mimeType: "audio/wav", data: "a=b" }] },
    ],
    ["has a resource without one", { content: [{ type: "resource" }] }],
    [
      "has a blob that is not base64",
      { content: [{ type: "resource", resource: { uri: "a:b", blob: "é" } }] },
    ],
  ])("MC20: that %s is an error, which says that the call did run", async (_, result) => {
    expect(await answered(result)).toMatchObject({
      status: "failed",
      error: { code: "invalid_output", message: expect.stringContaining(ran) },
      result: { isError: true },
    });
  });

  it("MC20: is checked for valid base64 in linear time", async () => {
    const data = `${" ".repeat(2_000_000)}%`;
    expect(
      await answered({ content: [{ type: "image", mimeType: "image/png", data }] }),
    ).toMatchObject({
      error: { code: "invalid_output" },
    });
  });

  it("of an unknown result type is an error", async () => {
    expect(await answered({ resultType: "perhaps", content: [] })).toMatchObject({
      status: "failed",
      error: { code: "execution_failed", message: expect.stringContaining('"perhaps"') },
    });
  });

  it.each<JsonValue>([{ pages: "many" }, {}, [], 7, null])(
    "MC21: whose structured content is %j violates its output schema, and is an error",
    async (structuredContent) => {
      expect(await answered({ content: [], structuredContent }, "count")).toMatchObject({
        status: "failed",
        error: { code: "invalid_output", message: expect.stringContaining(ran) },
        result: { isError: true },
      });
    },
  );

  it("MC21: without the structured content of its output schema is an error", async () => {
    const content = [{ type: "text", text: "7" }];
    expect(await answered({ content }, "count")).toMatchObject({
      error: { code: "invalid_output" },
    });
    expect(await answered({ content, structuredContent: { pages: 7 } }, "count")).toMatchObject({
      result: { value: { pages: 7 } },
    });
  });
});

describe("a refusal", () => {
  it("for the arguments is one that a model can repair", async () => {
    expect(await refused({ code: -32602, message: "pages: expected a number" })).toMatchObject({
      status: "failed",
      error: { code: "invalid_arguments", audience: "model", message: "pages: expected a number" },
    });
  });

  it("of another kind keeps the server's message, within limits", async () => {
    const data = { shelf: 3 };
    expect(
      await refused({ code: -32000, message: "The shelf is\u200B full.", data }),
    ).toMatchObject({
      error: {
        code: "upstream",
        message: "The shelf is full.",
        body: { code: -32000, message: "The shelf is full.", data },
      },
    });
    const long = await refused({
      code: -32603,
      message: "x".repeat(100_000),
      data: "y".repeat(100_000),
    });
    if (long.status !== "failed") throw new Error(long.status);
    expect(JSON.stringify(long.error).length).toBeLessThan(5_000);
  });

  it.each([
    { code: -32000, message: "Not connected", data: { status: 404 } },
    { code: -32000, message: "fetch failed", data: { status: 401 } },
    { code: 404, message: "No session", data: { status: 400, text: "session" } },
  ])("is the server's own, and nothing of the connection's: $message", async (error) => {
    expect(await refused(error)).toMatchObject({ status: "failed", error: { code: "upstream" } });
  });

  it("for a missing client capability names it", async () => {
    const message = "Missing: sampling";
    expect(await refused({ code: -32021, message })).toMatchObject({
      error: { code: "execution_failed", message: expect.stringContaining(message) },
    });
  });

  it("outside of the protocol is an error too", async () => {
    for (const error of [
      {},
      { code: "x", message: 7 },
      { code: -32042, data: { elicitations: [] } },
    ]) {
      expect(await refused(error)).toMatchObject({ status: "failed", error: { code: "upstream" } });
    }
  });
});
