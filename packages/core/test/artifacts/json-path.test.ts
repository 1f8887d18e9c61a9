import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { ToolError, type JsonValue } from "@toolweave/core";
import { jsonPath } from "../../src/json-path/json-path.ts";

const store: JsonValue = {
  store: {
    book: [
      { title: "a", price: 1 },
      { title: "b", price: 2 },
      { title: "c", price: 3 },
    ],
    "x y": 5,
    "it's": { '"': 6 },
  },
  title: "root",
};

function select(path: string, value: JsonValue = store): readonly JsonValue[] {
  return jsonPath(path).select(value, 1000);
}

describe("a JSON path", () => {
  test.each<[string, JsonValue[]]>([
    ["$.store.book[0].title", ["a"]],
    ["$['store']['x y']", [5]],
    [`$.store['it\\'s']['"']`, [6]],
    [`$["store"]["it's"]["\\""]`, [6]],
    ["$.store.book[-1].title", ["c"]],
    ["$.store.book[5]", []],
    ["$.store.book[-4]", []],
    ["$.store.book[*].price", [1, 2, 3]],
    ["$.store.book[0:2].price", [1, 2]],
    ["$.store.book[::2].price", [1, 3]],
    ["$.store.book[2:0:-1].price", [2, 3]],
    ["$.store.book[-2:].price", [2, 3]],
    ["$.store.book[::0]", []],
    ["$.store.book[2, 0].price", [1, 3]],
    ["$..title", ["a", "b", "c", "root"]],
    ["$..book..price", [1, 2, 3]],
    ["$..[1].title", ["b"]],
    ["$ .title", ["root"]],
    ["$.title.length", []],
    ["$.nothing.at.all", []],
    ["$.toString", []],
    ["$.store.book.length", []],
  ])("%s selects the nodes of RFC 9535, in document order", (path, expected) => {
    expect(select(path)).toEqual(expected);
  });

  test("$ selects the whole document", () => {
    expect(select("$")).toEqual([store]);
  });

  test("reads names that are special in JavaScript as plain names", () => {
    const value = JSON.parse('{"__proto__":{"constructor":1}}') as JsonValue;
    expect(select("$.__proto__.constructor", value)).toEqual([1]);
    expect(select("$.__proto__", {})).toEqual([]);
    const replaced = jsonPath("$..constructor").replace(value, 2);
    expect(JSON.stringify(replaced)).toBe('{"__proto__":{"constructor":2}}');
    expect(Object.getPrototypeOf(replaced)).toBe(Object.prototype);
  });

  test("returns no more nodes than requested", () => {
    const list = Array.from({ length: 100 }, (_, at) => at);
    expect(jsonPath("$[*]").select(list, 3)).toEqual([0, 1, 2]);
    expect(jsonPath("$..*").select({ a: [1, 2], b: 3 }, 2)).toEqual([[1, 2], 1]);
    expect(jsonPath("$").select(list, 0)).toEqual([]);
  });

  test.each([
    ["", 1],
    ["a.b", 1],
    ["$.", 3],
    ["$..", 4],
    ["$[", 3],
    ["$['a", 3],
    ["$[01]", 4],
    ["$[1:2", 6],
    ["$.a-b", 4],
    ["$.a ", 5],
    ["$[?@.a]", 3],
    [`$['\\"']`, 3],
    ["$[9999999999999999]", 18],
    [`$${".a".repeat(31)}`, 62],
  ])("that is invalid is refused with the position: %s", (path, place) => {
    const refused = (): unknown => jsonPath(path);
    expect(refused).toThrow(`at character ${place}: expected `);
    expect(refused).toThrow(ToolError);
  });

  test("that is too long is refused", () => {
    expect(() => jsonPath(`$.${"a".repeat(2000)}`)).toThrow("at most 1000 characters");
  });
});

describe("replacing the nodes of a path", () => {
  test("copies the changed nodes and shares the others", () => {
    const value = { a: { token: "x", n: 1 }, b: { n: 2 }, list: [{ token: "y" }, { n: 3 }] };
    const replaced = jsonPath("$..token").replace(value, "[gone]") as typeof value;
    expect(replaced).toEqual({
      a: { token: "[gone]", n: 1 },
      b: { n: 2 },
      list: [{ token: "[gone]" }, { n: 3 }],
    });
    expect(replaced.b).toBe(value.b);
    expect(replaced.list[1]).toBe(value.list[1]);
    expect(value.a.token).toBe("x");
  });

  test("returns the same value if the path selects nothing", () => {
    expect(jsonPath("$..secret").replace(store, "x")).toBe(store);
  });

  test("of the whole document returns the replacement", () => {
    expect(jsonPath("$").replace(store, null)).toBe(null);
  });

  test("leaves no node that `select` finds", () => {
    const marker = "replaced";
    const paths = ["$..a", "$.*.b", "$[0]", "$..[0:2]", "$..*", "$.a..b", "$['a','b'][*]"];
    const tree = fc.letrec<{ node: JsonValue }>((tie) => ({
      node: fc.oneof(
        { depthSize: "medium" },
        fc.integer(),
        fc.array(tie("node"), { maxLength: 4 }),
        fc.dictionary(fc.constantFrom("a", "b", "c", "__proto__"), tie("node")),
      ),
    })).node;
    fc.assert(
      fc.property(tree, fc.constantFrom(...paths), (value, path) => {
        const before = JSON.stringify(value);
        const left = jsonPath(path).select(jsonPath(path).replace(value, marker), 10_000);
        expect(left.filter((found) => found !== marker)).toEqual([]);
        expect(JSON.stringify(value)).toBe(before);
      }),
    );
  });
});

describe("a hostile path or value", () => {
  test("costs no more with any number of chained descendants", () => {
    let value: JsonValue = "leaf";
    for (let depth = 0; depth < 300; depth++) value = [value, value];
    const path = jsonPath(`$${"..*".repeat(30)}`);
    // As a tree it has 2^300 nodes.
    expect(() => path.replace(value, "x")).toThrow("too large or too deep");
    let chain: JsonValue = "leaf";
    for (let depth = 0; depth < 300; depth++) chain = [chain];
    expect(path.select(chain, 1000)).toHaveLength(271);
  });

  test("does not overflow the stack", () => {
    let value: JsonValue = "leaf";
    for (let depth = 0; depth < 100_000; depth++) value = [value];
    expect(() => jsonPath("$..a").select(value, 1)).toThrow("too large or too deep");
    expect(jsonPath("$[0][0]").select(value, 1)).toHaveLength(1);
  });
});
