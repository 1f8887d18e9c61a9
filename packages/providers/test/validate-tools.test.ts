import { describe, expect, it } from "vitest";
import { providerRules, validateTools } from "../src/index.ts";

const parameters = { type: "object", properties: {} };

describe("a list from another library", () => {
  it("is refused by OpenAI for an invalid name, a duplicate one, and the contents of a schema", () => {
    const tools = [
      { type: "function", function: { name: "read.file", parameters } },
      { type: "function", function: { name: "write", parameters: { type: "object", anyOf: [] } } },
      { type: "function", function: { name: "write", parameters } },
      { type: "function", function: { parameters: null } },
      { type: "custom", custom: { name: "not ours" } },
    ];
    expect(
      validateTools("openai", tools).map(({ tool, rule, path }) => [tool, rule, path]),
    ).toEqual([
      ["read.file", "toolName", undefined],
      ["write", "root", "/anyOf"],
      ["write", "properties", ""],
      ["write", "toolName", undefined],
      [3, "toolName", undefined],
      [3, "root", ""],
    ]);
  });

  it("is checked by the rules of strict functions if it is strict, and if it does not declare otherwise", () => {
    const open = { type: "object", properties: { a: { type: "string" } } };
    const listRules = (tool: object) => validateTools("openai", [tool]).map(({ rule }) => rule);
    expect(listRules({ type: "function", name: "a", parameters: open, strict: true })).toEqual([
      "closedObjects",
      "closedObjects",
    ]);
    expect(listRules({ type: "function", name: "a", parameters: open })).toHaveLength(2);
    expect(listRules({ type: "function", name: "a", parameters: open, strict: false })).toEqual([]);
    expect(listRules({ type: "function", function: { name: "a", parameters: open } })).toEqual([]);
  });

  it("is too long for OpenAI with more than 128 functions", () => {
    const tools = Array.from({ length: 129 }, (_, index) => ({
      type: "function",
      function: { name: `f${index}`, parameters },
    }));
    expect(validateTools("openai", tools)).toEqual([
      {
        rule: "toolCount",
        message: "129 tools; at most 128 in one request",
        source: providerRules.openai.toolCount?.source,
      },
    ]);
  });

  it("is refused by Anthropic for the names of arguments; its own tools are skipped", () => {
    const tools = [
      { type: "web_search_20250305", name: "web search" },
      { name: "list", input_schema: { type: "object", properties: { "filter[x]": {} } } },
    ];
    expect(validateTools("anthropic", tools)).toEqual([
      {
        tool: "list",
        path: "/properties/filter[x]",
        rule: "propertyNames",
        message: expect.stringContaining("does not match"),
        source: providerRules.anthropic.propertyNames?.source,
      },
    ]);
  });

  it("is refused by Anthropic for keywords of drafts before 2020-12", () => {
    const items = [{ type: "string" }];
    const a = { type: "array", items };
    const schema = {
      type: "object",
      properties: { a, b: { type: "number", exclusiveMinimum: true } },
    };
    expect(validateTools("anthropic", [{ name: "a", input_schema: schema }])).toMatchObject([
      { path: "/properties/a/items", rule: "dialect", message: "items is not a schema." },
      { path: "/properties/b/exclusiveMinimum", rule: "dialect" },
    ]);
  });

  it("is refused by Gemini for keywords, and accepts functions without arguments", () => {
    const bad = { type: "object", properties: { a: { type: "integer", exclusiveMinimum: 0 } } };
    const functionDeclarations = [{ name: "a" }, { name: "b", parametersJsonSchema: bad }];
    expect(validateTools("gemini", [{ functionDeclarations }, { googleSearch: {} }])).toMatchObject(
      [{ tool: "b", path: "/properties/a/exclusiveMinimum", rule: "keywords" }],
    );
  });

  it("is refused by Bedrock for an empty description and an invalid schema", () => {
    const tools = [
      { toolSpec: { name: "a", description: "", inputSchema: { json: { type: "string" } } } },
      { cachePoint: { type: "default" } },
    ];
    expect(validateTools("bedrock", tools).map(({ rule }) => rule)).toEqual([
      "description",
      "root",
    ]);
  });

  it("is refused if a reference cannot be resolved", () => {
    const schema = {
      type: "object",
      properties: { a: { $ref: "#/$defs/b" }, c: { $ref: "#/properties/a" } },
    };
    expect(validateTools("anthropic", [{ name: "a", input_schema: schema }])).toMatchObject([
      { path: "/properties/a", rule: "references" },
    ]);
  });
});
