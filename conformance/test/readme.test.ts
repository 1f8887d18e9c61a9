import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { declarations, placeOf } from "../src/contract/declarations.ts";

const readme = readFileSync(join(import.meta.dirname, "../README.md"), "utf8");

test("the test file that the README shows is one that runs", () => {
  const example = readFileSync(join(import.meta.dirname, "example.test.ts"), "utf8");
  expect(readme).toContain("```text\n" + example + "```");
});

test("the README explains everything that a manifest can declare", () => {
  const explained: readonly string[] = readme.match(/(?<=^\| `)\w+(?=`)/gm) ?? [];
  expect(declarations.filter((declaration) => !explained.includes(declaration))).toEqual([]);
});

test("the adapter guide explains all of it, too, and nothing else", () => {
  const guide = readFileSync(
    join(import.meta.dirname, "../../docs/guides/write-an-adapter.md"),
    "utf8",
  );
  const rows = guide.match(/(?<=^\| `)[\w.]+(?=`)/gm) ?? [];
  expect(rows.sort()).toEqual(declarations.map(placeOf).sort());
});
