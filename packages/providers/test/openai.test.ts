import { describe, expect, it } from "vitest";
import { openAiChatTools, openAiResponsesTools } from "../src/index.ts";
import { link, pdf, png, getResult, wav } from "./support/result-of.ts";
import { createTool, createToolset, toolsetWith } from "./support/toolset-of.ts";

const schema = {
  type: "object",
  properties: { city: { type: "string" }, days: { type: "integer" } },
  required: ["city"],
};
const closed = {
  type: "object",
  properties: { city: { type: "string" }, days: { type: ["integer", "null"] } },
  required: ["city", "days"],
  additionalProperties: false,
};

describe("the list of functions", () => {
  it("is the chat API's, with the schemas as they are", () => {
    const { tools, problems, simplified } = openAiChatTools(toolsetWith(schema));
    expect(tools).toEqual([
      {
        type: "function",
        function: { name: "do_it", description: "It does.", parameters: schema, strict: false },
      },
    ]);
    expect([problems, simplified]).toEqual([[], []]);
  });

  it("is the Responses API's, which needs `strict: false`", () => {
    expect(openAiResponsesTools(toolsetWith(schema)).tools).toEqual([
      {
        type: "function",
        name: "do_it",
        description: "It does.",
        parameters: schema,
        strict: false,
      },
    ]);
  });

  it("is strict on request: all properties are required, and optional ones may be null", () => {
    const [tool] = openAiResponsesTools(toolsetWith(schema), { strict: true }).tools;
    expect(tool).toMatchObject({ parameters: closed, strict: true });
    const [ofChat] = openAiChatTools(toolsetWith(schema), { strict: true }).tools;
    expect(ofChat?.function).toMatchObject({ parameters: closed, strict: true });
  });

  it("refuses an unknown option", () => {
    const options = { strikt: true } as object;
    expect(() => openAiChatTools(createToolset(), options)).toThrow("Did you mean strict?");
  });

  it("of more than 128 tools is complete, and reported as too long", () => {
    const tools = Array.from({ length: 129 }, (_, index) => createTool(`tool_${index}`, schema));
    const exported = openAiChatTools(createToolset(...tools));
    expect(exported.tools).toHaveLength(129);
    expect(exported.problems).toEqual([{ message: expect.stringContaining("129 tools") }]);
  });
});

describe.each([
  ["keys without names", { type: "object", additionalProperties: { type: "string" } }],
  [
    "keys with only a pattern",
    { type: "object", properties: { a: { type: "string" } }, patternProperties: { "^x": {} } },
  ],
  ["an object of anything", { type: "object" }],
  ["a value of any type", { description: "Anything." }],
  ["an array of anything", { type: "array" }],
  ["an optional null that differs from absence", { type: ["string", "null"] }],
])("a strict list with a tool that has %s", (_, value) => {
  it("has that tool as not strict, with the place of the reason", () => {
    const tight = createTool("a_tight", schema);
    const loose = createTool("loose", { type: "object", properties: { value } });
    const { tools, simplified } = openAiResponsesTools(createToolset(tight, loose), {
      strict: true,
    });
    expect(tools.map(({ name, strict }) => [name, strict])).toEqual([
      ["a_tight", true],
      ["loose", false],
    ]);
    expect(tools[1]?.parameters).toMatchObject({ properties: { value } });
    expect(simplified).toMatchObject([{ tool: "loose" }]);
  });
});

describe("the calls in a chat completion", () => {
  const { calls } = openAiChatTools(toolsetWith(schema));
  const completion = (...tool_calls: unknown[]) => ({ choices: [{ message: { tool_calls } }] });
  const asked = (id: unknown, name: unknown, args: unknown) => ({
    id,
    type: "function",
    function: { name, arguments: args },
  });

  it("are all present, in order, with the text that the model wrote", () => {
    const response = completion(
      asked("call_1", "do_it", '{"city":"Rome"}'),
      asked("call_2", "do_it", '{"city":"Oslo","days":2}'),
    );
    expect(calls(response)).toEqual([
      { id: "call_1", name: "do_it", arguments: '{"city":"Rome"}' },
      { id: "call_2", name: "do_it", arguments: '{"city":"Oslo","days":2}' },
    ]);
  });

  it("are kept if they are malformed: the executor reports the error", () => {
    const response = completion(
      asked("1", "do_it", '{"city": "Ro'),
      asked("2", "no_such_tool", "{}"),
      asked("3", undefined, undefined),
      asked("4", "do_it", { city: "Rome" }),
      asked("5", "do_it", ["Rome"]),
      asked("6", "do_it", ""),
    );
    expect(calls(response)).toEqual([
      { id: "1", name: "do_it", arguments: '{"city": "Ro' },
      { id: "2", name: "no_such_tool", arguments: "{}" },
      { id: "3", name: "", arguments: "" },
      { id: "4", name: "do_it", arguments: { city: "Rome" } },
      { id: "5", name: "do_it", arguments: '["Rome"]' },
      { id: "6", name: "do_it", arguments: "" },
    ]);
  });

  it("get their own id if the server gave them none", () => {
    const [first, second] = calls(
      completion(asked(undefined, "do_it", "{}"), asked("", "do_it", "{}")),
    );
    expect(first?.id).toMatch(/^toolweave_[0-9a-f]{32}$/);
    expect(second?.id).not.toBe(first?.id);
  });

  it("are absent in an answer of text, and in any other value", () => {
    expect(calls({ choices: [{ message: {} }] })).toEqual([]);
    for (const other of [{}, { choices: [null] }, { choices: [{ message: { tool_calls: {} } }] }]) {
      expect(calls(other as never)).toEqual([]);
    }
  });

  it("exclude those of the host's own custom tools", () => {
    const custom = { id: "1", type: "custom", custom: { name: "shell", input: "ls" } };
    expect(calls(completion(custom))).toEqual([]);
  });
});

it("the calls in a response of the Responses API are its function calls", () => {
  const { calls } = openAiResponsesTools(toolsetWith(schema));
  const output = [
    { type: "reasoning", summary: [] },
    { type: "function_call", id: "fc_1", call_id: "call_1", name: "do_it", arguments: "{}" },
    { type: "web_search_call", id: "ws_1" },
    { type: "function_call", id: "fc_2", call_id: "call_2", name: "do_it", arguments: "{]" },
  ];
  expect(calls({ output })).toEqual([
    { id: "call_1", name: "do_it", arguments: "{}" },
    { id: "call_2", name: "do_it", arguments: "{]" },
  ]);
});

describe("the results", () => {
  const chat = openAiChatTools(toolsetWith(schema));
  const responses = openAiResponsesTools(toolsetWith(schema));
  const text = { type: "text", text: "Sunny." } as const;

  it("are one message each", () => {
    const outcomes = [getResult([text]), getResult([text], { callId: "call_2" })];
    expect(chat.results(outcomes)).toEqual([
      { role: "tool", tool_call_id: "call_1", content: "Sunny." },
      { role: "tool", tool_call_id: "call_2", content: "Sunny." },
    ]);
    expect(responses.results(outcomes.slice(0, 1))).toEqual([
      { type: "function_call_output", call_id: "call_1", output: "Sunny." },
    ]);
  });

  it("are never empty", () => {
    expect(chat.results([getResult([])])[0]?.content).toBe("(no output)");
  });

  it("name in a chat the content that it cannot contain", () => {
    const [message] = chat.results([getResult([text, png, pdf, link])]);
    expect(message?.content.split("\n")).toEqual([
      "Sunny.",
      expect.stringMatching(/^\[image\/png, 8 bytes, not shown/),
      expect.stringMatching(/^\[file:\/\/\/out\/report.pdf, application\/pdf, 5 bytes, not shown/),
      "a: https://example.org/a",
    ]);
  });

  it("send images and documents to the Responses API, and name other content", () => {
    expect(responses.results([getResult([text, png, pdf, wav])])).toEqual([
      {
        type: "function_call_output",
        call_id: "call_1",
        output: [
          { type: "input_text", text: "Sunny." },
          { type: "input_image", image_url: "data:image/png;base64,iVBORw0KGgo=", detail: "auto" },
          {
            type: "input_file",
            filename: "report.pdf",
            file_data: "data:application/pdf;base64,JVBERi0=",
          },
          { type: "input_text", text: expect.stringContaining("audio/wav") },
        ],
      },
    ]);
  });
});
