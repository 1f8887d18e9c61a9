import { describe, expect, test } from "vitest";
import { openWorkspace } from "../support/open-workspace.ts";

const lines = [
  "foo bar",
  "foobar",
  "a foo",
  "foo\tbar",
  "x{,2}y",
  "fo",
  "f",
  "[:alpha:]",
  "a]b",
  "größe",
  "bar",
  "a.b*c",
];

/** The lines that a search finds. */
async function find(pattern: string): Promise<readonly string[]> {
  const { text } = openWorkspace({ "a.txt": `${lines.join("\n")}\n` });
  const found = await text("search", { pattern });
  return found
    .split("\n")
    .flatMap((line) => lines.filter((one) => line.endsWith(one) && /\d/.test(line)))
    .filter((one, at, all) => all.indexOf(one) === at);
}

describe("F16: forms of other dialects mean the same", () => {
  test.each([
    ["foo[[:space:]]+bar", ["foo bar", "foo\tbar"]],
    [String.raw`\<foo\>`, ["foo bar", "a foo", "foo\tbar"]],
    [String.raw`\Afoo`, ["foo bar", "foobar", "foo\tbar"]],
    [String.raw`bar\z`, ["foo bar", "foobar", "foo\tbar", "bar"]],
    [String.raw`foo\h+bar`, ["foo bar", "foo\tbar"]],
    [String.raw`\Qa.b*c\E`, ["a.b*c"]],
    [String.raw`\x{66}oo\x{62}`, ["foobar"]],
    [String.raw`gr\x{f6}\x{df}e`, ["größe"]],
    [String.raw`^\pL+$`, ["foobar", "fo", "f", "größe", "bar"]],
    ["[]]b", ["a]b"]],
    ["^fo{,2}$", ["fo", "f"]],
  ])("%s", async (pattern, expected) => {
    const found = await find(pattern);
    for (const one of expected) expect(found).toContain(one);
  });

  test.each([
    [String.raw`foo\Kbar`, String.raw`\K is not supported: write what comes before it as (?<=…)`],
    ["[[=a=]]", "[=a=] is not supported: write its characters"],
    ["[[:^alpha:]]", "[:^alpha:] is not supported: write [^[:alpha:]]"],
    [String.raw`\yfoo`, String.raw`\y is not supported: for the letter, write y`],
    [String.raw`\p{Nonsense}`, "nvalid"],
    ["[a-z&&[^b]]", "&& in a set is not supported"],
    ["[a-z--[b]]", "-- in a set is not supported"],
    [String.raw`(x)\2`, String.raw`\2 refers to a group that is not there`],
    [String.raw`(?:x)\1`, String.raw`\1 refers to a group that is not there`],
    [String.raw`\xg`, String.raw`\x is incomplete: write \x41`],
    [String.raw`\u12`, String.raw`\u is incomplete: write \u0041`],
    [String.raw`\k{a}`, String.raw`\k is incomplete: write \k<name>`],
    [String.raw`foo\Rbar`, String.raw`\R is not in a line: set multiline`],
    [String.raw`foo\x0abar`, String.raw`\x0a is not in a line: set multiline`],
    [String.raw`foo\x{a}bar`, String.raw`\x{a} is not in a line: set multiline`],
    ["foo\nbar", "A line end is not in a line: set multiline"],
    ["(?>a)", "nvalid"],
  ])("%s is refused with the form to write", async (pattern, message) => {
    const { failure } = openWorkspace({ "a.txt": "a" });
    expect(await failure("search", { pattern })).toContain(message);
  });
});

test("a text with a line end needs multiline", async () => {
  const { failure, text } = openWorkspace({ "a.txt": "foo\nbar\n" });
  const args = { pattern: "foo\nbar", literal: true };
  expect(await failure("search", args)).toContain("A line end is not in a line: set multiline");
  expect(await text("search", { ...args, multiline: true })).toContain("a.txt:1:foo");
});

test("the end of a line is found whatever its bytes are", async () => {
  const { text } = openWorkspace({ "crlf.txt": "foo\r\nbar\r\n", "cr.txt": "foo\rbar\r" });
  for (const args of [
    { pattern: String.raw`foo\nbar` },
    { pattern: "foo\nbar" },
    { pattern: "foo\nbar", literal: true },
    { pattern: String.raw`foo\n{1}bar$` },
    { pattern: String.raw`(?<=foo\n)bar` },
  ]) {
    const found = await text("search", { ...args, multiline: true, mode: "count" });
    expect([args, found.split("\n")]).toEqual([
      args,
      ["cr.txt:1", "crlf.txt:1", expect.stringContaining("2 matches")],
    ]);
  }
});

test("an escape that is not needed does not change what a point and a set match", async () => {
  const { text } = openWorkspace({ "a.txt": '😀 "s"\n' });
  for (const pattern of [String.raw`^.\ \"s\"$`, String.raw`^[\"\-😀] `, String.raw`\😀\ `]) {
    expect(await text("search", { pattern })).toContain("a.txt:1:");
  }
});

test("forms of JavaScript keep their meaning", async () => {
  expect(await find(String.raw`^f\w*\s?bar$`)).toEqual(
    expect.arrayContaining(["foo bar", "foobar"]),
  );
  expect(await find(String.raw`[^a-z]b`)).toContain("a]b");
  expect(await find(String.raw`\bfoo\b`)).toContain("a foo");
  expect(await find(String.raw`x\{,2\}y`)).toEqual(["x{,2}y"]);
});
