import { ToolExecutor, ToolRegistry, type ContentBlock } from "@toolweave/core";
import { call, resultsRead, say, scripted } from "@toolweave/test-support/scripted-turns";
import { tool } from "ai";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { aiSource, aiTools } from "../../src/index.ts";
import type { ModelOutput } from "../../src/source/sdk-output.ts";
import { sourced } from "../support/sourced.ts";
import { Conversation } from "../support/conversation.ts";

type Shown = Awaited<ModelOutput>;

const png = "iVBORw0KGgo=";
const pngBytes = Buffer.from(png, "base64");

async function readContent(
  output: Shown,
): Promise<{ content: readonly ContentBlock[]; isError: boolean }> {
  const { call: run } = await sourced({
    show: tool({
      inputSchema: z.object({}),
      execute: () => ({ raw: 1 }),
      toModelOutput: () => output,
    }),
  });
  const outcome = await run("show");
  if (outcome.status !== "completed") throw new Error(`It ended as ${outcome.status}.`);
  expect(outcome.result.value).toEqual({ raw: 1 });
  return outcome.result;
}

describe("the model's output of a tool of the SDK", () => {
  it.each<[string, Shown, string, boolean]>([
    ["text", { type: "text", value: "seen" }, "seen", false],
    ["JSON", { type: "json", value: { a: [1] } }, '{"a":[1]}', false],
    ["an error", { type: "error-text", value: "gone" }, "gone", true],
    ["an error as JSON", { type: "error-json", value: { code: 410 } }, '{"code":410}', true],
    ["a refusal", { type: "execution-denied", reason: "closed" }, "closed", true],
    ["a refusal without a reason", { type: "execution-denied" }, "It was not run.", true],
  ])("is %s as declared", async (_what, output, text, isError) => {
    expect(await readContent(output)).toMatchObject({ content: [{ type: "text", text }], isError });
  });

  it("is images, audio and files if declared, and a note if no other provider can read it", async () => {
    const { content } = await readContent({
      type: "content",
      value: [
        { type: "text", text: "see" },
        { type: "file", mediaType: "image/png", data: { type: "data", data: pngBytes } },
        { type: "file", mediaType: "image/png", data: { type: "data", data: png } },
        { type: "file", mediaType: "text/plain", data: { type: "text", text: "words" } },
        {
          type: "file",
          mediaType: "application/pdf",
          filename: "a guide.pdf",
          data: { type: "url", url: new URL("https://museum.example/guide.pdf") },
        },
        {
          type: "file",
          mediaType: "image/png",
          data: { type: "reference", reference: { x: "1" } },
        },
        { type: "image-data", mediaType: "image/png", data: png },
        { type: "image-url", url: "https://museum.example/a.png" },
        { type: "file-id", fileId: "f1" },
        { type: "custom" },
      ],
    });
    const image = { type: "image", data: png, mimeType: "image/png" };
    const stored = { type: "text", text: "[a file that is stored at its provider]" };
    expect(content).toMatchObject([
      { type: "text", text: "see" },
      image,
      image,
      { type: "text", text: "words" },
      {
        type: "resource_link",
        uri: "https://museum.example/guide.pdf",
        name: "a guide.pdf",
        mimeType: "application/pdf",
      },
      stored,
      image,
      { type: "resource_link", uri: "https://museum.example/a.png" },
      stored,
      { type: "text", text: "[something that its provider alone can read]" },
    ]);
  });

  it("is an MCP client's answer, as content", async () => {
    const { call: run } = await sourced({
      theirs: tool({
        inputSchema: z.object({}),
        execute: () => ({ content: [{ type: "text", text: "no such file" }], isError: true }),
      }),
    });
    const outcome = await run("theirs");
    expect(outcome).toMatchObject({
      status: "completed",
      result: { content: [{ type: "text", text: "no such file" }], isError: true },
    });
  });

  it("is, for the host, the tool's return value, whatever JSON that is", async () => {
    let output: unknown;
    const { call: run } = await sourced({
      say: tool({ inputSchema: z.object({}), execute: () => output }),
    });
    // Text is content alone; JSON has one zero.
    const values = fc
      .jsonValue()
      .filter((value) => typeof value !== "string")
      .map((value) => JSON.parse(JSON.stringify(value)) as unknown);
    await fc.assert(
      fc.asyncProperty(values, async (value) => {
        output = value;
        const outcome = await run("say");
        expect(outcome.status).toBe("completed");
        if (outcome.status !== "completed") return;
        expect(outcome.result.value).toEqual(value);
        const [only] = outcome.result.content;
        expect(only?.type === "text" && JSON.parse(only.text)).toEqual(value);
      }),
    );
  });

  it("is returned to the SDK unchanged, through a registry", async () => {
    const cover = tool({
      description: "Show the cover.",
      inputSchema: z.object({}),
      execute: () => pngBytes,
      toModelOutput: ({ output }) => ({
        type: "content",
        value: [{ type: "file", mediaType: "image/png", data: { type: "data", data: output } }],
      }),
    });
    const registry = new ToolRegistry([aiSource({ cover })]);
    const executor = new ToolExecutor({ registry, policy: "autonomous" });
    const model = scripted([call("c1", "cover")], [say("seen")]);
    await new Conversation().go(model, await aiTools(executor));
    expect(resultsRead(model)["c1"]).toMatchObject({
      type: "content",
      value: [{ type: "file", mediaType: "image/png", data: { data: png } }],
    });
  });
});

describe("the result of an MCP server's tool, as the SDK's client returns it,", () => {
  const toModelOutput = ({ output }: { output: unknown }): Shown => ({
    type: "content",
    value: (output as { content: { type: "text"; text: string }[] }).content,
  });

  it.each([true, false])("keeps its error and its structured content (%s)", async (hasOwn) => {
    const result = {
      content: [{ type: "text", text: "There is no book 7." }],
      structuredContent: { id: 7 },
      isError: true,
      _meta: { a: 1 },
    };
    const { call: run } = await sourced({
      show: tool({
        inputSchema: z.object({}),
        execute: () => result,
        ...(hasOwn ? { toModelOutput } : {}),
      }),
    });
    expect(await run("show")).toMatchObject({
      status: "completed",
      result: {
        isError: true,
        content: [{ text: "There is no book 7." }, { text: '{"id":7}' }],
      },
    });
  });
});
