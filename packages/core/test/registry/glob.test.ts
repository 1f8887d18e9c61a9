import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { globMatcher } from "@toolweave/core/adapter";
import { cpuMilliseconds, linearWorkMs } from "@toolweave/test-support";

describe("a glob", () => {
  test.each([
    ["read_file", "read_file"],
    ["read_*", "read_file"],
    ["*_file", "read_file"],
    ["*", ""],
    ["**", "anything"],
    ["r??d_file", "read_file"],
    ["*a*b*", "xaxbx"],
    ["a.c", "a.c"],
    ["(a|b)+*", "(a|b)+c"],
    ["*\n*", "a\nb"],
  ])("%j matches %j", (glob, name) => {
    expect(globMatcher([glob])(name)).toBe(true);
  });

  test.each([
    ["read", "read_file"],
    ["read_?", "read_file"],
    ["file*", "read_file"],
    ["a.*", "abc"],
    ["?", ""],
    ["[ab]", "a"],
    ["READ_*", "read_file"],
  ])("%j does not match %j", (glob, name) => {
    expect(globMatcher([glob])(name)).toBe(false);
  });

  test("is one of several of which any may match", () => {
    const matches = globMatcher(["get_*", "delete_event"]);
    expect(["get_x", "delete_event", "delete_events"].map(matches)).toEqual([true, true, false]);
  });

  test("that is absent matches nothing", () => {
    expect(globMatcher([])("a")).toBe(false);
  });

  test("means the same as its regular expression", () => {
    const glob = fc.string({ unit: fc.constantFrom("a", "b", "*", "?"), maxLength: 6 });
    const name = fc.string({ unit: fc.constantFrom("a", "b"), maxLength: 8 });
    fc.assert(
      fc.property(glob, name, (glob, name) => {
        const pattern = new RegExp(`^${glob.replaceAll("*", ".*").replaceAll("?", ".")}$`);
        expect(globMatcher([glob])(name)).toBe(pattern.test(name));
      }),
      { numRuns: 500 },
    );
  });

  test("with many stars takes time that grows with the name, for any name", async () => {
    const matches = globMatcher([`${"*a".repeat(20)}*b`]);
    const spent = await cpuMilliseconds(() => expect(matches("a".repeat(100_000))).toBe(false));
    expect(spent).toBeLessThan(linearWorkMs);
  });
});
