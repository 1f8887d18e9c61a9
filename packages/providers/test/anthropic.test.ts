import { expect, it } from "vitest";
import { anthropicTools } from "../src/index.ts";
import { pdf, png, getResult, wav } from "./support/result-of.ts";
import { toolsetWith } from "./support/toolset-of.ts";

const schema = { type: "object", properties: { $top: { type: "integer" } }, required: ["$top"] };
const { tools, calls, results } = anthropicTools(toolsetWith(schema));

it("a tool has names that the API accepts", () => {
  expect(tools).toEqual([
    {
      name: "do_it",
      description: "It does.",
      input_schema: { type: "object", properties: { top: { type: "integer" } }, required: ["top"] },
    },
  ]);
});

it("the calls have the tool's own names again, and arguments that are not an object are text", () => {
  const content = [
    { type: "text", text: "I look." },
    { type: "tool_use", id: "toolu_1", name: "do_it", input: { top: 3 } },
    { type: "server_tool_use", id: "srvtoolu_1", name: "web_search", input: { query: "x" } },
    { type: "tool_use", id: "toolu_2", name: "do_it", input: "3" },
    { type: "tool_use", id: "toolu_3", name: "unknown", input: [3] },
    { type: "tool_use", id: "toolu_4", name: "do_it" },
  ];
  expect(calls({ content })).toEqual([
    { id: "toolu_1", name: "do_it", arguments: { $top: 3 } },
    { id: "toolu_2", name: "do_it", arguments: "3" },
    { id: "toolu_3", name: "unknown", arguments: "[3]" },
    { id: "toolu_4", name: "do_it", arguments: "" },
  ]);
});

it("the results of a turn are one message, with images and documents", () => {
  const text = { type: "text", text: "Done." } as const;
  expect(results([getResult([text, png, pdf]), getResult([wav], { callId: "call_2" })])).toEqual([
    {
      role: "user",
      content: [
        {
          type: "tool_result",
          tool_use_id: "call_1",
          content: [
            { type: "text", text: "Done." },
            {
              type: "image",
              source: { type: "base64", media_type: "image/png", data: "iVBORw0KGgo=" },
            },
            {
              type: "document",
              source: { type: "base64", media_type: "application/pdf", data: "JVBERi0=" },
            },
          ],
        },
        {
          type: "tool_result",
          tool_use_id: "call_2",
          content: [{ type: "text", text: expect.stringContaining("audio/wav, 4 bytes") }],
        },
      ],
    },
  ]);
  expect(results([])).toEqual([]);
});

it("an error is marked as such, and is text only", () => {
  const [message] = results([getResult([{ type: "text", text: "" }, png], { isError: true })]);
  expect(message?.content).toEqual([
    {
      type: "tool_result",
      tool_use_id: "call_1",
      is_error: true,
      content: [{ type: "text", text: expect.stringContaining("image/png") }],
    },
  ]);
});
