import { expect, test } from "vitest";
import { parseConfig } from "../src/reading/config-text.ts";

test("comments, trailing commas and a byte order mark are accepted", () => {
  const { value, at } = parseConfig('\uFEFF{ // first\n  /* a */ "a": [1, 2,],\n}', "t.json");
  expect(value).toEqual({ a: [1, 2] });
  expect(at("/a")).toBe("t.json:2:11");
  expect(at("/a/1")).toBe("t.json:2:20");
  expect(at("/a/missing/deep")).toBe("t.json:2:11");
});

test.each([
  ['{ "a": 1\n "b": 2 }', "t.json:2:2: a comma is missing before this."],
  ['{ "a" 1 }', "t.json:1:7: a colon is missing after the key."],
  ['{ "a": 1', "t.json:1:9: a closing } is missing."],
  ["{ 'a': 1 }", "t.json:1:3: this is no JSON: texts stand in double quotes."],
  ['{ "a": "x }', "t.json:1:8: a text is not closed: a double quote is missing."],
  ["", "t.json:1:1: a value is missing."],
  [
    Buffer.from("\uFEFF{}", "utf16le").toString(),
    "t.json:1:1: the file is in UTF-16, as some editors and shells write it: save it as UTF-8.",
  ],
  ['{\n "a": {}, "a": {} }', 't.json:2:11: the key "a" is there twice: remove one.'],
])("%j is refused with line and column", (text, message) => {
  expect(() => parseConfig(text, "t.json")).toThrow(expect.objectContaining({ message }));
});

test.each([101, 5_000, 200_000])("a text that is nested %i levels deep is refused", (levels) => {
  const text = `${'{"mcp":'.repeat(levels)}1${"}".repeat(levels)}`;
  expect(() => parseConfig(text, "t.json")).toThrow(
    expect.objectContaining({
      code: "invalid_configuration",
      message: expect.stringContaining("nested deeper than the 100 levels that are read") as string,
    }),
  );
});

test("a key called __proto__ is a key like any other", () => {
  const { value } = parseConfig('{ "__proto__": { "polluted": true } }', "t.json");
  expect(Object.keys(value as object)).toEqual(["__proto__"]);
  expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
});
