import fc from "fast-check";
import { expect, test } from "vitest";
import { jsonErrorPosition } from "../src/input/json-option.ts";

test.each([
  ["", "line 1, column 1"],
  ["abc", "line 1, column 1"],
  ['{"a": }', "line 1, column 7"],
  ['{"a": 1,}', "line 1, column 9"],
  ["[1,]", "line 1, column 4"],
  ["[1 2]", "line 1, column 4"],
  ["[1]]", "line 1, column 4"],
  ["[1}", "line 1, column 3"],
  ['{\n  "a": 1\n  "b": 2\n}', "line 3, column 3"],
  ["{a: 1}", "line 1, column 2"],
  ["[01]", "line 1, column 2"],
  ["[truely]", "line 1, column 2"],
  ['["a\nb"]', "line 1, column 2"],
  ['["\\x"]', "line 1, column 2"],
  ['{"a": 1', "line 1, column 8"],
])("%j stops being JSON at %s", (text, place) => {
  expect(complaint(text)).not.toBe("");
  expect(jsonErrorPosition(text)).toBe(place);
});

test("the position is the one that the platform reports, if it reports one", () => {
  fc.assert(
    fc.property(fc.json(), fc.nat(), fc.constantFrom("}", "]", ",", ":"), (json, at, extra) => {
      const index = at % (json.length + 1);
      const text = json.slice(0, index) + extra + json.slice(index);
      const named = /^Expected .* at position (\d+)/.exec(complaint(text))?.[1];
      fc.pre(named !== undefined);
      expect(jsonErrorPosition(text)).toBe(`line 1, column ${Number(named) + 1}`);
    }),
  );
});

test("the error of a value followed by other text is at the beginning of that text", () => {
  fc.assert(
    fc.property(fc.json(), (json) => {
      expect(jsonErrorPosition(`${json} ?`)).toBe(`line 1, column ${json.length + 2}`);
    }),
  );
});

function complaint(text: string): string {
  try {
    JSON.parse(text);
    return "";
  } catch (error) {
    return (error as Error).message;
  }
}
