import { defineTool, ToolExecutor, ToolRegistry, type JsonObject } from "@toolweave/core";
import { describe, expect, it } from "vitest";
import { openAiChatTools } from "../src/index.ts";
import { toolsetWith } from "./support/toolset-of.ts";

/** The arguments of `do_it` for the executor, from this text of a model. */
function restored(schema: JsonObject, written: unknown): unknown {
  const { tools, calls } = openAiChatTools(toolsetWith(schema), { strict: true });
  expect(tools[0]?.function.strict).toBe(true);
  const text = typeof written === "string" ? written : JSON.stringify(written);
  const call = { id: "1", type: "function", function: { name: "do_it", arguments: text } };
  return calls({ choices: [{ message: { tool_calls: [call] } }] })[0]?.arguments;
}

const text = { type: "string" };
const optional = { type: "object", properties: { a: text, b: text }, required: ["a"] };

describe("a strict function's null for an absent value", () => {
  it("is removed", () => {
    expect(restored(optional, { a: "x", b: null })).toEqual({ a: "x" });
    expect(restored(optional, { a: "x", b: "y" })).toEqual({ a: "x", b: "y" });
  });

  it("is removed in objects, lists, definitions and variants", () => {
    const schema = {
      type: "object",
      properties: {
        list: { type: "array", items: optional },
        node: { $ref: "#/$defs/node" },
        either: {
          anyOf: [
            { type: "object", properties: { kind: { const: "one" }, x: text }, required: ["kind"] },
            { type: "object", properties: { kind: { const: "two" }, y: text }, required: ["kind"] },
          ],
        },
      },
      $defs: {
        node: {
          type: "object",
          properties: { label: text, next: { $ref: "#/$defs/node" } },
          required: ["label"],
        },
      },
    };
    const written = {
      list: [{ a: "x", b: null }],
      node: { label: "1", next: { label: "2", next: null } },
      either: { kind: "two", y: null },
    };
    expect(restored(schema, written)).toEqual({
      list: [{ a: "x" }],
      node: { label: "1", next: { label: "2" } },
      either: { kind: "two" },
    });
  });

  it("stays if the property is required, and if it differs from absence", () => {
    const nullable = { type: ["string", "null"] };
    const schema = {
      type: "object",
      properties: { a: nullable, b: { ...nullable, default: null } },
      required: ["a"],
    };
    expect(restored(schema, { a: null, b: null })).toEqual({ a: null, b: null });
  });

  it("stays if the arguments are not valid: the executor reports that", () => {
    expect(restored(optional, '{"a": "x", "b": nul')).toBe('{"a": "x", "b": nul');
    expect(restored(optional, [null])).toBe("[null]");
    expect(restored(optional, { a: null, c: null })).toEqual({ a: null, c: null });
  });

  it("of inherited names is treated in the same way", () => {
    const odd = JSON.parse(
      '{"type":"object","properties":{"__proto__":{"type":"string"},"a":{"type":"string"}}}',
    );
    const back = restored(odd, '{"__proto__":"p","a":null,"constructor":null}') as object;
    expect(Object.keys(back)).toEqual(["__proto__", "constructor"]);
    expect(Object.getPrototypeOf(back)).toBe(Object.prototype);
  });

  it("may nest as deeply as a model writes it, and nothing throws", () => {
    const schema = {
      type: "object",
      properties: { node: { $ref: "#/$defs/node" } },
      $defs: { node: { type: "object", properties: { next: { $ref: "#/$defs/node" } } } },
    };
    const depth = 5000;
    const written = `${'{"node":'}${'{"next":'.repeat(depth)}null${"}".repeat(depth)}}`;
    expect(restored(schema, written)).toHaveProperty("node.next.next");
  });
});

it("a tool runs with a strict model's arguments, and the model reads its answer", async () => {
  const weather = defineTool({
    name: "weather",
    description: "The weather of a city.",
    input: {
      type: "object",
      properties: { city: { type: "string", minLength: 2 }, days: { type: "integer" } },
      required: ["city"],
      additionalProperties: false,
    },
    execute: (args) => args as JsonObject,
  });
  const run = new ToolExecutor({ registry: new ToolRegistry([weather]) }).startRun();
  const { calls, results, simplified } = openAiChatTools(run.toolset, { strict: true });
  expect(simplified).toEqual([
    { tool: "weather", path: "/properties/city/minLength", rule: "keywords" },
  ]);
  const called = (id: string, args: string) => ({
    id,
    type: "function",
    function: { name: "weather", arguments: args },
  });
  const outcomes = await run.executeAll(
    calls({
      choices: [
        {
          message: {
            tool_calls: [
              called("1", '{"city":"Rome","days":null}'),
              called("2", '{"city":"R","days":null}'),
              called("3", '{"city":'),
            ],
          },
        },
      ],
    }),
  );
  const [first, second, third] = results(outcomes);
  expect(first).toEqual({ role: "tool", tool_call_id: "1", content: '{"city":"Rome"}' });
  expect(second?.content).toContain("city");
  expect(third?.content).toContain("JSON");
});
