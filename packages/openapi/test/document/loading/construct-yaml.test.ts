import * as fc from "fast-check";
import * as yaml from "js-yaml";
import { describe, expect, test } from "vitest";
import { constructYaml, type YamlDocument } from "../../../src/document/loading/construct-yaml.ts";

function construct(text: string): YamlDocument {
  return constructYaml(yaml.parseEvents(text, {}), text, yaml);
}

const keys = fc.constantFrom("a", "b", "c d", "1", "true", "<<", "__proto__", "", "é", "a: b");
const scalars = fc.oneof(
  fc.constantFrom("", "~", "null", "yes", "01", "1.10", "0x1f", "-", "a\nb\n", " a", "#a", "*a"),
  fc.string(),
  fc.integer(),
  fc.double({ noNaN: true }),
  fc.boolean(),
  fc.constant(null),
);
const { tree } = fc.letrec((tie) => ({
  tree: fc.oneof(
    { maxDepth: 4 },
    scalars,
    fc.array(tie("tree"), { maxLength: 4 }),
    fc.dictionary(keys, tie("tree"), { maxKeys: 4 }),
  ),
}));

test("every document is constructed as the library does it", () => {
  const layouts = fc.record({
    flowLevel: fc.integer({ min: -1, max: 3 }),
    lineWidth: fc.constantFrom(-1, 20, 80),
    indent: fc.integer({ min: 1, max: 4 }),
  });
  fc.assert(
    fc.property(tree, tree, layouts, (one, other, layout) => {
      const text = yaml.dump({ one, other, again: [one] }, layout);
      expect(construct(text)).toEqual({ value: yaml.load(text) });
    }),
    { seed: 45, numRuns: 2_000 },
  );
});

describe("keys", () => {
  test.for<[string, unknown]>([
    ["01: a", { "01": "a" }],
    ["~: a", { "~": "a" }],
    ["!!int 01: a", { "01": "a" }],
    ["? a", { a: null }],
    [": a", { "": "a" }],
    ["b: &b 0x10\n*b : a", { b: 16, "0x10": "a" }],
    ["&a a: 1\nb: *a", { a: 1, b: "a" }],
    ["&a 0x10: 1\nb: *a", { "0x10": 1, b: 16 }],
  ])("%j", ([text, value]) => {
    expect(construct(text)).toEqual({ value });
  });

  test("the last of equal keys is used, and the line of the first repetition is returned", () => {
    expect(construct("a: 1\r\nb:\r\n  c: 1\r\n  c: 2\r\na: 2")).toEqual({
      value: { a: 2, b: { c: 2 } },
      duplicateLine: 4,
    });
  });

  test("a text that was written for a value that is replaced is not used", () => {
    expect(construct("name: 01\nname: 5").value).toEqual({ name: "5" });
  });
});

describe("merges", () => {
  test.for<[string, string, unknown]>([
    ["of the first object that has a key", "<<: [{ a: 1 }, { a: 2, b: 3 }]", { a: 1, b: 3 }],
    ["before and after own keys", "a: 1\n<<: { a: 2, b: 3 }\nb: 4", { a: 1, b: 4 }],
    ["twice", "<<: { a: 1 }\n<<: { a: 2, b: 3 }", { a: 1, b: 3 }],
    ["of nothing", "<<: []\na: 1", { a: 1 }],
    ["of a quoted key", '"<<": { a: 1 }', { "<<": { a: 1 } }],
    ["of a text that is written", "<<: { name: 01 }\ntitle: 1.10", { name: "01", title: "1.10" }],
  ])("%s", ([, text, value]) => {
    expect(construct(text)).toEqual({ value });
  });

  test("an own key that replaces a merged one is used once", () => {
    expect(construct("<<: { a: 1 }\na: 2\na: 3")).toEqual({ value: { a: 3 }, duplicateLine: 3 });
  });
});

describe("tags", () => {
  test.for<[string, unknown]>([
    ["!!str 01", "01"],
    ["! 01", "01"],
    ["!!int 0x10", 16],
    ["!<tag:yaml.org,2002:float> 1", 1],
    ['!!int "5"', 5],
    ["!!timestamp 2024-01-01", "2024-01-01"],
    ["!Ref a", "a"],
    ["!!set { a, b }", { a: null, b: null }],
    ["!Join [a]", ["a"]],
  ])("%j", ([text, value]) => {
    expect(construct(text)).toEqual({ value });
  });
});

test.for([
  ["? [a]\n: b", "a key is an object or a list", 0],
  ["b: &b {}\n*b : a", "a key is an object or a list", 1],
  ["a: 1\nb: *c", 'unidentified alias "c"', 1],
  ["---\n&a a: 1\n---\nb: *a", 'unidentified alias "a"', 3],
  ["a: 1\n<<: b", "a merged value is not an object", 1],
  ["<<: [[{ a: 1 }]]", "a merged value is not an object", 0],
  ["a: !!int b", "a value is not of the type int", 0],
] as const)("%j is an error", ([text, reason, line]) => {
  const mark = expect.objectContaining({ line });
  expect(() => construct(text)).toThrow(expect.objectContaining({ reason, mark }));
});

test.for([
  ["a\n---\nb", "it has several documents"],
  ["# a", "it has no document"],
] as const)("%j is an error without a line", ([text, reason]) => {
  expect(() => construct(text)).toThrow(reason);
});

test("merges that multiply are refused", () => {
  const wide = Array.from({ length: 200 }, (_, key) => `k${key}: 1`).join(", ");
  const text = `a: &a { ${wide} }\nb:\n${"  - <<: *a\n".repeat(100)}`;
  expect(() => construct(text)).toThrow("merges read more than 10000 keys");
});
