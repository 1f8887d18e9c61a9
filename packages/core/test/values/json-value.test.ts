import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { toJson } from "../../src/json/to-json.ts";

/** Everything that JSON cannot represent, in and around everything that it can. */
const anything = fc.anything({
  withBigInt: true,
  withBoxedValues: true,
  withDate: true,
  withMap: true,
  withNullPrototype: true,
  withObjectString: true,
  withSet: true,
  withTypedArray: true,
  withSparseArray: true,
});

const thrower = (): never => {
  throw new Error("unreadable");
};

describe("jsonValue", () => {
  test("passes plain data as it is", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(toJson(value)).toBe(value);
      }),
    );
  });

  test("makes JSON of anything, and never throws", () => {
    fc.assert(
      fc.property(anything, (value) => {
        const json = toJson(value);
        const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value));
        // Two zeros are one number in JSON.
        expect(plain(toJson(json))).toEqual(plain(json));
        expect(JSON.stringify(json)).toBeTypeOf("string");
      }),
      { numRuns: 500 },
    );
  });

  test.each<[string, unknown, unknown]>([
    ["undefined", undefined, null],
    ["a bigint", 12345678901234567890n, "12345678901234567890"],
    ["a symbol", Symbol("x"), null],
    ["a function", () => 1, null],
    ["NaN", NaN, null],
    ["Infinity", -Infinity, null],
    ["a date", new Date(0), "1970-01-01T00:00:00.000Z"],
    ["an invalid date", new Date(NaN), null],
    [
      "a map",
      new Map<unknown, unknown>([
        ["a", 1],
        [2, new Set([3n])],
      ]),
      { a: 1, 2: ["3"] },
    ],
    ["a set", new Set(["a"]), ["a"]],
    ["bytes", new Uint8Array([1, 2, 255]), "AQL/"],
    ["a buffer", Buffer.from("hello"), "aGVsbG8="],
    ["a regular expression", /a+/g, "/a+/g"],
    ["an error", new TypeError("bad"), { name: "TypeError", message: "bad" }],
    ["a URL", new URL("https://a.example/x"), "https://a.example/x"],
    [
      "toJSON that returns a list",
      { toJSON: () => [1, new Date(0)] },
      [1, "1970-01-01T00:00:00.000Z"],
    ],
    [
      "toJSON that returns itself",
      {
        a: 1,
        toJSON() {
          return this;
        },
      },
      { a: 1 },
    ],
    [
      "functions and symbols in an object",
      { a: () => 1, b: Symbol("x"), c: undefined, d: 1 },
      { d: 1 },
    ],
    ["functions in a list", [() => 1, undefined, 1], [null, null, 1]],
    [
      "a class instance",
      new (class {
        x = 1n;
        get y() {
          return 2;
        }
      })(),
      { x: "1" },
    ],
    ["an object without prototype", Object.assign(Object.create(null), { a: 1n }), { a: "1" }],
  ])("converts %s as documented", (_, value, json) => {
    expect(toJson(value)).toEqual(json);
  });

  test("cuts a cycle, and keeps repeated values", () => {
    const shared = { n: 1n };
    const cycle: Record<string, unknown> = { a: shared, b: [shared] };
    cycle["self"] = cycle;
    cycle["list"] = [cycle];
    expect(toJson(cycle)).toEqual({
      a: { n: "1" },
      b: [{ n: "1" }],
      self: "[circular]",
      list: ["[circular]"],
    });
  });

  test("cuts values that nest too deep", () => {
    let deep: unknown = "end";
    for (let level = 0; level < 100_000; level++) deep = [deep];
    const json = JSON.stringify(toJson(deep));
    expect(json).toContain("[too deep]");
    expect(json.length).toBeLessThan(1000);
    const endless = { toJSON: (): object => ({ ...endless }) };
    expect(toJson(endless)).toBe("[too deep]");
  });

  test("marks unreadable members, and reads the rest", () => {
    expect(
      toJson({
        get bad() {
          return thrower();
        },
        good: 1n,
        worse: { toJSON: thrower },
        worst: new Proxy({}, { ownKeys: thrower, getPrototypeOf: thrower }),
      }),
    ).toEqual({ bad: "[unreadable]", good: "1", worse: "[unreadable]", worst: "[unreadable]" });
    const { proxy, revoke } = Proxy.revocable({}, {});
    revoke();
    expect(toJson(proxy)).toBe("[unreadable]");
    expect(toJson(new Map([[{ toString: thrower }, 1]]))).toBe("[unreadable]");
  });

  test("keeps a key named __proto__ and changes no prototype", () => {
    const json = toJson(JSON.parse('{"__proto__":{"polluted":1},"n":null}'));
    expect(JSON.stringify(json)).toBe('{"__proto__":{"polluted":1},"n":null}');
    const converted = toJson(new Map<string, unknown>([["__proto__", { polluted: 1n }]]));
    expect(JSON.stringify(converted)).toBe('{"__proto__":{"polluted":"1"}}');
    expect(Object.getPrototypeOf(converted)).toBe(Object.prototype);
  });

  test("serializes megabytes of bytes without exhausting the stack", () => {
    const bytes = new Uint8Array(3_000_000).fill(7);
    expect(toJson({ bytes })).toEqual({ bytes: Buffer.from(bytes).toString("base64") });
  });
});
