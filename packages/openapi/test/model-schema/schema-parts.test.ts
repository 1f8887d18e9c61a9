import fc from "fast-check";
import { expect, test } from "vitest";
import { isAtMost } from "../../src/model-schema/schema-parts.ts";

test("a value is at most as long as its JSON", () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.integer({ min: -3, max: 3 }), (value, more) => {
      const json = JSON.parse(JSON.stringify(value));
      const { length } = JSON.stringify(json);
      expect(isAtMost(json, length + more)).toBe(more >= 0);
    }),
    { seed: 45, numRuns: 2_000 },
  );
});

test.each(["\u0000\u0001", '"\\"', "\ud800", { "\n": ["\t", 1e21, -0.5, null, true, {}, []] }])(
  "escapes count: %j",
  (value) => {
    const { length } = JSON.stringify(value);
    expect([isAtMost(value, length), isAtMost(value, length - 1)]).toEqual([true, false]);
  },
);
