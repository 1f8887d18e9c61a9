import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { declarations, declarationPath } from "../src/contract/manifest.ts";

const readme = readFileSync(join(import.meta.dirname, "../README.md"), "utf8");

test("the test file in the README runs", () => {
  const example = readFileSync(join(import.meta.dirname, "example.test.ts"), "utf8");
  expect(readme).toContain("```ts no-run\n" + example + "```");
});

test("the test file of a store in the README runs", () => {
  const example = readFileSync(join(import.meta.dirname, "stores-example.test.ts"), "utf8");
  expect(readme).toContain("```ts no-run\n" + example + "```");
});

test("the README documents all declarations of a manifest", () => {
  const explained: readonly string[] = readme.match(/(?<=^\| `)\w+(?=`)/gm) ?? [];
  expect(declarations.filter((declaration) => !explained.includes(declaration))).toEqual([]);
});

test("the adapter guide documents exactly the same declarations", () => {
  const guide = readFileSync(
    join(import.meta.dirname, "../../docs/guides/write-an-adapter.md"),
    "utf8",
  );
  const rows = guide.match(/(?<=^\| `)[\w.]+(?=`)/gm) ?? [];
  expect(rows.sort()).toEqual(declarations.map(declarationPath).sort());
});
