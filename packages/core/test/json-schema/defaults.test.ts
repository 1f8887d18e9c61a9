import { withDefaults } from "@toolweave/core/adapter";
import { expect, test } from "vitest";

const point = {
  type: "object",
  properties: { x: { default: 1 }, y: { default: 2 } },
} as const;

test.each([
  ["a missing member", { properties: { a: { default: 1 } } }, {}, { a: 1 }],
  ["not a member that is there", { properties: { a: { default: 1 } } }, { a: 2 }, { a: 2 }],
  ["not a member that is null", { properties: { a: { default: 1 } } }, { a: null }, { a: null }],
  ["a default that is null", { properties: { a: { default: null } } }, {}, { a: null }],
  ["a member of an object", { properties: { p: point } }, { p: { x: 5 } }, { p: { x: 5, y: 2 } }],
  ["nothing for an object that is missing", { properties: { p: point } }, {}, {}],
  [
    "the members of a default",
    { properties: { p: { ...point, default: {} } } },
    {},
    { p: { x: 1, y: 2 } },
  ],
  [
    "members of items",
    { properties: { list: { items: point } } },
    { list: [{ x: 5 }, "other", {}] },
    { list: [{ x: 5, y: 2 }, "other", { x: 1, y: 2 }] },
  ],
  ["nothing below anyOf", { anyOf: [point] }, {}, {}],
  ["nothing to a text", { properties: { a: point } }, { a: "text" }, { a: "text" }],
])("adds %s", (_what, schema, value, expected) => {
  const before = JSON.stringify(value);
  expect(withDefaults(schema, value)).toEqual(expected);
  expect(JSON.stringify(value)).toBe(before);
});

test("a value to which nothing is added is the same object", () => {
  const value = { p: { x: 1, y: 2 }, list: [{ x: 1, y: 2 }] };
  expect(withDefaults({ properties: { p: point, list: { items: point } } }, value)).toBe(value);
});

test("a default is copied, and a member named __proto__ is a member", () => {
  const schema = JSON.parse('{"properties":{"__proto__":{"default":{"a":1}}}}') as object;
  const filled = withDefaults(schema as never, {}) as Record<string, object>;
  expect(Object.keys(filled)).toEqual(["__proto__"]);
  expect(Object.getPrototypeOf(filled)).toBe(Object.prototype);
  const own = Object.getOwnPropertyDescriptor(filled, "__proto__")?.value as { a: number };
  own.a = 2;
  expect(JSON.stringify(schema)).toContain('"a":1');
});
