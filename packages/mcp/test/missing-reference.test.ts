import { expect, it } from "vitest";
import { missingReference } from "../src/missing-reference.ts";

it.each([
  ["#", {}],
  ["#/$defs/a~1b", { $defs: { "a/b": {} } }],
  ["#/$defs/a%20b", { $defs: { "a b": {} } }],
  ["#here", { $defs: { a: { $anchor: "here" } } }],
  ["urn:a", { $defs: { a: { $id: "urn:a" } } }],
])("%s leads somewhere in %j", (reference, rest) => {
  expect(missingReference({ ...rest, properties: { x: { $ref: reference } } })).toBeUndefined();
});

it.each(["#/$defs/b", "#there", "https://x.test/a", "a.json", "#/$defs/constructor"])(
  "%s leads nowhere",
  (reference) => {
    const schema = { $defs: { a: {} }, items: [{ $dynamicRef: reference }] };
    expect(missingReference(schema)).toBe(reference);
  },
);
