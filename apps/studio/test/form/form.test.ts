import { describe, expect, test } from "vitest";
import {
  addItem,
  addMember,
  discardDraft,
  moveItem,
  renameMember,
  setJson,
  setNull,
  unsetNull,
} from "../../src/form/model/edit.ts";
import { fieldAt } from "../../src/form/model/field-at.ts";
import { literalNode, textNode, toNumberNode } from "../../src/json/node.ts";
import { Form } from "../../src/form/form.ts";
import { object, viewAt } from "./support/form-fields.ts";

/** Types into a number field, one character after another. */
function typeNumber(form: Form, name: string, text: string): void {
  for (let length = 1; length <= text.length; length++) {
    form.edit([name], (node) => toNumberNode(text.slice(0, length), node));
  }
}

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

  test("of absent values are displayed once their field was left, or sending was tried", () => {
    const form = new Form({ schema, text: '{"list":[{"a":""}]}' });
    form.setProblems([
      { pointer: "/list/0/a", message: "is too short" },
      { pointer: "/absent", message: "is required" },
      { pointer: "/any", message: "is required" },
    ]);
    const pointers = () => form.displayedProblems.map(({ pointer }) => pointer);
    expect(pointers()).toEqual(["/list/0/a"]);
    form.leave("/absent");
    expect(pointers()).toEqual(["/list/0/a", "/absent"]);
    expect(form.reportProblems()).toBe(false);
    expect(pointers()).toEqual(["/list/0/a", "/absent", "/any"]);
    form.clear();
    expect(pointers()).toEqual([]);
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
