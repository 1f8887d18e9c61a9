import { describe, expect, test } from "vitest";
import type { JsonSchema } from "@toolweave/core";
import {
  addItem,
  addMember,
  discardDraft,
  moveItem,
  renameMember,
  selectBranch,
  setJson,
  setNull,
  unsetNull,
} from "../../src/form/model/edit.ts";
import { fieldAt } from "../../src/form/model/field-at.ts";
import { childFields, viewField, type FieldView } from "../../src/form/model/field-view.ts";
import { initialNode } from "../../src/form/model/initial-node.ts";
import { literalNode, textNode, toNumberNode } from "../../src/form/model/node.ts";
import { Form } from "../../src/form/form.ts";

function viewAt(form: Form, ...path: (string | number)[]): FieldView {
  const { schema, node, path: found } = fieldAt(form.root, form.value, path);
  expect(found).toEqual(path);
  return viewField(form.root, schema, node);
}

function names(form: Form, ...path: (string | number)[]): readonly (string | number)[] {
  const { node } = fieldAt(form.root, form.value, path);
  return childFields(form.root, viewAt(form, ...path), node).map(({ step }) => step);
}

/** Types into a number field, one character after another. */
function typeNumber(form: Form, name: string, text: string): void {
  for (let length = 1; length <= text.length; length++) {
    form.edit([name], (node) => toNumberNode(text.slice(0, length), node));
  }
}

const object = (
  properties: Record<string, JsonSchema | boolean>,
  more: JsonSchema = {},
): JsonSchema => ({
  type: "object",
  properties,
  ...more,
});

describe("a number", () => {
  const form = (): Form => new Form({ schema: object({ n: { type: "integer" } }) });

  test.each(["9007199254740993", "1e21", "1.50", "-0", " 7 "])("%s is sent as typed", (text) => {
    const typed = form();
    typeNumber(typed, "n", text);
    expect(typed.json).toBe(`{"n":${text.trim()}}`);
  });

  test.each([
    ["-", "This is not a number."],
    ["1.", "Digits are missing after the decimal point."],
    ["007", "A JSON number has no leading zeros."],
    ["+5", "A JSON number has no plus sign."],
    [".5", "A JSON number begins with a digit: 0.5."],
    ["1e", "Digits are missing after the exponent."],
    ["1,000", "A JSON number has no thousands separators."],
    ["", "Enter a number, or remove the field."],
  ])("that does not parse stays as typed and blocks sending: %s", (text, message) => {
    const typed = form();
    typed.edit(["n"], (node) => toNumberNode(text, node));
    expect(typed.json).toBeUndefined();
    expect(typed.problems).toEqual([{ pointer: "/n", message }]);
    expect(viewAt(typed, "n").control).toBe("number");
    expect(fieldAt(typed.root, typed.value, ["n"]).node).toMatchObject({ text });
  });

  test("that does not parse is in the JSON text, which does not parse either", () => {
    const typed = form();
    typeNumber(typed, "n", "12e");
    expect(typed.text).toBe('{\n  "n": 12e\n}');
    expect(new Form({ schema: typed.schema, text: typed.text }).text).toBe(typed.text);
  });
});

describe("absent, null and empty", () => {
  const form = new Form({ schema: object({ s: { type: ["string", "null"] } }) });

  test("are three values", () => {
    expect(form.json).toBe("{}");
    form.edit(["s"], () => textNode(""));
    expect(form.json).toBe('{"s":""}');
    form.edit(["s"], setNull());
    expect(form.json).toBe('{"s":null}');
    expect(viewAt(form, "s").control).toBe("null");
    form.edit(["s"], () => undefined);
    expect(form.json).toBe("{}");
  });

  test("and the text that null replaced is restored", () => {
    form.edit(["s"], () => textNode("draft"));
    form.edit(["s"], setNull());
    form.edit(
      ["s"],
      unsetNull(() => textNode("")),
    );
    expect(form.json).toBe('{"s":"draft"}');
  });
});

describe("JSON text that does not parse", () => {
  test("stays as typed, blocks sending, and gives way to the last valid value", () => {
    const form = new Form({ schema: object({ a: { type: "string" } }), text: '{"a":"x"}' });
    form.setText('{"a":"x", ');
    expect(form.text).toBe('{"a":"x", ');
    expect(form.json).toBeUndefined();
    expect(form.problems).toEqual([
      { pointer: "", message: "The text ends where JSON has a name in quotes." },
    ]);
    expect(viewAt(form).control).toBe("json");
    form.edit([], discardDraft());
    expect(form.json).toBe('{"a":"x"}');
  });

  test("is restored from the text of the form", () => {
    const schema = object({});
    const form = new Form({ schema });
    form.setText("{oops");
    expect(new Form({ schema, text: form.text }).text).toBe("{oops");
  });

  test("affects one field where the schema permits any JSON", () => {
    const form = new Form({ schema: object({ any: {}, s: { type: "string" } }) });
    form.edit(["any"], setJson("[1,", true));
    expect(viewAt(form, "any").control).toBe("json");
    expect(viewAt(form, "s").control).toBe("text");
    expect(form.problems.map(({ pointer }) => pointer)).toEqual(["/any"]);
    form.edit(["any"], setJson("[1, 2]", true));
    expect(form.json).toBe('{"any":[1,2]}');
    form.edit(["any"], setJson(" ", true));
    expect(form.json).toBe("{}");
  });
});

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
    expect(names(loaded, "target")).toEqual(["kind", "tag", "note"]);
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
    expect(names(form, "tree")).toEqual(["children"]);
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
    expect(names(form)).toEqual(["a", "b"]);
    expect(viewAt(form, "a").base).toMatchObject({ type: "integer", minimum: 1, maximum: 9 });
  });

  test("shows then or else as the value has it", () => {
    const form = new Form({
      schema: object(
        { country: { enum: ["US", "AT"] } },
        {
          if: { properties: { country: { const: "US" } }, required: ["country"] },
          then: object({ zip: { type: "string" } }),
          else: object({ postcode: { type: "string" } }),
        },
      ),
    });
    expect(names(form)).toEqual(["country", "postcode"]);
    form.edit(["country"], () => textNode("US"));
    expect(names(form)).toEqual(["country", "zip"]);
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
    expect(names(form)).toEqual(["card"]);
    form.edit(["card"], () => textNode("1"));
    const fields = childFields(form.root, viewAt(form), form.value);
    expect(fields.map(({ step, isRequired }) => [step, isRequired])).toEqual([
      ["card", false],
      ["address", true],
    ]);
  });

  test("hides read-only members, unless the value has them", () => {
    const schema = object({ id: { type: "string", readOnly: true }, a: { type: "string" } });
    expect(names(new Form({ schema }))).toEqual(["a"]);
    expect(names(new Form({ schema, text: '{"id":"1"}' }))).toEqual(["id", "a"]);
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

describe("items", () => {
  const schema = object({ list: { type: "array", items: { type: "string" } } });

  test("are added, moved and removed with their identity", () => {
    const form = new Form({ schema, text: '{"list":["a","b","c"]}' });
    const ids = (): readonly number[] => {
      const { node } = fieldAt(form.root, form.value, ["list"]);
      return node?.kind === "array" ? node.items.map(({ id }) => id) : [];
    };
    const [a, b, c] = ids();
    form.edit(["list"], moveItem(2, -1));
    expect(form.json).toBe('{"list":["a","c","b"]}');
    expect(ids()).toEqual([a, c, b]);
    form.edit(["list", 0], () => undefined);
    form.edit(
      ["list"],
      addItem(() => textNode("d")),
    );
    expect(form.json).toBe('{"list":["c","b","d"]}');
    form.edit(["list"], moveItem(0, -1));
    expect(form.json).toBe('{"list":["c","b","d"]}');
  });
});

describe("members", () => {
  test("that are removed are restored when they are added again", () => {
    const form = new Form({
      schema: object({ a: object({}) }),
      text: '{"a":{"deep":{"draft":1}}}',
    });
    form.edit(["a"], () => undefined);
    expect(form.json).toBe("{}");
    form.edit(
      [],
      addMember("a", () => literalNode(null)),
    );
    expect(form.json).toBe('{"a":{"deep":{"draft":1}}}');
  });

  test("that are renamed stay at their position, and replace no other", () => {
    const form = new Form({ schema: {}, text: '{"a":1,"b":2}' });
    form.edit([], renameMember("a", "c"));
    expect(form.json).toBe('{"c":1,"b":2}');
    form.edit([], renameMember("c", "b"));
    expect(form.json).toBe('{"c":1,"b":2}');
  });
});

describe("problems", () => {
  const schema = object({
    list: { type: "array", items: object({ a: { type: "string" } }) },
    absent: object({ b: { type: "string" } }),
    any: {},
  });

  test("are at their field, or at the nearest one around it", () => {
    const form = new Form({ schema, text: '{"list":[{}],"any":{"x":1}}' });
    form.setProblems([
      { pointer: "/list/0/a", message: "one" },
      { pointer: "/absent/b", message: "two" },
      { pointer: "/any/x", message: "three" },
      { pointer: "/other", message: "four" },
      { pointer: "", message: "five" },
    ]);
    expect(Object.fromEntries(form.problemsByField)).toEqual({
      "/list/0/a": ["one"],
      "/absent": ["two"],
      "/any": ["three"],
      "": ["four", "five"],
    });
  });

  test("of drafts come before those of an earlier check", () => {
    const form = new Form({ schema: object({ n: { type: "number" } }) });
    form.setProblems([{ pointer: "", message: "of the server" }]);
    form.edit(["n"], () => toNumberNode("-"));
    expect(form.problems.map(({ message }) => message)).toEqual(["This is not a number."]);
  });
});

describe("JSON for addresses", () => {
  test("has no secrets and no drafts", () => {
    const form = new Form({
      schema: object(
        {
          a: { type: "string" },
          token: { type: "string", writeOnly: true },
          password: { $ref: "#/$defs/password" },
          list: { type: "array", items: object({ key: { writeOnly: true }, name: {} }) },
          choice: {
            oneOf: [
              object({ kind: { const: 1 }, value: { type: "string" } }),
              object({ kind: { const: 2 }, value: { type: "string", writeOnly: true } }),
            ],
          },
          n: { type: "number" },
        },
        { $defs: { password: { type: "string", format: "password" } } },
      ),
      text: '{"a":"x","token":"t","password":"p","list":[{"key":"k","name":"n"}],"choice":{"kind":1,"value":"v"}}',
    });
    form.edit(["n"], () => toNumberNode("-"));
    expect(form.publicJson).toBe('{"a":"x","list":[{"name":"n"}],"choice":{"kind":1}}');
  });
});

test("each change is reported once, and none without a change", () => {
  const changes: (string | undefined)[] = [];
  const form = new Form({
    schema: object({ a: { type: "string" } }),
    onChange: ({ json }) => changes.push(json),
  });
  form.edit(["a"], () => textNode("x"));
  form.edit(["missing", "b"], () => textNode("y"));
  expect(changes).toEqual(['{"a":"x"}']);
});
