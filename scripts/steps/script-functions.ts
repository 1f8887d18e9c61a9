import { readFileSync } from "node:fs";
import { join } from "node:path";
import { formatPage } from "../lib/format-page.ts";
import { getBinFolder, runCommand } from "../lib/run-command.ts";
import { scriptFunctionsPage, type ScriptFunction } from "../lib/script-functions-page.ts";
import type { Step } from "../lib/step.ts";
import { problemsResult } from "../lib/step.ts";

/** Relative to the root. */
export const scriptFunctionsPagePath = "docs/reference/script-functions.md";

const reader = `
import { builtins, testFunctions, writeSignature } from "@toolweave/markdown/authoring";
const functions = [...builtins, ...testFunctions].map((fn) => ({ ...fn, signature: writeSignature(fn) }));
process.stdout.write(JSON.stringify(functions));
`;

/** The page as it has to be, formatted. */
export async function currentScriptFunctionsPage(root: string): Promise<string> {
  const { code, stdout, output } = await runCommand(
    "node",
    ["--conditions=@toolweave/source", "--input-type=module", "--eval", reader],
    { cwd: join(root, "packages/markdown"), binFolder: getBinFolder(root) },
  );
  if (code !== 0) throw new Error(`the functions cannot be read\n${output}`);
  return formatPage(root, scriptFunctionsPage(JSON.parse(stdout) as readonly ScriptFunction[]));
}

/** docs/reference/script-functions.md against the table of functions. */
export const scriptFunctionsStep: Step = {
  name: "script-functions",
  summary: `${scriptFunctionsPagePath} lists every function that scripts can call`,
  async run({ root }) {
    const page = readFileSync(join(root, scriptFunctionsPagePath), "utf8");
    const current = await currentScriptFunctionsPage(root);
    const isCurrent = page === current;
    const problems = isCurrent ? [] : ["It is out of date: node scripts/script-functions-page.ts"];
    return problemsResult(problems, `${(current.match(/^\| `/gm) ?? []).length} functions`);
  },
};
