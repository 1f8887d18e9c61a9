import { expect, test } from "vitest";
import { matchesPattern } from "../../src/form/model/match-pattern.ts";

test("a pattern is tested as JSON Schema has it: anywhere in the text", () => {
  expect(matchesPattern("^x-", "x-a")).toBe(true);
  expect(matchesPattern("b+", "abc")).toBe(true);
  expect(matchesPattern("^b", "abc")).toBe(false);
});

test.each(["(a+)+$", "(a|a)*$", "(?:a?){50}", "(a)\\1", "a*a*a*a*a*b", "[", "a".repeat(1000)])(
  "a pattern that is invalid, or may take long, is not tested: %s",
  (pattern) => {
    expect(matchesPattern(pattern, `${"a".repeat(100)}!`)).toBeUndefined();
  },
);

test("a long text is not tested", () => {
  expect(matchesPattern("^a", "a".repeat(10_000))).toBeUndefined();
});
