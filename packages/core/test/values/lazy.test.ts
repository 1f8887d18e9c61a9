import { describe, expect, test } from "vitest";
import { isContentBlock, isThenable, lazyProperty } from "@toolweave/core/adapter";
import { defineLazy } from "../../src/contract/lazy.ts";

describe("lazyProperty", () => {
  test("computes at the first read, once, also if undefined, and is enumerable", () => {
    let computed = 0;
    const target = lazyProperty({ a: 1 }, "b", () => ((computed += 1), undefined));
    expect(Object.keys(target)).toEqual(["a", "b"]);
    expect(computed).toBe(0);
    expect([target.b, target.b, computed]).toEqual([undefined, undefined, 1]);
  });

  test("that fails to compute tries again", () => {
    let broken = true;
    const target = lazyProperty({}, "b", () => {
      if (broken) throw new Error("not yet");
      return 1;
    });
    expect(() => target.b).toThrow("not yet");
    broken = false;
    expect(target.b).toBe(1);
  });
});

describe("defineLazy", () => {
  test("copies with changes, and reads no lazy property", () => {
    let computed = 0;
    const base = lazyProperty({ a: 1 }, "b", () => (computed += 1));
    const copy = defineLazy(base, { a: 2 });
    expect([copy.a, base.a, computed]).toEqual([2, 1, 0]);
    expect([copy.b, base.b, computed]).toEqual([1, 1, 1]);
  });
});

describe("isThenable", () => {
  test.each([
    [Promise.resolve(), true],
    // oxlint-disable-next-line unicorn/no-thenable -- a thenable is what this is about
    [{ then: () => {} }, true],
    [null, false],
    // oxlint-disable-next-line unicorn/no-thenable -- and this is none
    [{ then: 1 }, false],
    ["then", false],
  ])("of %o is %s", (value, thenable) => {
    expect(isThenable<unknown>(value)).toBe(thenable);
  });
});

describe("isContentBlock", () => {
  test.each([
    { type: "text", text: "" },
    { type: "image", data: "AA==", mimeType: "image/png" },
    { type: "audio", data: "AA==", mimeType: "audio/wav", annotations: { priority: 1 } },
    { type: "resource_link", uri: "file:///a", name: "a" },
    { type: "resource", resource: { uri: "file:///a", text: "x" } },
    { type: "resource", resource: { uri: "file:///a", blob: "AA==" } },
  ])("accepts %j", (block) => {
    expect(isContentBlock(block)).toBe(true);
  });

  test.each([
    null,
    "text",
    { type: "text" },
    { type: "image", data: "AA==" },
    { type: "audio", data: 1, mimeType: "audio/wav" },
    { type: "resource_link", uri: "file:///a" },
    { type: "resource" },
    { type: "resource", resource: null },
    { type: "resource", resource: { text: "x" } },
    { type: "resource", resource: { uri: "file:///a", text: 1 } },
    { type: "video", data: "AA==" },
  ])("refuses %j", (block) => {
    expect(isContentBlock(block)).toBe(false);
  });
});
