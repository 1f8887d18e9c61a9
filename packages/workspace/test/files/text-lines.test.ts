import { describe, expect, test } from "vitest";
import { applyHunks } from "../../src/files/apply-hunks.ts";
import { explainMiss } from "../../src/files/explain-miss.ts";
import { splitLines } from "../../src/files/text-lines.ts";
import { openWorkspace } from "../support/open-workspace.ts";

const mixed = "alpha\nbeta\rcarriage\ngam\u2028ma\r\nlast";

describe("F20: one idea of a line", () => {
  test.each([
    [mixed, ["alpha", "beta\rcarriage", "gam\u2028ma", "last"]],
    ["a\rb\r", ["a", "b"]],
    ["a\n\nb", ["a", "", "b"]],
    ["", []],
    ["a\n\r", ["a", "\r"]],
  ])("%j", (text, expected) => {
    const lines = splitLines(text);
    expect(lines.map((line) => line.text)).toEqual(expected);
    expect(lines.map((line) => line.text + line.ending).join("")).toBe(text);
  });

  test("read, search, the explanation of an edit and the note of a patch count alike", async () => {
    const { text, failure } = openWorkspace({ "a.txt": mixed });
    expect(await text("read_file", { path: "a.txt" })).toMatch(/3\D+gam/);
    expect(await text("search", { pattern: "gam" })).toMatch(/3\D+gam/);
    const edits = [{ old: "gam\u2028ma ", new: "x" }];
    expect(await failure("edit_file", { path: "a.txt", edits })).toContain("line 3");
    expect(explainMiss(mixed, "last ")).toContain("line 4");
    const lines = [
      [" ", "beta\rcarriage"],
      ["-", "gam\u2028ma"],
      ["+", "x"],
    ] as const;
    const patched = applyHunks(mixed, [{ anchors: [], lines, isAtEnd: false }]);
    expect(patched).toEqual({ text: "alpha\nbeta\rcarriage\nx\r\nlast", looseMatches: [] });
  });

  test.each([
    ["^carriage", 0],
    ["beta$", 0],
    ["beta.carriage", 1],
    ["^ma", 0],
    ["gam.ma$", 1],
    ["^last$", 1],
    [String.raw`ma\r`, 1],
    [String.raw`ma\s$`, 0],
  ])("the search for %s finds %i lines", async (pattern, count) => {
    const { value } = openWorkspace({ "a.txt": mixed });
    expect((await value("search", { pattern }))["matches"]).toBe(count);
  });

  test("a line feed in the pattern needs multiline, and its ends are those of lines", async () => {
    const { text, failure } = openWorkspace({ "a.txt": mixed });
    expect(await failure("search", { pattern: String.raw`alpha\nbeta` })).toContain("multiline");
    expect(await text("search", { pattern: String.raw`alpha\nbeta`, multiline: true })).toContain(
      "alpha",
    );
    expect(await text("search", { pattern: "^carriage", multiline: true })).toContain("no match");
    expect(await text("search", { pattern: "ma$", multiline: true })).toMatch(/3\D+gam/);
  });
});
