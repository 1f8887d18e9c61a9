import { readFileSync } from "node:fs";
import { join } from "node:path";
import { formatPage } from "../lib/format-page.ts";
import { rulesPage, type RuleArea, type RuleFacts } from "../lib/rules-page.ts";
import { getBinFolder, runCommand } from "../lib/run-command.ts";
import type { Step } from "../lib/step.ts";
import { problemsResult } from "../lib/step.ts";

/** Relative to the root. */
export const rulesPagePath = "docs/reference/conformance-rules.md";

const reader = `
import { areas, requirements } from "@toolweave/conformance";
process.stdout.write(JSON.stringify({ areas, requirements }));
`;

/** The page as it has to be, formatted. */
export async function currentRulesPage(root: string): Promise<string> {
  const { code, stdout, output } = await runCommand(
    "node",
    ["--conditions=@toolweave/source", "--input-type=module", "--eval", reader],
    { cwd: join(root, "conformance"), binFolder: getBinFolder(root) },
  );
  if (code !== 0) throw new Error(`the rules cannot be read\n${output}`);
  const { requirements, areas } = JSON.parse(stdout) as {
    requirements: readonly RuleFacts[];
    areas: readonly RuleArea[];
  };
  return formatPage(root, rulesPage(requirements, areas));
}

/** docs/reference/conformance-rules.md against the rules of the kit. */
export const rulesPageStep: Step = {
  name: "rules-page",
  summary: `${rulesPagePath} lists every rule of the conformance kit as it is`,
  async run({ root }) {
    const page = readFileSync(join(root, rulesPagePath), "utf8");
    const current = await currentRulesPage(root);
    const problems = page === current ? [] : ["It is out of date: node scripts/rules-page.ts"];
    return problemsResult(problems, `${(current.match(/^\| TW-/gm) ?? []).length} rules`);
  },
};
