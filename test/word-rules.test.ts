import { expect, test } from "vitest";
import { identifierFindings, proseFindings } from "../scripts/lib/word-rules.ts";

test("a forbidden name is found with its line and its replacement", () => {
  const text = ["const maxBytes = 1;", "const mostBytes = 2;", "redactor.told(shown);"].join("\n");
  expect(identifierFindings(text)).toEqual([
    { line: 2, word: "mostBytes", instead: "max…" },
    { line: 3, word: "told", instead: "redacted…, emitted… or notified…" },
    { line: 3, word: "shown", instead: "displayed…, listed…, model… or format…" },
  ]);
});

test("a name that ends in Of is found, unless it comes from elsewhere", () => {
  const text =
    "textOf(x); this.#faultOf(x); x.oneOf; hasOneOf(x); x.indexOf(y); let a: ValueOf<T>;";
  expect(identifierFindings(text).map(({ word }) => word)).toEqual(["textOf", "faultOf"]);
});

test("names in texts and comments are not names of code", () => {
  expect(identifierFindings('/** `mostBytes` */\nconst a = "shown"; // told\n`kept`;')).toEqual([]);
});

test("forbidden words are found in comments and in texts, and not in code", () => {
  const text = [
    "/**",
    " * What whoever calls gets.",
    " */",
    'const nobody = "nobody"; // goes on',
  ].join("\n");
  expect(proseFindings(text).map(({ line, word }) => [line, word])).toEqual([
    [2, "whoever"],
    [2, "* What"],
    [4, "goes on"],
    [4, "nobody"],
  ]);
});
