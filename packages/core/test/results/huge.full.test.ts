import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { text, type JsonValue } from "@toolweave/core";
import { inFullRun } from "@toolweave/test-support";
import { toJson } from "../../src/json/to-json.ts";
import { call, executorFor, tool } from "../support/executor-for.ts";
import { readCode, completed } from "../support/outcomes.ts";

const size = (value: unknown): number => Buffer.byteLength(JSON.stringify(value) ?? "", "utf8");

async function getResult(returned: unknown, largeOutputs = {}) {
  const executor = executorFor(
    tool("t", () => returned as never),
    { largeOutputs },
  );
  return completed(await executor.execute(call("t"))).result;
}

const anything = fc.anything({
  withBigInt: true,
  withBoxedValues: true,
  withDate: true,
  withMap: true,
  withSet: true,
  withSparseArray: true,
  withTypedArray: true,
});

/** `depth` objects, each of which contains the next one twice: 2^depth as JSON. */
function crossLinked(depth: number, leaf: unknown): unknown {
  let at: unknown = leaf;
  for (let level = 0; level < depth; level++) at = { a: at, b: at };
  return at;
}

// More than ten times the capture limit, or less in a quick run.
const hugeBytes = inFullRun(500_000_000, 50_000_000);

describe("a huge output", () => {
  test("TC14, RE03: a text of hundreds of megabytes is captured up to the limit, and the model receives a preview", async () => {
    const { content, artifacts } = await getResult("x".repeat(hugeBytes));
    expect(artifacts).toMatchObject([{ size: 33_554_432, truncated: true }]);
    expect(size(content)).toBeLessThan(6000);
  });

  test("RE03: bytes of hundreds of megabytes are captured up to the limit, and the model is informed", async () => {
    const { content, artifacts } = await getResult(Buffer.alloc(hugeBytes, 1));
    expect(artifacts).toMatchObject([{ size: 33_554_432, truncated: true }]);
    expect(size(content)).toBeLessThan(1000);
  });

  test("TC14: a list of millions of items is captured up to the limit, and is not a value", async () => {
    const items = Array.from({ length: hugeBytes / 10 }, (_, index) => index);
    const { content, artifacts, value } = await getResult(items);
    expect(artifacts).toMatchObject([{ mediaType: "text/plain", truncated: true }]);
    expect((artifacts[0]?.size ?? Infinity) <= 33_554_432).toBe(true);
    expect(size(content)).toBeLessThan(6000);
    expect(value).toBeUndefined();
  });

  test.each<[string, () => unknown]>([
    ["objects that occur twice, at each level", () => crossLinked(60, 1)],
    ["the same with objects that are not plain", () => crossLinked(60, 1n)],
    ["a list that is longer than the memory", () => Object.assign([], { length: 4_000_000_000 })],
    [
      "a list without an end",
      () => new Proxy([], { get: (_, key) => (key === "length" ? 1e308 : 1) }),
    ],
    ["an iterable without an end", () => ({ it: endless() })],
    ["toJSON that always returns two more", () => branching()],
    ["a map with one text of 100 MB", () => new Map([["a", "x".repeat(100_000_000)]])],
    ["bytes of 100 MB in a value", () => ({ a: new Uint8Array(100_000_000) })],
    ["a number of a billion bits", () => 1n << 1_000_000_000n],
  ])("does not hang: %s", (_, make) => {
    const cut = { truncated: false };
    const json = toJson(make(), 1_000_000, cut);
    expect(size(json)).toBeLessThan(3_000_000);
    expect(JSON.stringify(json)).toContain("[cut");
    expect(cut.truncated).toBe(true);
  });

  test("states how much was omitted", () => {
    expect(toJson([1n, ..."abcdefghij"], 14)).toEqual(["1", "a", "[cut: 9 more items]"]);
    expect(toJson({ a: 1n, b: "x".repeat(50), c: 1, d: 2 }, 40)).toEqual({
      a: "1",
      b: expect.stringMatching(/^x+… \[cut: \d+ more characters\]$/),
      "[cut]": "[cut: 2 more keys]",
    });
  });

  test("is within the limit whatever it is, and is JSON", () => {
    fc.assert(
      fc.property(anything, fc.nat(300), (value, limit) => {
        const cut = { truncated: false };
        const json = toJson(value, limit, cut);
        expect(JSON.parse(JSON.stringify(json))).toBeDefined();
        // Notes, characters that need escaping, and short texts that are no shorter as a note.
        expect(size(json)).toBeLessThan(6 * limit + 500);
        expect(cut.truncated || !JSON.stringify(json).includes("[cut: ")).toBe(true);
        expect(cut.truncated ? json : toJson(value)).toEqual(json);
      }),
      { numRuns: inFullRun(1000, 200) },
    );
  });

  test("is complete just below the limit", async () => {
    const rows = Array.from({ length: 100_000 }, (_, id) => ({ id, name: `row ${id}` }));
    const { value, artifacts } = await getResult(rows);
    expect(value).toBe(rows);
    expect(artifacts).toMatchObject([{ mediaType: "application/json", size: size(rows) }]);
    expect(artifacts[0]).not.toHaveProperty("truncated");
  });

  test("as JSON with a text that is longer than estimated is truncated, and is not a value", async () => {
    const { value, content } = await getResult({ a: "日".repeat(100) }, { maxCapturedBytes: 200 });
    expect(value).toBeUndefined();
    expect(size(content)).toBeLessThan(400);
  });

  test("in an output's own value, blocks and details is truncated, too", async () => {
    const limits = { maxCapturedBytes: 1000 };
    const long = "x".repeat(5000);
    const image = { type: "image", data: long, mimeType: "image/png" };
    const many = await getResult({ content: [text(long), image] }, limits);
    expect(many.content[0]).toEqual(text("x".repeat(1000)));
    expect(JSON.stringify(many.content)).not.toContain("image/png");
    const alone = await getResult({ content: [image] }, limits);
    expect(alone.content[0]).toEqual(text("[image left out: it is more than is kept]"));
    const more = { content: [text("a")], value: [long], details: [long] };
    const cut = await getResult(more, limits);
    expect(cut.value).toBeUndefined();
    expect(size(cut.details as JsonValue)).toBeLessThan(1100);
    expect(cut.content[0]).toEqual(text("a"));
  });

  test("violates an output schema: there is no complete value to check", async () => {
    const output = { type: "array" };
    const executor = executorFor(
      tool("t", () => ["x".repeat(2000)], { output }),
      { largeOutputs: { maxCapturedBytes: 1000 } },
    );
    const outcome = await executor.execute(call("t"));
    expect(readCode(outcome)).toBe("invalid_output");
  });
});

function* endless(): Generator<number> {
  for (;;) yield 1;
}

function branching(): object {
  return { toJSON: () => [branching(), branching()] };
}
