import { describe, expect, test } from "vitest";
import { addMember, selectBranch } from "../../src/form/model/edit.ts";
import { childFields } from "../../src/form/model/field-view.ts";
import { initialNode } from "../../src/form/model/initial-node.ts";
import { textNode, toNumberNode } from "../../src/json/node.ts";
import { Form } from "../../src/form/form.ts";
import { namesAt, object, viewAt } from "./support/form-fields.ts";

describe("a choice", () => {
  const schema = object({
    target: {
      oneOf: [
        object(
          { kind: { const: "branch" }, name: { type: "string" }, note: { type: "string" } },
          { required: ["kind"] },
        ),
        object(
          { kind: { const: "tag" }, tag: { type: "string" }, note: { type: "string" } },
          { required: ["kind"] },
        ),
      ],
    },
  });
  const select = (form: Form, index: number, ...path: string[]): void => {
    const [choice] = viewAt(form, ...path).choices;
    if (choice === undefined) throw new Error("no choice");
    form.edit(path, selectBranch(form.root, choice, index));
  };

  test("has the branches named by their discriminator", () => {
    const form = new Form({ schema });
    const [choice] = viewAt(form, "target").choices;
    expect(choice?.branches.map(({ name }) => name)).toEqual(['kind: "branch"', 'kind: "tag"']);
    expect(choice?.selected).toBeUndefined();
  });

  test("has titles, definitions and types as names", () => {
    const form = new Form({
      schema: object(
        {
          a: {
            anyOf: [
              { title: "Number", type: "number" },
              { $ref: "#/$defs/pet" },
              { type: "boolean" },
            ],
          },
        },
        { $defs: { pet: { type: "object" } } },
      ),
    });
    const [choice] = viewAt(form, "a").choices;
    expect(choice?.branches.map(({ name }) => name)).toEqual(["Number", "pet", "boolean"]);
  });

  test("inserts the constants of a branch, and selects the branch of a value", () => {
    const form = new Form({ schema });
    select(form, 1, "target");
    expect(form.json).toBe('{"target":{"kind":"tag"}}');
    const loaded = new Form({ schema, text: '{"target":{"kind":"tag","tag":"v1"}}' });
    expect(viewAt(loaded, "target").choices[0]?.selected).toBe(1);
    expect(namesAt(loaded, "target")).toEqual(["kind", "tag", "note"]);
  });

  test("restores what was entered in the branch that is selected again", () => {
    const form = new Form({ schema });
    select(form, 0, "target");
    form.edit(["target", "name"], () => textNode("main"));
    form.edit(["target", "note"], () => textNode("shared"));
    select(form, 1, "target");
    expect(JSON.parse(form.json ?? "")).toEqual({ target: { kind: "tag", note: "shared" } });
    form.edit(["target", "tag"], () => textNode("v1"));
    select(form, 0, "target");
    expect(JSON.parse(form.json ?? "")).toEqual({
      target: { kind: "branch", name: "main", note: "shared" },
    });
    select(form, 1, "target");
    expect(JSON.parse(form.json ?? "")).toMatchObject({ target: { kind: "tag", tag: "v1" } });
  });

  test("follows JSON text that is another branch", () => {
    const form = new Form({ schema });
    select(form, 0, "target");
    form.setText('{"target":{"kind":"tag","tag":"v2"}}');
    expect(viewAt(form, "target").choices[0]?.selected).toBe(1);
  });

  test("between null and one schema is a field that can be null", () => {
    const form = new Form({
      schema: object({ a: { anyOf: [{ type: "integer" }, { type: "null" }] } }),
    });
    expect(viewAt(form, "a")).toMatchObject({ kind: "number", isNullable: true, choices: [] });
  });

  test("between constants is a list of values with their titles", () => {
    const form = new Form({
      schema: object({
        a: {
          oneOf: [
            { const: 1, title: "One" },
            { const: 2, title: "Two" },
          ],
        },
      }),
    });
    expect(viewAt(form, "a").options.map(({ label }) => label)).toEqual(["1 – One", "2 – Two"]);
  });

  test("between required members is a constraint", () => {
    const form = new Form({
      schema: object(
        { a: { type: "string" }, b: { type: "string" } },
        { anyOf: [{ required: ["a"] }, { required: ["b"] }] },
      ),
    });
    expect(viewAt(form)).toMatchObject({ choices: [], alternatives: [["a"], ["b"]] });
  });

  test("between types has the draft of each type", () => {
    const form = new Form({ schema: object({ a: { type: ["string", "integer"] } }) });
    select(form, 0, "a");
    form.edit(["a"], () => textNode("x"));
    select(form, 1, "a");
    expect(form.json).toBeUndefined();
    form.edit(["a"], () => toNumberNode("5"));
    expect(form.json).toBe('{"a":5}');
    select(form, 0, "a");
    expect(form.json).toBe('{"a":"x"}');
  });
});

describe("a schema", () => {
  test("with a recursive reference is resolved as it is opened", () => {
    const form = new Form({
      schema: object(
        { tree: { $ref: "#/$defs/node" } },
        {
          $defs: { node: object({ children: { type: "array", items: { $ref: "#/$defs/node" } } }) },
        },
      ),
    });
    expect(form.json).toBe("{}");
    form.edit(
      [],
      addMember("tree", () => initialNode(form.root, { $ref: "#/$defs/node" })),
    );
    expect(namesAt(form, "tree")).toEqual(["children"]);
    expect(form.json).toBe('{"tree":{}}');
  });

  test("that refers to itself in every branch is resolved, too", () => {
    const form = new Form({
      schema: object(
        { a: { $ref: "#/$defs/a" } },
        { $defs: { a: { anyOf: [{ $ref: "#/$defs/a" }, { allOf: [{ $ref: "#/$defs/a" }] }] } } },
      ),
      text: '{"a":1}',
    });
    expect(viewAt(form, "a").control).toBe("json");
    expect(form.json).toBe('{"a":1}');
  });

  test("has the members of all parts of allOf, with the constraints of both", () => {
    const form = new Form({
      schema: {
        allOf: [
          object({ a: { type: "integer", minimum: 1 } }, { required: ["a"] }),
          object({ a: { maximum: 9 }, b: { type: "string" } }),
        ],
      },
    });
    expect(namesAt(form)).toEqual(["a", "b"]);
    expect(viewAt(form, "a").base).toMatchObject({ type: "integer", minimum: 1, maximum: 9 });
  });

  test("shows then or else as the value has it", () => {
    const form = new Form({
      schema: object(
        { country: { enum: ["US", "AT"] } },
        {
          if: { properties: { country: { const: "US" } }, required: ["country"] },
          // oxlint-disable-next-line unicorn/no-thenable -- a keyword of JSON Schema
          then: object({ zip: { type: "string" } }),
          else: object({ postcode: { type: "string" } }),
        },
      ),
    });
    expect(namesAt(form)).toEqual(["country", "postcode"]);
    form.edit(["country"], () => textNode("US"));
    expect(namesAt(form)).toEqual(["country", "zip"]);
  });

  test("has the members of dependentSchemas as soon as they apply", () => {
    const form = new Form({
      schema: object(
        { card: { type: "string" } },
        {
          dependentSchemas: { card: object({ address: { type: "string" } }) },
          dependentRequired: { card: ["address"] },
        },
      ),
    });
    expect(namesAt(form)).toEqual(["card"]);
    form.edit(["card"], () => textNode("1"));
    const fields = childFields(form.root, viewAt(form), form.value);
    expect(fields.map(({ step, isRequired }) => [step, isRequired])).toEqual([
      ["card", false],
      ["address", true],
    ]);
  });

  test("hides read-only members, unless the value has them", () => {
    const schema = object({ id: { type: "string", readOnly: true }, a: { type: "string" } });
    expect(namesAt(new Form({ schema }))).toEqual(["a"]);
    expect(namesAt(new Form({ schema, text: '{"id":"1"}' }))).toEqual(["id", "a"]);
  });

  test("describes additional members and those of patterns", () => {
    const form = new Form({
      schema: {
        type: "object",
        patternProperties: { "^x-": { type: "integer" } },
        additionalProperties: { type: "boolean" },
      },
      text: '{"x-a":1,"b":true,"c":"no"}',
    });
    expect(viewAt(form, "x-a").control).toBe("number");
    expect(viewAt(form, "b").control).toBe("boolean");
    expect(viewAt(form, "c")).toMatchObject({ control: "json", isMismatch: true });
  });

  test("with prefixItems has a schema for each item", () => {
    const form = new Form({
      schema: object({
        t: {
          type: "array",
          prefixItems: [{ type: "string" }, { type: "number" }],
          items: { type: "boolean" },
        },
      }),
      text: '{"t":["a",1,true]}',
    });
    expect([0, 1, 2].map((index) => viewAt(form, "t", index).control)).toEqual([
      "text",
      "number",
      "boolean",
    ]);
  });

  test("does not insert defaults and examples", () => {
    const schema = object(
      { a: { type: "string", default: "x" }, b: { type: "integer", examples: [1] } },
      { required: ["a"] },
    );
    expect(new Form({ schema }).json).toBe("{}");
  });

  test("falls back to JSON for text that a text field would change", () => {
    const form = new Form({ schema: object({ a: { type: "string" } }), text: '{"a":"x\\r\\ny"}' });
    expect(viewAt(form, "a")).toMatchObject({ control: "json", isMismatch: false });
    expect(form.json).toBe('{"a":"x\\r\\ny"}');
  });
});

test("a branch stays selected while a value is typed into it", () => {
  const form = new Form({
    schema: object({ a: { anyOf: [{ type: "string", minLength: 4 }, { enum: ["abcd", "ab"] }] } }),
    text: '{"a":"abcd"}',
  });
  expect(viewAt(form, "a").choices[0]?.selected).toBe(0);
  form.edit(["a"], () => textNode("ab"));
  expect(viewAt(form, "a").choices[0]?.selected).toBe(0);
});
