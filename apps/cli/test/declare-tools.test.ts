import { expect, test } from "vitest";
import { declareTools, type DeclaredTool } from "../src/commands/types/declaration.ts";
import { compileTypes } from "./support/compile-types.ts";

const tool = (name: string, input: object, output?: object, source = "trees"): DeclaredTool => ({
  name,
  source,
  description: `Runs ${name}.`,
  input: input as DeclaredTool["input"],
  output: output as DeclaredTool["output"],
});

/** Schemas that generators and their readers stumble over. */
const tools: readonly DeclaredTool[] = [
  tool(
    "tree.walk",
    {
      type: "object",
      title: "Evil */ title",
      properties: {
        node: { $ref: "#/$defs/node" },
        pair: {
          type: "array",
          prefixItems: [{ type: "string" }, { type: "number" }],
          items: false,
        },
        any: { description: "Ends */ here" },
        not: { not: { type: "string" } },
        code: { tsType: "import('./evil')", type: "string" },
        both: { $ref: "#/$defs/node", properties: { extra: { const: 5 } } },
        "k-l": { type: ["integer", "null"] },
        one: {
          oneOf: [
            { enum: ["a", "b"] },
            { type: "object", additionalProperties: { type: "boolean" } },
          ],
        },
      },
      required: ["node", "pair"],
      $defs: {
        node: {
          type: "object",
          properties: { next: { $ref: "#/$defs/node" }, value: { type: "string" } },
        },
      },
    },
    { $ref: "#/$defs/list", $defs: { list: { type: "array", items: { type: "string" } } } },
  ),
  tool("tree-walk", { type: "object" }),
  tool("broken", { type: "object", properties: { file: { $ref: "file:///etc/hostname" } } }),
];

test("types compile with the strictest options, and accept and reject what the schemas do", () => {
  const { text, untyped } = declareTools(tools, "toolweave types");
  expect(untyped).toEqual(["broken"]);
  expect(text).not.toMatch(/evil'|Evil/);
  const code = `import { call } from "@toolweave/core";
const list: string[] = call("tree.walk", {
  node: { next: { value: "x" } },
  pair: ["a", 1],
  any: 7,
  not: 7,
  code: "c",
  both: { value: "v", extra: 5 },
  "k-l": null,
  one: { yes: true },
});
call("tree-walk", { anything: list });
call("broken", { file: 7 });
// @ts-expect-error: a required member is missing
call("tree.walk", { node: {} });
// @ts-expect-error: another type in the pair
call("tree.walk", { node: {}, pair: ["a", "b"] });
// @ts-expect-error: a name with a typing error
call("tree.walk", { node: { nxt: {} }, pair: ["a", 1] });
// @ts-expect-error: no such tool
call("tree_walk", {});
// @ts-expect-error: another value
call("tree.walk", { node: {}, pair: ["a", 1], one: "c" });
`;
  expect(compileTypes(text, code)).toBe("");
  expect(declareTools(tools.toReversed(), "toolweave types").text).toBe(text);
});

/** The declarations of tools, which have to compile with code that uses them. */
function declared(tools: readonly DeclaredTool[], code = ""): string {
  const { text } = declareTools(tools, "toolweave types");
  expect(compileTypes(text, code)).toBe("");
  // Options that change the meaning of optional members.
  expect(compileTypes(text, "", { exactOptionalPropertyTypes: false })).toBe("");
  return text;
}

const pet = { type: "object", properties: { name: { type: "string" } }, required: ["name"] };
const petOfKind = { ...pet, properties: { ...pet.properties, kind: { $ref: "#/$defs/Kind" } } };
const withPet = (definition: object): object => ({
  type: "object",
  properties: { pet: { $ref: "#/$defs/Pet" } },
  required: ["pet"],
  $defs: { Pet: definition, Kind: { enum: ["cat", "dog"] } },
});

test("a definition that arguments and results of tools share is declared once, for each source", () => {
  const text = declared(
    [
      tool("add_pet", withPet(petOfKind), withPet(petOfKind)),
      tool("get_pet", { type: "object" }, withPet(petOfKind)),
      tool("sell_pet", withPet(petOfKind), undefined, "shop"),
    ],
    `import { call } from "@toolweave/core";
import type { Shop, Trees } from "./toolweave.d.ts";
const pet: Trees.Pet = call("get_pet", {}).pet;
const sold: Shop.Pet = call("add_pet", { pet }).pet;
call("sell_pet", { pet: sold });`,
  );
  expect(text.match(/type Pet = /g)).toHaveLength(2);
  expect(text.match(/type Kind = /g)).toHaveLength(2);
});

test("definitions of one name that differ, also in what they refer to, are different types", () => {
  const owner = (type: string): object => ({
    type: "object",
    properties: { owner: { $ref: "#/$defs/Pet" }, type: { type } },
  });
  const schema = (type: string): object => ({
    type: "object",
    properties: { owner: { $ref: "#/$defs/Owner" } },
    $defs: {
      Owner: { type: "object", properties: { pet: { $ref: "#/$defs/Pet" } } },
      Pet: owner(type),
    },
  });
  const text = declared(
    [tool("a", schema("string")), tool("b", schema("number")), tool("c", schema("string"))],
    `import { call } from "@toolweave/core";
call("a", { owner: { pet: { type: "x" } } });
call("b", { owner: { pet: { type: 1 } } });
// @ts-expect-error: the pet of another tool
call("c", { owner: { pet: { type: 1 } } });`,
  );
  expect(text.match(/type \w+ = /g)).toEqual([
    "type Owner = ",
    "type Owner2 = ",
    "type Pet = ",
    "type Pet2 = ",
  ]);
});

test("optional members beside additionalProperties and patternProperties are of their types", () => {
  const properties = { id: { type: "integer" }, name: { type: "string" } };
  const text = declared(
    [
      tool("tagged", { type: "object", properties, additionalProperties: { type: "boolean" } }),
      tool("listed", {
        type: "object",
        properties,
        required: ["id", "other"],
        additionalProperties: pet,
      }),
      tool("matched", {
        type: "object",
        properties,
        patternProperties: { "^x-": { type: "null" } },
      }),
      tool("open", { type: "object", properties, additionalProperties: true }),
      tool("empty", { type: "object", properties: {}, additionalProperties: false }),
    ],
    `import { call } from "@toolweave/core";
call("tagged", { id: 1, name: "a", more: true });
call("listed", { id: 1, other: { name: "a" }, third: { name: "b" } });
call("matched", { id: 1, "x-y": null });
call("open", { id: 1, more: [] });
call("empty", {});
// @ts-expect-error: of another type
call("tagged", { id: "1" });
// @ts-expect-error: not a type of any member
call("tagged", { more: [] });
// @ts-expect-error: a required name that is not declared
call("listed", { id: 1 });
// @ts-expect-error: no member is allowed
call("empty", { id: 1 });`,
  );
  expect(text).toContain("[key: string]: boolean | number | string | undefined;");
});

test("references that lead back to themselves, or to nothing, are unknown there", () => {
  const any = (reference: string): object => ({ $ref: `#/$defs/${reference}` });
  const text = declared([
    tool("circles", {
      type: "object",
      properties: {
        itself: any("itself"),
        pair: any("first"),
        choice: any("choice"),
        list: any("list"),
        tuple: any("tuple"),
        root: { $ref: "#" },
        item: { $ref: "#/properties/deep/properties/list/items" },
        deep: {
          type: "object",
          properties: { list: { type: "array", items: { type: "string" } } },
        },
        missing: any("missing"),
      },
      $defs: {
        itself: any("itself"),
        first: { allOf: [any("second"), pet] },
        second: { anyOf: [any("first"), { type: "null" }] },
        choice: { oneOf: [{ type: "string" }, { type: "array", items: any("choice") }] },
        list: { type: "array", items: { type: "array", items: any("list") } },
        tuple: {
          anyOf: [
            { type: "array", prefixItems: [{ type: "array", items: any("tuple") }] },
            { type: "null" },
          ],
        },
      },
    }),
  ]);
  expect(text).toContain("type Itself = unknown;");
  expect(text).toContain("type Choice = string | Choice[];");
  expect(text).toContain("type List = List[][];");
  expect(text).toContain("type Tuple = unknown;");
  expect(text).toContain("root?: CirclesInput;");
  expect(text).toContain("item?: List2;");
  expect(text).toContain("missing?: unknown;");
});

test("an intersection of unions that is too large for the compiler is unknown", () => {
  const choice = (start: string): object => ({
    anyOf: Array.from({ length: 40 }, (_, index) => ({
      type: "object",
      properties: { [start]: { const: index } },
      required: [start],
    })),
  });
  const names = ["a", "b", "c", "d"];
  const text = declared(
    [
      tool("many", {
        type: "object",
        properties: { written: { allOf: names.map(choice) }, referred: { $ref: "#/$defs/all" } },
        $defs: {
          all: { allOf: names.map((name) => ({ $ref: `#/$defs/${name}` })) },
          ...Object.fromEntries(names.map((name) => [name, choice(name)])),
        },
      }),
    ],
    `import { call } from "@toolweave/core";
call("many", { written: { a: 1, b: 2, c: 3, d: 4 } });
call("many", { written: {}, referred: {} });`,
  );
  expect(text).toContain("written?: unknown;");
  expect(text).toContain("type All = unknown;");
});

test("any name of a source, tool, definition or member compiles, and none ends a comment or a text", () => {
  const names = [
    "Tools",
    "ToolExecutor",
    "GeneratedToolTypes",
    "string",
    "Array",
    "404",
    "new",
    "readonly",
    "__proto__",
    "constructor",
    "名前",
    "𝒳",
    "a-b",
    "a_b",
    'quote"\\',
    "line\nfeed",
    "*/ evil",
    "\u202e",
    "",
  ];
  const schema = {
    type: "object",
    properties: Object.fromEntries(
      names.map((name) => [
        name,
        { $ref: `#/$defs/${encodeURIComponent(name)}`, description: name },
      ]),
    ),
    required: names,
    $defs: Object.fromEntries(names.map((name) => [name, { const: name, description: name }])),
  };
  const text = declared(
    names.map((name) => tool(name, schema, schema, `https://a.example/${name}.json`)),
  );
  expect(text).not.toContain("\u202e");
  expect(text).not.toMatch(/^ *\*\/ evil/m);
});

test("a source is named after the end of its path or URL", () => {
  const sources = [
    "petstore",
    "/data/shop.v2.yaml",
    "https://a.example/v1/api.json?key=1",
    "./a/api.mjs",
  ];
  const { text } = declareTools(
    sources.map((source, index) => tool(`tool_${index}`, { type: "object" }, undefined, source)),
    "toolweave types",
  );
  expect(text.match(/namespace \w+/g)).toEqual([
    "namespace Api",
    "namespace ShopV2",
    "namespace Api2",
    "namespace Petstore",
  ]);
});
