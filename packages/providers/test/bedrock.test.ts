import { expect, it } from "vitest";
import { bedrockTools } from "../src/index.ts";
import { pdf, png, getResult, wav } from "./support/result-of.ts";
import { createTool, createToolset } from "./support/toolset-of.ts";

const schema = {
  type: "object",
  title: "Arguments",
  properties: { size: { $ref: "#/$defs/size" } },
  $defs: { size: { type: "integer" } },
};
const { tools, calls, results } = bedrockTools(
  createToolset(createTool("do_it", schema), createTool("mute", { type: "object" }, "")),
);

it("a tool has no references, and no description if it has none", () => {
  expect(tools).toEqual([
    {
      toolSpec: {
        name: "do_it",
        description: "It does.",
        inputSchema: { json: { type: "object", properties: { size: { type: "integer" } } } },
      },
    },
    { toolSpec: { name: "mute", inputSchema: { json: { type: "object", properties: {} } } } },
  ]);
});

it("the calls are the model's, not the server's", () => {
  const content = [
    { text: "I look." },
    { toolUse: { toolUseId: "t1", name: "do_it", input: { size: 1 } } },
    { toolUse: { toolUseId: "t2", name: "nova_grounding", input: {}, type: "server_tool_use" } },
    { toolUse: { toolUseId: "t3", name: "unknown", input: null } },
  ];
  expect(calls({ output: { message: { role: "assistant", content } } })).toEqual([
    { id: "t1", name: "do_it", arguments: { size: 1 } },
    { id: "t3", name: "unknown", arguments: {} },
  ]);
  expect(calls({})).toEqual([]);
});

it("the results of a turn are one message of bytes for the SDK, and of base64 as JSON", () => {
  const value = { ok: true };
  const messages = results([
    getResult([{ type: "text", text: '{"ok":true}' }], { value }),
    getResult([png, pdf, wav], { callId: "call_2" }),
    getResult([{ type: "text", text: "No." }], { isError: true, callId: "call_3" }),
  ]);
  const [, withImage] = messages[0]?.content ?? [];
  const [image] = withImage?.toolResult.content ?? [];
  expect(image).toHaveProperty("image.source.bytes", expect.any(Uint8Array));
  expect(JSON.parse(JSON.stringify(messages))).toEqual([
    {
      role: "user",
      content: [
        { toolResult: { toolUseId: "call_1", content: [{ json: value }] } },
        {
          toolResult: {
            toolUseId: "call_2",
            content: [
              { image: { format: "png", source: { bytes: "iVBORw0KGgo=" } } },
              {
                document: {
                  format: "pdf",
                  name: expect.stringMatching(/^document-[0-9a-z]{7}-1$/),
                  source: { bytes: "JVBERi0=" },
                },
              },
              { text: expect.stringContaining("audio/wav") },
            ],
          },
        },
        { toolResult: { toolUseId: "call_3", content: [{ text: "No." }], status: "error" } },
      ],
    },
  ]);
});

it("a file that is not base64 is named, not sent", () => {
  const broken = { type: "image", data: "%%%", mimeType: "image/png" } as const;
  const [message] = results([getResult([broken])]);
  expect(message?.content[0]?.toolResult.content).toEqual([
    { text: expect.stringContaining("image/png") },
  ]);
});
