import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

test("the test file that the README shows is one that runs", () => {
  const readme = readFileSync(join(import.meta.dirname, "../README.md"), "utf8");
  const example = readFileSync(join(import.meta.dirname, "example.test.ts"), "utf8");
  expect(readme).toContain("```text\n" + example + "```");
});
