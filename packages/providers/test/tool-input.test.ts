import { expect, it } from "vitest";
import { toolInputs } from "../src/index.ts";

const toInput = toolInputs("acmeTools");

it("a schema that follows the rules of all providers is the same object", () => {
  const inputSchema = {
    type: "object",
    properties: { id: { type: "string", pattern: "^[a-z]+$" }, kind: { const: 1 } },
    not: { required: ["none"] },
  };
  const { not: _not, ...accepted } = inputSchema;
  expect(toInput({ inputSchema: accepted }).schema).toBe(accepted);
  expect(toInput({ inputSchema }).schema).toEqual(accepted);
});

it("a schema that is not read is not converted, and is converted once", () => {
  let reads = 0;
  const spec = {
    get inputSchema() {
      reads += 1;
      return { type: "object", oneOf: [{}] };
    },
  };
  const input = toInput(spec);
  expect(reads).toBe(0);
  expect(input.schema).toBe(toInput(spec).schema);
  expect(reads).toBe(1);
});

it("a schema that no provider could accept takes any object", () => {
  const any = { type: "object", properties: {} };
  expect(toInput({ inputSchema: { type: "string" } }).schema).toEqual(any);
  expect(toInput({ inputSchema: { $ref: "#/$defs/gone" } }).schema).toEqual(any);
  let deep: Record<string, unknown> = { type: "object" };
  for (let level = 0; level < 100_000; level++) deep = { type: "array", items: deep };
  const properties = { deep } as never;
  const input = toInput({ inputSchema: { type: "object", properties } });
  expect(input.schema).toEqual(any);
  expect(input.restore({ deep: [] })).toEqual({ deep: [] });
});

it("the names of arguments are restored, of one object once", () => {
  const input = toInput({
    inputSchema: {
      type: "object",
      properties: { "page[size]": { type: "integer" }, page_size: { type: "string" } },
    },
  });
  const [other] = Object.keys(input.schema["properties"] as object);
  const written = { [other as string]: 7, page_size: "a", more: [1] };
  const restored = input.restore(written);
  expect(restored).toEqual({ "page[size]": 7, page_size: "a", more: [1] });
  expect(input.restore(written)).toBe(restored);
  expect(input.restore(restored)).toEqual(restored);
  for (const value of [null, "text", 5, undefined]) expect(input.restore(value)).toBe(value);
});

it("arguments as text are restored, with all digits", () => {
  const input = toInput({ inputSchema: { type: "object", properties: { "a[b]": {}, id: {} } } });
  expect(input.restoreText('{"a_b":1,"id":9007199254740993}')).toEqual({
    "a[b]": 1,
    id: 9007199254740993n,
  });
  for (const text of ["", "[1]", '{"a_b":']) expect(input.restoreText(text)).toBe(text);
  for (const text of [" ", "null"]) expect(input.restoreText(text)).toEqual({});
  const plain = toInput({ inputSchema: { type: "object", properties: { id: {} } } });
  expect(plain.restoreText('{"id": 1}')).toBe('{"id": 1}');
});
