import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { editAt, setJson } from "../../src/form/model/edit.ts";
import { arrayNode, textNode, toNumberNode, type FormNode } from "../../src/json/node.ts";
import { isFault, parseJson } from "../../src/json/parse-json.ts";
import { compactJson, fromValue, jsonText, toValue } from "../../src/json/write-json.ts";

function parsed(text: string): FormNode {
  const result = parseJson(text);
  if (isFault(result)) throw new Error(result.message);
  return result;
}

describe("JSON text", () => {
  test("that JSON.stringify writes is read and written as the same text", () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 4, stringUnit: "binary" }), (value) => {
        const text = JSON.stringify(value);
        expect(compactJson(parsed(text))).toBe(text);
        expect(jsonText(fromValue(JSON.parse(text)))).toBe(
          JSON.stringify(JSON.parse(text), null, 2),
        );
      }),
    );
  });

  test("is JSON exactly where JSON.parse accepts it, apart from names that appear twice", () => {
    const texts = fc.oneof(
      fc.string({ unit: fc.constantFrom(...'{}[]",:\\0123456789.eE+-truefalsn \n\t') }),
      fc.jsonValue().map((value) => JSON.stringify(value)),
      fc
        .tuple(fc.jsonValue(), fc.nat(), fc.constantFrom(...'{}[]",:\\0.e-x'))
        .map(([value, at, extra]) => {
          const text = JSON.stringify(value);
          return text.slice(0, at % (text.length + 1)) + extra + text.slice(at % (text.length + 1));
        }),
    );
    fc.assert(
      fc.property(texts, (text) => {
        const result = parseJson(text);
        if (isFault(result) && result.message.includes("appears twice")) return;
        expect(isFault(result) ? undefined : toValue(result)).toEqual(valueFrom(text));
      }),
      { numRuns: 2000 },
    );
  });

  test.each(["9007199254740993", "1e21", "1.50", "-0", "123456789012345678901234567890", "1E+2"])(
    "has the number %s with the digits that were typed",
    (digits) => {
      const node = parsed(`{"a": [${digits}]}`);
      expect(compactJson(node)).toBe(`{"a":[${digits}]}`);
      expect(jsonText(node)).toContain(digits);
    },
  );

  test("preserves the order of members, also of those whose names are numbers", () => {
    expect(compactJson(parsed('{"b":1,"10":2,"2":3,"__proto__":4}'))).toBe(
      '{"b":1,"10":2,"2":3,"__proto__":4}',
    );
  });

  test.each([
    ['{"a":1,"a":2}', 'The name "a" appears twice in this object.', 7],
    ['{"a" 1}', 'JSON has a colon here, not "1".', 5],
    ["[1 2]", 'JSON has a comma or "]" here, not "2".', 3],
    ["[01]", "This is not a JSON number.", 2],
    ['["a', "This string does not end.", 1],
    ['["a\n"]', "JSON writes this character in a string as an escape, such as \\n.", 3],
    ["[1]]", "The JSON value has ended before this text.", 3],
    ["{", "The text ends where JSON has a name in quotes.", 1],
    ["", "The text ends where JSON has a value.", 0],
  ])("that is no JSON has a message and its place: %s", (text, message, offset) => {
    expect(parseJson(text)).toEqual({ message, offset });
  });

  test("of ten megabytes is read", () => {
    const text = JSON.stringify({ data: "a".repeat(10_000_000) });
    expect(compactJson(parsed(text))).toHaveLength(text.length);
  });

  test("that nests deeper than the stack is refused", () => {
    expect(parseJson("[".repeat(100_000))).toMatchObject({
      message: "The value nests more than 500 levels deep.",
    });
  });
});

describe("what was typed as JSON", () => {
  const typed = '{ "a":1,\n     "b" : [ 1.0,2 ],\n "c": "\\u00e9"  }\n';
  const load = (text: string): FormNode => editAt(fromValue({}), [], setJson(text, false));

  test("is the text of the JSON view, character by character", () => {
    let node: FormNode = fromValue({});
    for (let length = 1; length <= typed.length; length++) {
      const text = typed.slice(0, length);
      node = editAt(node, [], setJson(text, false));
      expect(jsonText(node)).toBe(text);
    }
  });

  test("changes in one place only when a field is edited", () => {
    const node = editAt(load(typed), ["b", 1], () => toNumberNode("34"));
    expect(jsonText(node)).toBe('{ "a":1,\n     "b" : [ 1.0,34 ],\n "c": "\\u00e9"  }');
  });

  test("has a new member or item in the style of the others", () => {
    const pretty = '{\n    "list": [\n        1\n    ]\n}';
    const node = editAt(load(pretty), ["list"], (list) =>
      list?.kind === "array" ? { ...list, items: [...list.items, toNumberNode("2")] } : list,
    );
    expect(jsonText(node)).toBe('{\n    "list": [\n        1,\n        2\n    ]\n}');
  });

  test("is JSON with the same value after any edit", () => {
    const spaced = fc
      .tuple(fc.jsonValue(), fc.constantFrom(undefined, 1, 4, "\t"))
      .map(([value, space]) => JSON.stringify({ value }, undefined, space));
    fc.assert(
      fc.property(spaced, fc.jsonValue(), (text, next) => {
        const node = editAt(load(text), ["value"], (before) =>
          arrayNode([
            ...(before === undefined ? [] : [before]),
            fromValue(next as never),
            textNode("x"),
          ]),
        );
        expect(JSON.parse(jsonText(node))).toEqual(toValue(node));
      }),
    );
  });
});

function valueFrom(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
