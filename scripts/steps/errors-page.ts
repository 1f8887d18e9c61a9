import { readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { errorsPageProblems } from "../lib/errors-page.ts";
import type { CodeFacts } from "../lib/errors-page.ts";
import type { Step } from "../lib/step.ts";
import { problemsResult } from "../lib/step.ts";

/** docs/reference/errors.md against the codes in core, both ways. */
export const errorsPageStep: Step = {
  name: "errors-page",
  summary: "docs/reference/errors.md says of every error code what the code says, and of no other",
  async run({ root }) {
    const source = join(root, "packages/core/src/contract/tool-error.ts");
    const { errorCodes } = (await import(pathToFileURL(source).href)) as {
      errorCodes: Readonly<Record<string, CodeFacts>>;
    };
    const page = readFileSync(join(root, "docs/reference/errors.md"), "utf8");
    const problems = errorsPageProblems(page, "docs/reference/errors.md", errorCodes);
    return problemsResult(problems, `${Object.keys(errorCodes).length} codes`);
  },
};
