import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { followGuide } from "../scripts/lib/follow-guide.ts";
import { guideSteps } from "../scripts/lib/guide-steps.ts";
import { rulesPage } from "../scripts/lib/rules-page.ts";
import { getBinFolder } from "../scripts/lib/run-command.ts";

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "toolweave-steps-"));
});
afterAll(() => rmSync(folder, { recursive: true }));

const fence = "```";
const written = `${fence}js\n// hello.mjs\nconsole.log("hello");\nprocess.exitCode = 0;\n${fence}\n`;
const edited = `${fence}diff\n // hello.mjs\n@@\n-process.exitCode = 0;\n+process.exitCode = 1;\n${fence}\n`;

function follow(page: string): Promise<string | undefined> {
  return followGuide(page, {
    folder,
    binFolder: getBinFolder(join(import.meta.dirname, "..")),
    commandFor: (words) => words,
  });
}

test("a guide's files are written, changed and run in order", async () => {
  const run = `${fence}sh\nnode hello.mjs # fails\n${fence}\n${fence}text\nhel…o\n${fence}\n`;
  expect(await follow(written + edited + run)).toBeUndefined();
  expect(readFileSync(join(folder, "hello.mjs"), "utf8")).toContain("exitCode = 1");
});

test.each([
  ["a command that works and should fail", "node hello.mjs # fails", "", "ends with 0"],
  ["a command that fails and should work", "node missing.mjs", "", "ends with 1"],
  ["missing output", "node hello.mjs", "goodbye", "does not show: goodbye"],
])("%s is a problem, with its line", async (_, command, output, problem) => {
  const fencedOutput = output === "" ? "" : `${fence}text\n${output}\n${fence}\n`;
  const said = await follow(`${written}${fence}sh\n${command}\n${fence}\n${fencedOutput}`);
  expect(said).toMatch(/^line 7: /);
  expect(said).toContain(problem);
});

test("a change of lines that do not exist is a problem", async () => {
  expect(await follow(written + edited + edited)).toMatch(/^line 12: .* 0 times/);
});

test.each([
  ["code without a file", `${fence}ts\nconst a = 1;\n${fence}\n`],
  ["output without a command", `${fence}text\nhello\n${fence}\n`],
  ["a change without a file", `${fence}diff\n-a\n+b\n${fence}\n`],
  ["a block without an end", `${fence}sh\nls\n`],
])("%s is not ignored", (_, page) => {
  expect(() => guideSteps(`# Guide\n\n${page}`)).toThrow("line 3");
});

const rule = { level: "must", section: "4", needs: ["source"], presupposes: ["TW-A-001"] };

test("the page of rules has each rule under its area, with its requirements", () => {
  const page = rulesPage(
    [{ ...rule, id: "TW-A-002", text: "Either a|b." }],
    [{ area: "A", title: "What is said" }],
  );
  expect(page).toContain("1 rules: 1 must be kept, 0 should be.");
  expect(page).toContain("## A: What is said");
  expect(page).toContain("| TW-A-002 | must | Either a\\|b. | source | TW-A-001 | 4 |");
});

test("a rule without an area is not silently omitted", () => {
  expect(() => rulesPage([{ ...rule, id: "TW-B-001", text: "Some." }], [])).toThrow("no area");
});
