import { isDeepStrictEqual } from "node:util";
import fc from "fast-check";
import { beforeEach, describe, expect, test } from "vitest";
import { duplicateItems } from "../../src/schema/duplicate-items.ts";
import { allowWork } from "../../src/schema/pattern/work-budget.ts";

beforeEach(() => allowWork(Infinity));

/** Every item with every other, from the end: as in Ajv. */
function slowly(items: readonly unknown[]): [number, number] | undefined {
  for (let i = items.length - 1; i > 0; i--) {
    for (let j = i - 1; j >= 0; j--) if (isDeepStrictEqual(items[i], items[j])) return [i, j];
  }
  return undefined;
}

describe("duplicate items", () => {
  test("are the two that a comparison of all of them finds", () => {
    const small = fc.jsonValue({ maxDepth: 2 });
    const item = fc.oneof(small, fc.constantFrom(0, 1, "1", null, true, [], {}, { a: 1 }, [1]));
    fc.assert(
      fc.property(fc.array(item, { maxLength: 8 }), (items) => {
        const plain = JSON.parse(JSON.stringify(items)) as unknown[];
        expect(duplicateItems(plain)).toEqual(slowly(plain));
      }),
    );
  });

  test.each<[string, unknown[], [number, number] | undefined]>([
    [
      "objects whose keys are in another order",
      [
        { a: 1, b: 2 },
        { b: 2, a: 1 },
      ],
      [1, 0],
    ],
    ["one number, in any notation", [1, JSON.parse("1.0")], [1, 0]],
    ["zero and minus zero", [0, -0], [1, 0]],
    ["not a number and its text", [1, "1"], undefined],
    ["not an object and its text", [{}, "{}", [], "[]", null, "null", true, "true"], undefined],
    [
      "not an array and another order of it",
      [
        [1, 2],
        [2, 1],
      ],
      undefined,
    ],
    ["the last pair, of several", ["b", "a", "c", "a", "b", "b"], [5, 4]],
  ])("are %s", (_, items, found) => {
    expect(duplicateItems(items)).toEqual(found);
  });
});
