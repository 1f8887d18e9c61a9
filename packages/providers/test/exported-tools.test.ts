import { defineTool, ToolExecutor, ToolRegistry, type JsonSchema } from "@toolweave/core";
import fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import {
  anthropicTools,
  bedrockTools,
  geminiTools,
  openAiChatTools,
  openAiResponsesTools,
  validateTools,
} from "../src/index.ts";
import { getResult } from "./support/result-of.ts";
import { createTool, createToolset, toolsetWith } from "./support/toolset-of.ts";

const good = { type: "object", properties: { a: { type: "string" } } };
const everyDoor = [
  ["openAiChatTools", openAiChatTools],
  ["openAiResponsesTools", openAiResponsesTools],
  ["anthropicTools", anthropicTools],
  ["geminiTools", geminiTools],
  ["bedrockTools", bedrockTools],
] as const;

describe.each(everyDoor)("%s", (_, exported) => {
  it.each<[string, unknown, string]>([
    ["is not an object", null, "The schema is no object."],
    ["is a list", [], "The schema is no object."],
    ["has an invalid type", { type: "object", properties: { a: { type: "any" } } }, "type is not"],
    [
      "has `required` of older drafts",
      { properties: { a: { required: true } } },
      "required is not",
    ],
    ["accepts only texts", { type: "string" }, "The schema accepts no object."],
    ["is false", { allOf: [false] }, "The schema accepts no object."],
    ["leads nowhere", { type: "object", properties: { a: { $ref: "#/$defs/b" } } }, "#/$defs/b"],
    [
      "leads out",
      { type: "object", properties: { a: { $ref: "https://x.example/y" } } },
      "https://x.example/y",
    ],
  ])("omits a tool whose schema %s, and keeps the others", (_, schema, message) => {
    const bad = createTool("bad", schema as JsonSchema);
    const { tools, problems } = exported(createToolset(bad, createTool("fine", good)));
    expect(problems).toEqual([
      { tool: "bad", path: expect.any(String), message: expect.stringContaining(message) },
    ]);
    expect(JSON.stringify(tools)).toContain('"fine"');
    expect(JSON.stringify(tools)).not.toContain('"bad"');
  });

  it("omits a tool whose schema throws", () => {
    const bad = createTool("bad", good);
    Object.defineProperty(bad.spec, "inputSchema", {
      get() {
        throw new Error("no document");
      },
    });
    const { problems } = exported(createToolset(bad, createTool("fine", good)));
    expect(problems).toMatchObject([
      { tool: "bad", message: expect.stringContaining("no document") },
    ]);
  });

  it("omits a tool whose schema nests without an end", () => {
    let deep: JsonSchema = {};
    for (let level = 0; level < 20_000; level++) deep = { items: deep };
    const bad = createTool("bad", { type: "object", properties: { deep } });
    const { problems } = exported(createToolset(bad, createTool("fine", good)));
    expect(problems.map(({ tool }) => tool)).toEqual(["bad"]);
  });

  it("creates the list of a snapshot once, and reads each schema once for all snapshots", () => {
    const tool = createTool("do_it", good);
    const read = vi.fn<() => JsonSchema>(() => good);
    Object.defineProperty(tool.spec, "inputSchema", { get: read });
    const toolset = createToolset(tool);
    expect(exported(toolset)).toBe(exported(toolset));
    expect(() => exported(toolset).tools.pop()).toThrow(TypeError);
    const other = exported(createToolset(tool, createTool("fine", good)));
    expect(other).not.toBe(exported(toolset));
    expect(read).toHaveBeenCalledTimes(1);
  });

  it("refuses an interrupted call as a result, with the next step", async () => {
    const ask = defineTool({
      name: "ask",
      description: "Ask.",
      input: { type: "object" },
      needsApproval: true,
      execute: () => "done",
    });
    const executor = new ToolExecutor({ registry: new ToolRegistry([ask]) });
    const { results } = exported(executor.toolset);
    const outcome = await executor.execute({ id: "call_1", name: "ask", arguments: {} });
    expect(outcome.status).toBe("interrupted");
    expect(() => results([getResult([]), outcome])).toThrow(/call_1 of ask waits.*executor.resume/);
  });
});

it("the wire formats of strict and of other lists are separate", () => {
  const toolset = toolsetWith(good);
  expect(openAiChatTools(toolset, { strict: true })).not.toBe(openAiChatTools(toolset));
  expect(openAiChatTools(toolset, { strict: true })).toBe(
    openAiChatTools(toolset, { strict: true }),
  );
});

describe("names", () => {
  it("that are canonical are unchanged for every provider", () => {
    const name = "a".repeat(63) + "-";
    const toolset = createToolset(createTool(name, good), createTool("_private", good));
    expect(openAiChatTools(toolset).tools.map((tool) => tool.function.name)).toEqual([
      name,
      "_private",
    ]);
    expect(bedrockTools(toolset).tools.map(({ toolSpec }) => toolSpec.name)).toEqual([
      name,
      "_private",
    ]);
  });

  it("of any kind are sent in a form that the provider accepts, each unique, and are restored", () => {
    const names = fc.uniqueArray(fc.string({ minLength: 1, maxLength: 90, unit: "grapheme" }), {
      minLength: 1,
      maxLength: 8,
    });
    fc.assert(
      fc.property(names, (all) => {
        const toolset = createToolset(...all.map((name) => createTool(name, good)));
        const { tools, calls, results } = anthropicTools(toolset);
        expect(validateTools("anthropic", tools)).toEqual([]);
        const content = tools.map(({ name }) => ({ type: "tool_use", id: name, name, input: {} }));
        expect(calls({ content }).map(({ name }) => name)).toEqual(all);
        const gemini = geminiTools(toolset);
        const sent = gemini.tools[0]?.functionDeclarations.map(({ name }) => name) ?? [];
        expect(validateTools("gemini", gemini.tools)).toEqual([]);
        const back = gemini.results(all.map((name) => getResult([], { toolName: name })));
        expect(back[0]?.parts.map(({ functionResponse }) => functionResponse.name)).toEqual(sent);
        expect(results([])).toEqual([]);
      }),
      { numRuns: 200 },
    );
  });

  it("that were unique are unchanged when others are added", () => {
    const alone = anthropicTools(createToolset(createTool("a b", good))).tools[0]?.name;
    const beside = anthropicTools(createToolset(createTool("a b", good), createTool("c d", good)))
      .tools[0]?.name;
    expect([alone, beside]).toEqual(["a_b", "a_b"]);
  });
});
