import type { JsonObject, JsonSchema, JsonValue } from "@toolweave/core";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parseArguments } from "../src/input/parse-arguments.ts";
import { UsageError } from "../src/process/exit-code.ts";

function object(properties: Record<string, JsonSchema>, more: JsonSchema = {}): JsonSchema {
  return { type: "object", properties, additionalProperties: false, ...more } as JsonSchema;
}

const pet = object(
  {
    id: { type: "integer" },
    name: { type: "string" },
    weight: { type: "number" },
    sold: { type: "boolean" },
    gone: { type: ["boolean", "null"] },
    tags: { type: "array", items: { type: "string" } },
    sizes: { type: "array", items: { type: "integer" } },
    owner: object({ name: { type: "string" }, age: { type: "integer" } }),
    "filter.name": { type: "string" },
    labels: { type: "object", additionalProperties: { type: "integer" } },
    color: { enum: ["red", 7, true, null] },
    mixed: { oneOf: [{ type: "string" }, { type: "integer" }] },
    shape: { anyOf: [{ $ref: "#/$defs/Circle" }, { $ref: "#/$defs/Square" }] },
    anything: {},
    tree: { $ref: "#/$defs/Tree" },
  },
  {
    $defs: {
      Circle: { type: "object", properties: { radius: { type: "number" } } },
      Square: { type: "object", properties: { side: { type: "number" } } },
      Tree: {
        anyOf: [{ $ref: "#/$defs/Tree" }, { type: "array", items: { $ref: "#/$defs/Tree" } }],
      },
    },
  } as JsonSchema,
);

const read = (...words: string[]): JsonObject => parseArguments(words, pet);

function complaint(...words: string[]): string {
  try {
    parseArguments(words, pet);
  } catch (error) {
    if (error instanceof UsageError) return error.message;
    throw error;
  }
  throw new Error("nothing was wrong");
}

describe("a value is read by its schema", () => {
  test.each<[string, JsonObject]>([
    ["id=7", { id: 7 }],
    ["name=7", { name: "7" }],
    ["name=", { name: "" }],
    ["name=a=b", { name: "a=b" }],
    ["name=true", { name: "true" }],
    ["weight=-1.5e2", { weight: -150 }],
    ["sold=false", { sold: false }],
    ["gone=null", { gone: null }],
    ["tags=one", { tags: ["one"] }],
    ['tags=["one","two"]', { tags: ["one", "two"] }],
    ["tags=[]", { tags: [] }],
    ["sizes=3", { sizes: [3] }],
    ["sizes=725653563933458432", { sizes: [725653563933458432n as never] }],
    ['owner={"age":9007199254740993}', { owner: { age: 9007199254740993n as never } }],
    ['owner={"name":"Ada"}', { owner: { name: "Ada" } }],
    ["owner.age=36", { owner: { age: 36 } }],
    ["filter.name=x", { "filter.name": "x" }],
    ["labels.any.thing=3", { labels: { "any.thing": 3 } }],
    ["color=red", { color: "red" }],
    ["color=7", { color: 7 }],
    ["color=null", { color: null }],
    ["mixed=7", { mixed: "7" }],
    ["shape.side=2", { shape: { side: 2 } }],
    ["anything=7", { anything: 7 }],
    ["anything=007", { anything: "007" }],
    ["anything=text", { anything: "text" }],
    ["tree=[[],[]]", { tree: [[], []] }],
  ])("%s", (word, expected) => {
    expect(read(word)).toEqual(expected);
  });

  test("a repeated key makes a list", () => {
    expect(read("tags=a", "sizes=1", "tags=b", "sizes=2")).toEqual({
      tags: ["a", "b"],
      sizes: [1, 2],
    });
  });

  test("parts of an object are combined", () => {
    expect(read("owner.name=Ada", "owner.age=36")).toEqual({ owner: { name: "Ada", age: 36 } });
  });

  test("key=value overrides the arguments of --args", () => {
    const base = { id: 1, owner: { name: "Ada" } };
    expect(parseArguments(["id=2", "owner.age=36"], pet, base)).toEqual({
      id: 2,
      owner: { name: "Ada", age: 36 },
    });
    expect(base).toEqual({ id: 1, owner: { name: "Ada" } });
  });
});

describe("an invalid argument is refused", () => {
  test.each([
    ["a word without =", ["id"], '"id" is not an argument: use key=value.'],
    ["JSON in place of words", ['{"name":"a=b"}'], "or --args for all arguments as JSON"],
    ["a word without a key", ["=7"], '"=7" is not an argument: use key=value.'],
    ["a text for a number", ["id=seven"], 'id must be a number, not "seven".'],
    ["a text for a boolean", ["sold=yes"], 'sold must be true or false, not "yes".'],
    [
      "a number that would lose digits",
      ["owner.age=52.5200065999999987"],
      "owner.age is 52.5200065999999987, which has more digits than a number can: use 52.5200066 instead",
    ],
    ["a text inside a list", ["sizes=1", "sizes=x"], 'sizes must be a number, not "x".'],
    ["two values for one", ["id=1", "id=2"], "id is set 2 times, but takes one value."],
    ["a part of a value without parts", ["id.x=1"], 'id has no parts, so "id.x" leads nowhere.'],
    [
      "an object and its part",
      ['owner={"age":1}', "owner.name=x"],
      "owner and owner.name: use either owner or its members",
    ],
    ["malformed JSON for an object", ["owner={nope"], "owner must be JSON such as"],
    [
      "a list without its quotes",
      ["tags=[one,two]"],
      'tags must be a list such as ["one", "two"], not "[one,two]" (not valid JSON)',
    ],
    ["a list that does not end", ['tags=["one"'], 'not "[\\"one\\"" ('],
  ])("%s", (_, words, message) => {
    expect(complaint(...words)).toContain(message);
  });

  test("an unknown key has an error with near names and all names", () => {
    expect(complaint("nmae=x")).toMatch(
      /^There is no argument "nmae"\. Did you mean name\? The tool takes anything, /,
    );
    expect(complaint("owner.nam=x")).toBe(
      'There is no argument "owner.nam". Did you mean owner.name? The tool takes owner.age, owner.name.',
    );
  });

  test("a tool without arguments has its own error", () => {
    expect(() => parseArguments(["a=1"], object({}))).toThrow("The tool takes no arguments.");
  });
});

test("__proto__ is a key like any other", () => {
  const open: JsonSchema = { type: "object" };
  const args = parseArguments(["__proto__.polluted=1", "__proto__=1"].slice(1), open);
  expect(Object.keys(args)).toEqual(["__proto__"]);
  expect(Object.getPrototypeOf(args)).toBe(Object.prototype);
  expect(({} as Record<string, unknown>)["polluted"]).toBeUndefined();
});

test("schemas that refer to themselves or multiply without end are read in bounded time", () => {
  const $defs: Record<string, JsonValue> = {};
  for (let index = 0; index < 60; index++) {
    const next = { $ref: `#/$defs/D${index + 1}` };
    $defs[`D${index}`] = { anyOf: [next, next, { $ref: "#/$defs/D0" }] };
  }
  $defs["D60"] = { type: "integer" };
  expect(parseArguments(["n=4"], object({ n: { $ref: "#/$defs/D0" } }, { $defs }))).toEqual({
    n: 4,
  });
});

test("every value in the notation of its schema is read as itself", () => {
  const name = fc.stringMatching(/^[a-z][a-z_.]{0,7}[a-z]$/);
  const leaf = fc.oneof(
    fc.string().map((value) => ({ type: "string", value, text: value })),
    fc.maxSafeInteger().map((value) => ({ type: "integer", value, text: String(value) })),
    fc.boolean().map((value) => ({ type: "boolean", value, text: String(value) })),
    fc
      .array(fc.jsonValue())
      .map((value) => ({ type: "array", value, text: JSON.stringify(value) })),
  );
  fc.assert(
    fc.property(fc.dictionary(name, leaf, { minKeys: 1 }), (members) => {
      const entries = Object.entries(members);
      const schema = object(Object.fromEntries(entries.map(([key, { type }]) => [key, { type }])));
      const args = parseArguments(
        entries.map(([key, { text }]) => `${key}=${text}`),
        schema,
      );
      const expected = Object.fromEntries(
        entries.map(([key, { text, type, value }]) => [
          key,
          type === "array" ? JSON.parse(text) : value,
        ]),
      );
      expect(args).toEqual(expected);
    }),
  );
});
