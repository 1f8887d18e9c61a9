import { expect, test } from "vitest";
import { docBlocks, joinBlocks } from "../scripts/lib/doc-blocks.ts";
import { errorsPageProblems } from "../scripts/lib/errors-page.ts";
import { outcomeProseProblems, outcomeTestProblems } from "../scripts/lib/outcome-tests.ts";
import { optionProblems, optionsPage, readInterface } from "../scripts/lib/options-page.ts";
import { runSteps, withNeeds } from "../scripts/lib/run-steps.ts";
import type { Step } from "../scripts/lib/step.ts";

function step(name: string, ok: boolean, needs: readonly string[] = []): Step {
  return {
    name,
    summary: "",
    needs,
    run: () => Promise.resolve({ ok, output: `output of ${name}` }),
  };
}

async function ran(steps: readonly Step[]): Promise<{ lines: string[]; summary: unknown }> {
  const lines: string[] = [];
  const print = (line: string): void => void lines.push(line.replace(/ [\d.]+ s/, ""));
  const summary = await runSteps(steps, { root: "", temp: "" }, 2, print);
  return { lines, summary };
}

test("a failed step prints its output, stops the steps that need it, and nothing else", async () => {
  const steps = [step("build", false), step("size", true, ["build"]), step("lint", true)];
  const { lines, summary } = await ran(steps);
  expect(lines.toSorted()).toEqual([
    "    output of build\n",
    "-- size not run: build failed",
    "FAILED build",
    "ok lint",
  ]);
  expect(summary).toEqual({ passed: ["lint"], failed: ["build"], blocked: ["size"] });
});

test("a step that throws has failed", async () => {
  const broken: Step = {
    name: "docs",
    summary: "",
    run: () => Promise.reject(new Error("no such page")),
  };
  const { lines, summary } = await ran([broken]);
  expect(lines.join("\n")).toContain("no such page");
  expect(summary).toEqual({ passed: [], failed: ["docs"], blocked: [] });
});

test("a step runs after the steps that it needs, even if they were not named", () => {
  const steps = [step("build", true), step("lint", true), step("size", true, ["build"])];
  expect(withNeeds(steps, new Set(["size"])).map(({ name }) => name)).toEqual(["build", "size"]);
});

const head =
  "| code | retryable | audience | meaning | what to do |\n| --- | --- | --- | --- | --- |\n";
const codes = { timeout: { retryable: true, audience: "model" } };

test("an errors page that matches the code has no problem", () => {
  const page = `# Errors\n\n${head}| \`timeout\` | yes | model | Too late. | Wait. |\n`;
  expect(errorsPageProblems(page, "e.md", codes)).toEqual([]);
});

test.each([
  ["", "e.md: timeout is missing: add a row for it"],
  ["| `timeout` | no | model | A. | B. |", "e.md:3: timeout is retryable: yes, not no"],
  ["| `timeout` | yes | host | A. | B. |", "e.md:3: the audience of timeout is model, not host"],
  ["| `timeout` | yes | model | A. | |", "e.md:3: timeout needs a meaning and what to do"],
  [
    "| `timeout` | yes | model | A. | B. |\n| `toString` | no | model | A. | B. |",
    "e.md:4: toString is not a code of errorCodes: remove the row",
  ],
])("an errors page with the rows %j has a problem", (rows, problem) => {
  expect(errorsPageProblems(`${head}${rows}\n`, "e.md", codes)).toEqual([problem]);
});

const declared = (docstring: string): string =>
  `/** Options. */\nexport interface Options {\n  ${docstring}\n  readonly waitMs?: number | "never";\n}\n`;
const table = { waitMs: { default: 10_000 } };

test("an interface's docstrings give the rows of an options page", () => {
  const source = declared("/**\n   * How long\n   * to wait. Default: 10,000.\n   */");
  const options = readInterface(source, "Options");
  expect(optionProblems(options, table)).toEqual([]);
  expect(optionsPage(options)).toContain(
    '| `waitMs` | `number \\| "never"` | 10,000 | How long to wait. |\n',
  );
});

test.each([
  ["/** */", "waitMs needs a docstring that describes it"],
  ["/** Default: 10,000. */", "waitMs needs a docstring that describes it"],
  ["/** To wait. */", 'the docstring of waitMs has to end with "Default: …."'],
  ["/** To wait. Default: 100. */", "the default of waitMs is 10,000, not 100"],
])("an option with the docstring %j is reported", (docstring, problem) => {
  expect(optionProblems(readInterface(declared(docstring), "Options"), table)).toEqual([problem]);
});

test("an interface that cannot be read is an error", () => {
  const source = "export interface Options {\n  waitMs?: number;\n}\n";
  expect(() => readInterface(source, "Options")).toThrow("Options cannot be read from here");
});

test("js and ts blocks of a page are found with their lines, and no others", () => {
  const page = [
    "```ts",
    "const a = 1;",
    "```",
    "```sh",
    "js",
    "```",
    "- a list",
    "  ```js title=x",
    "  if (a) {",
    "    b();",
    "  }",
    "  ```",
    "````md",
    "```js",
    "```",
    "````",
    "```ts no-run",
    "c();",
    "```",
  ].join("\n");
  expect(docBlocks(page, "p.md")).toEqual([
    { file: "p.md", line: 1, language: "ts", code: "const a = 1;", runs: true },
    { file: "p.md", line: 8, language: "js", code: "if (a) {\n  b();\n}", runs: true },
    { file: "p.md", line: 17, language: "ts", code: "c();", runs: false },
  ]);
});

test("the blocks of a tutorial are one program, in which each keeps its lines", () => {
  const page = "# A\n```ts\na();\nb();\n```\ntext\n```ts\nc();\n```\n";
  const joined = joinBlocks(docBlocks(page, "p.md"));
  expect(joined).toEqual([
    { file: "p.md", line: 2, language: "ts", code: "a();\nb();\n\n\n\nc();", runs: true },
  ]);
});

test.each([
  'if (outcome.status === "completed") use(outcome.result);',
  'if ("interrupted" !== outcome?.status) return;',
  'assert.equal(waits?.status, "interrupted");',
  "switch (outcome.status) {",
  'const { status } = outcome; if (status === "failed") throw outcome.error;',
])("an example does not test the status of an outcome: %s", (code) => {
  const block = { file: "page.md", line: 3, language: "ts", runs: true } as const;
  expect(outcomeTestProblems([{ ...block, code: `// One line.\n${code}` }])).toEqual([
    `page.md:5: test ok, then interruption, and not status: ${code}`,
  ]);
});

test("an example tests ok and interruption, displays the status, and tests that of an agent", () => {
  const block = { file: "page.md", line: 3, language: "ts", runs: true } as const;
  const codes = [
    "if (outcome.ok) use(outcome.result); else if (outcome.interruption) wait();",
    "console.log(outcome.status); // Prints: completed",
    'import { runAgent } from "@toolweave/subagent"; if (first.status === "completed") end();',
    "assert.ok(response.status === 404);",
  ];
  expect(outcomeTestProblems(codes.map((code) => ({ ...block, code })))).toEqual([]);
});

test("a page does not tell its reader to test the status", () => {
  expect(
    outcomeProseProblems("# Calls\n\nTest `status`, which is one of three.\n", "a.md"),
  ).toEqual(["a.md:3: an outcome is tested by ok, then interruption, not by status"]);
  expect(outcomeProseProblems("Test `ok`. `status` is for displays.\n", "a.md")).toEqual([]);
});
