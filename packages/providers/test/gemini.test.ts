import { expect, it } from "vitest";
import { geminiTools } from "../src/index.ts";
import { pdf, png, getResult, wav } from "./support/result-of.ts";
import { createTool, createToolset } from "./support/toolset-of.ts";

const schema = {
  type: "object",
  properties: { "page-size": { type: "integer", exclusiveMinimum: 0 } },
};
const nothing = { type: "object", properties: {}, additionalProperties: false };
const toolset = createToolset(createTool("do_it", schema), createTool("now", nothing));
const { tools, calls, results } = geminiTools(toolset);

it("all functions are one tool, and one without arguments has no schema", () => {
  expect(tools).toEqual([
    {
      functionDeclarations: [
        {
          name: "do_it",
          description: "It does.",
          parametersJsonSchema: {
            type: "object",
            properties: { page_size: { type: "integer", minimum: 0 } },
          },
        },
        { name: "now", description: "It does." },
      ],
    },
  ]);
  expect(geminiTools(createToolset()).tools).toEqual([]);
});

it("calls have their own names again; those without an id get one, and those without arguments none", () => {
  const parts = [
    { text: "I look." },
    { functionCall: { id: "c1", name: "do_it", args: { page_size: 2 } }, thoughtSignature: "x" },
    { functionCall: { name: "now" } },
    { functionCall: { name: "unknown", args: "x" } },
  ];
  expect(calls({ candidates: [{ content: { parts, role: "model" } }] })).toEqual([
    { id: "c1", name: "do_it", arguments: { "page-size": 2 } },
    { id: expect.stringMatching(/^toolweave_/), name: "now", arguments: {} },
    { id: expect.stringMatching(/^toolweave_/), name: "unknown", arguments: "x" },
  ]);
  expect(calls({})).toEqual([]);
});

it("results are one content, with the structured value if that is the model's text", () => {
  const value = { temperature: 21 };
  const json = { type: "text", text: '{"temperature":21}' } as const;
  const preview = { type: "text", text: '{"temp… and 9 MB more' } as const;
  const outcomes = [
    getResult([json], { value }),
    getResult([preview], { value, callId: "call_2" }),
    getResult([{ type: "text", text: "No." }], { isError: true, callId: "call_3" }),
  ];
  const [content, ...more] = results(outcomes);
  expect(more).toEqual([]);
  expect(content?.role).toBe("user");
  expect(content?.parts.map(({ functionResponse }) => functionResponse)).toEqual([
    { id: "call_1", name: "do_it", response: { output: value } },
    { id: "call_2", name: "do_it", response: { output: preview.text } },
    { id: "call_3", name: "do_it", response: { error: "No." } },
  ]);
});

it("a result of a call that had no id has none, either", () => {
  const [call] = calls({
    candidates: [{ content: { parts: [{ functionCall: { name: "now" } }] } }],
  });
  const [content] = results([getResult([], { callId: call?.id ?? "", toolName: "now" })]);
  expect(content?.parts).toEqual([
    { functionResponse: { name: "now", response: { output: "(no output)" } } },
  ]);
});

it("images and documents are sent beside the JSON, and other content is named in it", () => {
  const [content] = results([getResult([{ type: "text", text: "Look." }, png, pdf, wav])]);
  expect(content?.parts[0]?.functionResponse).toEqual({
    id: "call_1",
    name: "do_it",
    response: { output: expect.stringMatching(/^Look\.\n\[audio\/wav, 4 bytes, not shown/) },
    parts: [
      { inlineData: { mimeType: "image/png", data: "iVBORw0KGgo=" } },
      { inlineData: { mimeType: "application/pdf", data: "JVBERi0=" } },
    ],
  });
});
