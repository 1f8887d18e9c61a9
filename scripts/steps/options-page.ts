import { readFileSync } from "node:fs";
import { join } from "node:path";
import { formatPage } from "../lib/format-page.ts";
import {
  optionProblems,
  optionsPage,
  readInterface,
  type DeclaredOption,
} from "../lib/options-page.ts";
import type { Step } from "../lib/step.ts";
import { problemsResult } from "../lib/step.ts";

/** Relative to the root. */
export const optionsPagePath = "docs/reference/executor-options.md";

const sourcePath = "packages/core/src/executor/executor-options.ts";

function readOptions(root: string): DeclaredOption[] {
  return readInterface(readFileSync(join(root, sourcePath), "utf8"), "ExecutorOptions");
}

/** The page as it has to be, formatted. */
export function currentOptionsPage(root: string): Promise<string> {
  return formatPage(root, optionsPage(readOptions(root)));
}

/** docs/reference/executor-options.md against the options of the executor. */
export const optionsPageStep: Step = {
  name: "options-page",
  summary: `${optionsPagePath} lists every option of the executor with the default that it has`,
  async run({ root }) {
    // Loaded by this step alone: the rest of `check` does not need core.
    const { executorOptions } =
      await import("../../packages/core/src/executor/executor-options.ts");
    const options = readOptions(root);
    const page = readFileSync(join(root, optionsPagePath), "utf8");
    const isCurrent = page === (await currentOptionsPage(root));
    const problems = [
      ...optionProblems(options, executorOptions).map((problem) => `${sourcePath}: ${problem}`),
      ...(isCurrent ? [] : [`${optionsPagePath} is out of date: node scripts/options-page.ts`]),
    ];
    return problemsResult(problems, `${options.length} options`);
  },
};
