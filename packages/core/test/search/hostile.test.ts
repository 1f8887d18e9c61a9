import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Tool, ToolSpec } from "@toolweave/core";
import { ToolIndex } from "@toolweave/core/search";
import { anyText } from "../support/any-text.ts";
import { findable, harbour, taking, createToolset } from "./tools.ts";

function found(tools: readonly Tool[], query: string): readonly string[] {
  const index = new ToolIndex();
  index.update(createToolset(...tools));
  return index.search(query, 10).map(({ name }) => name);
}

/** A tool with a field that cannot be read. */
function broken(field: keyof ToolSpec): Tool {
  const plain = findable("kite", "Flies.", { title: "Wind", ...taking("string") });
  const spec = Object.defineProperty({ ...plain.spec }, field, {
    get: () => {
      throw new Error("no");
    },
  });
  return { ...plain, spec };
}

describe("a tool that cannot be read", () => {
  it.each([
    ["inputSchema", "string", "flies"],
    ["description", "flies", "wind"],
    ["title", "wind", "flies"],
    ["annotations", "nothing", "flies"],
    ["provenance", "nothing", "flies"],
  ] as const)("loses only the words of its %s", (field, lost, left) => {
    expect(found([broken(field), ...harbour], lost)).not.toContain("kite");
    expect(found([broken(field), ...harbour], left)).toEqual(["kite"]);
    expect(found([broken(field), ...harbour], "kite")).toEqual(["kite"]);
  });

  it("may have any value in place of text, schema or provenance", () => {
    const values = [null, 7, [], {}, "text", () => 1, Symbol("s"), { properties: null }];
    for (const value of values) {
      const odd = { title: value, description: value, inputSchema: value, provenance: value };
      const tool = findable("kite", "", odd as unknown as Partial<ToolSpec>);
      expect(found([tool], "kite")).toEqual(["kite"]);
    }
  });
});

describe("a tool with too much text", () => {
  it("is read up to a limit", () => {
    const long = findable("kite", `wind ${"sail ".repeat(2_000_000)} anchor`);
    expect(found([long], "wind")).toEqual(["kite"]);
    expect(found([long], "anchor")).toEqual([]);
  });

  it("has no more than a hundred parameters, none longer than a limit", () => {
    const names = Array.from({ length: 5000 }, (_, place) => `word${place}`);
    const tool = findable("kite", "", taking("string".repeat(1e6), ...names));
    expect(found([tool], "word98")).toEqual(["kite"]);
    expect(found([tool], "word4000")).toEqual([]);
  });

  it("has no word that is longer than a limit", () => {
    const tool = findable("kite", "a".repeat(500));
    expect(found([tool], "a".repeat(40))).toEqual(["kite"]);
    expect(found([tool], "a".repeat(39))).toEqual([]);
  });

  it("does not come first by repeating a word a thousand times", () => {
    const loud = findable("loud", "rope ".repeat(800));
    const named = findable("rope_splice", "Splices two ends.");
    expect(found([loud, named], "splice a rope")).toEqual(["rope_splice", "loud"]);
  });

  it("is indexed in linear time if its text is designed to be slow", () => {
    const texts = ["<a".repeat(2e5), `<${"a".repeat(4e5)}`, "y".repeat(4e5), "aB".repeat(2e5)];
    for (const text of [...texts, "ﷺ".repeat(4e5), "漢".repeat(4e5), "\ud800".repeat(4e5)]) {
      const slow = findable("kite", text, { title: text });
      expect(found([slow], "kite")).toEqual(["kite"]);
      expect(found([findable("kite", "Flies.")], `flies ${text}`)).toEqual(["kite"]);
    }
  });
});

describe("words that are names of inherited members", () => {
  const names = ["__proto__", "constructor", "toString", "prototype"];

  it.each(names)("%s is a word like any other", (name) => {
    const tool = findable("kite", `Reads ${name} now.`, {
      inputSchema: { type: "object", properties: JSON.parse(`{"${name}": {}}`) },
    });
    expect(found([...harbour, tool], name)).toEqual(["kite"]);
    expect(found(harbour, name)).toEqual([]);
  });
});

describe("a query", () => {
  const index = new ToolIndex();
  index.update(createToolset(...harbour));

  it("may be any text", () => {
    fc.assert(
      fc.property(
        fc.oneof(anyText(60), fc.constantFrom("\ud800", "berth \udc00", "\0")),
        (query) => {
          for (const { name, score } of index.search(query, 3)) {
            expect(harbour.some(({ spec }) => spec.name === name)).toBe(true);
            expect(score).toBeGreaterThan(0);
            expect(score).toBeLessThan(Infinity);
          }
        },
      ),
    );
  });

  it("is read up to a limit", () => {
    expect(index.search(`${"x ".repeat(1e6)} berth`, 5)).toEqual([]);
    expect(index.search(`berth ${"x ".repeat(1e6)}`, 5)).not.toEqual([]);
  });

  it("is limited to a number of different words", () => {
    const words = Array.from({ length: 64 }, (_, place) => `w${place}`);
    expect(index.search([...words.slice(1), "berth"].join(" "), 5)).not.toEqual([]);
    expect(index.search([...words, "berth"].join(" "), 5)).toEqual([]);
  });

  it("may search again inside its filter", () => {
    const within = index.search("berth", 5, () => index.search("tide", 5).length === 1);
    expect(within).toEqual(index.search("berth", 5));
  });
});
