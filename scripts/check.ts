import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runSteps, withNeeds } from "./lib/run-steps.ts";
import type { Step } from "./lib/step.ts";
import { benchGateStep } from "./steps/bench-gate.ts";
import { casesStep } from "./steps/cases.ts";
import { docsStep } from "./steps/docs.ts";
import { errorsPageStep } from "./steps/errors-page.ts";
import { guideStep } from "./steps/guide.ts";
import { optionsPageStep } from "./steps/options-page.ts";
import { attwStep, publintStep, publishStep } from "./steps/packaging-steps.ts";
import { performancePageStep } from "./steps/performance-page.ts";
import { rulesPageStep } from "./steps/rules-page.ts";
import { scriptFunctionsStep } from "./steps/script-functions.ts";
import { studioSizeStep } from "./steps/studio-size.ts";
import { surfaceStep } from "./steps/surface.ts";
import * as tools from "./steps/tool-steps.ts";
import { wordsStep } from "./steps/words.ts";
import { workerStep } from "./steps/worker.ts";

// The build comes first: most of the later steps wait for it.
const steps: readonly Step[] = [
  tools.buildStep,
  tools.formatStep,
  tools.lintStep,
  errorsPageStep,
  optionsPageStep,
  rulesPageStep,
  scriptFunctionsStep,
  performancePageStep,
  casesStep,
  wordsStep,
  tools.typesStep,
  tools.knipStep,
  publintStep,
  attwStep,
  publishStep,
  tools.sizeStep,
  studioSizeStep,
  benchGateStep,
  workerStep,
  surfaceStep,
  docsStep,
  guideStep,
];

const help = `Usage: check [step…]

Runs every quality gate of the workspace, two at a time, or only the named steps and what
they need. A step's output is shown when it fails. Exits 1 when any step failed.

${steps
  .map(({ name, summary, needs }) => {
    const after = needs === undefined ? "" : ` (needs ${needs.join(", ")})`;
    return `  ${name.padEnd(12)} ${summary}${after}`;
  })
  .join("\n")}
`;

async function main(names: readonly string[]): Promise<number> {
  if (names.includes("--help") || names.includes("-h")) {
    process.stdout.write(help);
    return 0;
  }
  const unknown = names.filter((name) => !steps.some((step) => step.name === name));
  if (unknown.length > 0) {
    process.stderr.write(`check has no step ${unknown.join(", ")}: see check --help\n`);
    return 2;
  }
  const chosen = names.length === 0 ? steps : withNeeds(steps, new Set(names));
  const root = join(import.meta.dirname, "..");
  const temp = mkdtempSync(join(tmpdir(), "toolweave-check-"));
  process.once("exit", () => rmSync(temp, { recursive: true, force: true, maxRetries: 5 }));
  const start = performance.now();
  const { passed, failed, blocked } = await runSteps(chosen, { root, temp }, 2, (line) => {
    process.stdout.write(`${line}\n`);
  });
  const seconds = ((performance.now() - start) / 1000).toFixed(1);
  const list = [...failed, ...blocked].join(", ");
  process.stdout.write(
    `check: ${passed.length} passed, ${failed.length + blocked.length} failed in ${seconds} s${list && `: ${list}`}\n`,
  );
  return list === "" ? 0 : 1;
}

process.exitCode = await main(process.argv.slice(2));
