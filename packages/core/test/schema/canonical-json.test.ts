import { isDeepStrictEqual } from "node:util";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { canonicalJson } from "@toolweave/core/adapter";
import { sha256 } from "../../src/json/canonical-json.ts";

/** The same data with every object's keys in another order. */
function shuffled(value: unknown, turn: number): unknown {
  if (Array.isArray(value)) return value.map((item) => shuffled(item, turn));
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).map(
    ([key, member]) => [key, shuffled(member, turn)] as const,
  );
  const at = entries.length === 0 ? 0 : turn % entries.length;
  return Object.fromEntries([...entries.slice(at), ...entries.slice(0, at)].toReversed());
}

describe("canonical JSON", () => {
  test("has the keys of every object in code-unit order", () => {
    expect(canonicalJson({ b: [{ d: 1, c: 2 }], a: "x", B: null, é: true })).toBe(
      '{"B":null,"a":"x","b":[{"c":2,"d":1}],"é":true}',
    );
  });

  test("is equal for equal data, however its keys are ordered", () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.nat(), (value, turn) => {
        expect(canonicalJson(shuffled(value, turn))).toBe(canonicalJson(value));
      }),
    );
  });

  test("differs for different data", () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (a, b) => {
        const same = canonicalJson(a) === canonicalJson(b);
        // Two zeros are one number in JSON.
        const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value));
        expect(isDeepStrictEqual(plain(a), plain(b))).toBe(same);
      }),
    );
  });

  test("parses to the original value", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(JSON.parse(canonicalJson(value))).toEqual(JSON.parse(JSON.stringify(value)));
      }),
    );
  });

  test("omits undefined values in an object, and writes null elsewhere", () => {
    expect(canonicalJson({ a: undefined, b: [undefined] })).toBe('{"b":[null]}');
    expect(canonicalJson(undefined)).toBe("null");
  });

  test("keeps a key named __proto__", () => {
    expect(canonicalJson(JSON.parse('{"b":1,"__proto__":{"a":2}}'))).toBe(
      '{"__proto__":{"a":2},"b":1}',
    );
  });
});

describe("sha256", () => {
  test("is the digest in hexadecimal", async () => {
    expect(await sha256("abc")).toBe(
      "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
    );
  });
});
