import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { toUnicodePattern } from "../../src/schema/unicode-pattern.ts";

describe("a pattern", () => {
  test.for([
    ["^[\\w-.]+$", "^[\\w\\-.]+$"],
    ["^\\-?\\d+\\@\\_$", "^-?\\d+@_$"],
    ["[\\#\\'-]", "[#'\\-]"],
    ["{id}", "\\{id\\}"],
    ["a{2,3}\\_", "a{2,3}_"],
    ["]", "\\]"],
    ["\\A\\d+\\z", "^\\d+$"],
    ["\\p{L}\\-", "\\p{L}-"],
    ["[\\12\\_\\8]", "[\\x0a_8]"],
  ])("%s is written as %s", ([pattern, written]) => {
    expect(toUnicodePattern(pattern as string)).toBe(written);
  });

  test.for(["(", "(?i)x", "a**", "[b-a]"])("%s is refused", (pattern) => {
    expect(toUnicodePattern(pattern)).toBeUndefined();
  });

  test("that is valid for JavaScript matches the same texts when it is rewritten", () => {
    const pieces = fc.constantFrom(
      ..."a b - _ . \\- \\_ \\. \\d \\w \\@ \\' { } {2} ] [ ^ [^ | ( ) * + ? \\/ / \\n \\x41 \\u0041 \\1 \\17 \\8 \\\\".split(
        " ",
      ),
    );
    const texts = fc.array(
      fc.string({
        unit: fc.constantFrom(..."ab-_.{}2][@'/A\\ 178d\u0001\u000f".split("")),
        maxLength: 5,
      }),
      { minLength: 5, maxLength: 20 },
    );
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 7 }), texts, (parts, samples) => {
        const pattern = parts.join("");
        const written = toUnicodePattern(pattern);
        let known: RegExp;
        try {
          known = new RegExp(pattern);
        } catch {
          return;
        }
        if (written === undefined) return;
        const now = new RegExp(written, "u");
        for (const text of samples)
          expect(now.test(text), `${pattern} ${text}`).toBe(known.test(text));
      }),
      { numRuns: 3_000 },
    );
  });
});
