import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { globSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { checkPaths } from "../../src/check/check-folder.ts";
import { formatReport } from "../../src/check/report.ts";

const fixtures = join(import.meta.dirname, "../fixtures/artifacts");
const bad = globSync("**/*.md", { cwd: join(fixtures, "bad") }).toSorted();
const rewrites = process.env["TOOLWEAVE_REWRITE_GOLDEN"] === "1";

describe("a file with faults has exactly the report beside it", () => {
  test.each(bad)("%s", async (name) => {
    const cwd = join(fixtures, "bad");
    const { findings, texts } = await checkPaths([name], {
      cwd,
      strict: name.startsWith("strict/"),
    });
    expect(findings).not.toEqual([]);
    const report = formatReport(findings, { format: "text", texts });
    const expected = join(cwd, name.replace(/\.md$/, ".txt"));
    if (rewrites) writeFileSync(expected, report);
    expect(existsSync(expected), "no expected report").toBe(true);
    expect(report).toBe(readFileSync(expected, "utf8"));
  });

  test("there are at least 60", () => {
    expect(bad.length).toBeGreaterThanOrEqual(60);
  });
});

describe("realistic files have no finding", () => {
  const good = globSync("**/*.md", { cwd: join(fixtures, "good") }).toSorted();
  test.each(good)("%s", async (name) => {
    const cwd = join(fixtures, "good");
    const { findings, texts } = await checkPaths([name], { cwd });
    expect(formatReport(findings, { format: "text", texts })).toBe("");
  });

  test("there are at least 30, and together they have no finding either", async () => {
    const { files, findings } = await checkPaths(["good"], { cwd: fixtures });
    expect(findings).toEqual([]);
    expect(files.length).toBeGreaterThanOrEqual(30);
  });
});
