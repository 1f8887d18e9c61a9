import { expect, test } from "vitest";
import { findById, shortIds } from "../src/input/find-by-id.ts";
import { shellLine, formatDuration } from "../src/render/text.ts";

const ids = ["3f2a91c0-1", "3f2a91c0-2", "3f2a91d0", "8c01de77"];
const find = (written: string): string => findById(written, ids, (id) => id, "call");

test("ids are displayed in their shortest unique form", () => {
  expect([...shortIds(ids)].map(([id, short]) => [id, short, find(short)])).toEqual([
    ["3f2a91c0-1", "3f2a91c0-1", "3f2a91c0-1"],
    ["3f2a91c0-2", "3f2a91c0-2", "3f2a91c0-2"],
    ["3f2a91d0", "3f2a91d", "3f2a91d0"],
    ["8c01de77", "8c01de", "8c01de77"],
  ]);
});

test.each([
  ["3f2a91c", '"3f2a91c" matches more than one call: 3f2a91c0-1, 3f2a91c0-2.'],
  ["8c01", 'no call with the id "8c01". Did you mean 8c01de77?'],
  ["8c01df", 'no call with the id "8c01df". Did you mean 8c01de77?'],
  ["xxxxxxxx", "There is 3f2a91c0-1, 3f2a91c0-2, 3f2a91d0, 8c01de77."],
  ["", 'no call with the id "".'],
])("%j matches none", (written, message) => {
  expect(() => find(written)).toThrow(message);
});

test("a complete id is found although it is the prefix of another", () => {
  expect(findById("abcdef", ["abcdefg", "abcdef"], (id) => id, "call")).toBe("abcdef");
});

test.each([
  [["a", "--b=c", "d/e.f:g@h"], "a --b=c d/e.f:g@h"],
  [["bearer:$TOKEN", "it's", "", "a b"], `'bearer:$TOKEN' 'it'\\''s' '' 'a b'`],
])("%j is %s for a shell", (words, line) => {
  expect(shellLine(words)).toBe(line);
});

test.each([
  [0, "0 s"],
  [-5, "0 s"],
  [119_000, "119 s"],
  [120_000, "2 min"],
  [86_399_000, "23 h"],
  [2 * 86_400_000, "2 d"],
])("%i ms are %s", (ms, text) => {
  expect(formatDuration(ms)).toBe(text);
});
