import { expect, it } from "vitest";
import { findMissingReference } from "../../src/schema/read-schema.ts";

it.each([
  ["#", {}],
  ["#/$defs/a~1b", { $defs: { "a/b": {} } }],
  ["#/$defs/a%20b", { $defs: { "a b": {} } }],
  ["#here", { $defs: { a: { $anchor: "here" } } }],
  ["urn:a", { $defs: { a: { $id: "urn:a" } } }],
])("%s resolves in %j", (reference, rest) => {
  expect(findMissingReference({ ...rest, properties: { x: { $ref: reference } } })).toBeUndefined();
});

it.each(["#/$defs/b", "#there", "https://x.test/a", "a.json", "#/$defs/constructor"])(
  "%s cannot be resolved",
  (reference) => {
    const schema = { $defs: { a: {} }, items: [{ $dynamicRef: reference }] };
    expect(findMissingReference(schema)).toBe(reference);
  },
);

it("data that looks like a reference is ignored, and a property of that name is not a keyword", () => {
  const schema = {
    properties: { $ref: { type: "string" }, default: { type: "string", default: { $ref: "a" } } },
    examples: [{ $ref: "b" }],
    enum: [{ $ref: "c" }],
  };
  expect(findMissingReference(schema)).toBeUndefined();
});

it("a reference below a property with the name of a keyword is followed", () => {
  expect(findMissingReference({ properties: { default: { $ref: "#/nowhere" } } })).toBe(
    "#/nowhere",
  );
});
