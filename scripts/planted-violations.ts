import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { copyTree } from "./lib/copy-tree.ts";
import { runCommand } from "./lib/run-command.ts";

/** A rule broken on purpose. */
interface Violation {
  readonly what: string;
  /** The step of `check` that must fail. */
  readonly step: string;
  /** The file that is changed. */
  readonly file: string;
  /** What the step must say: the file, and where the file alone proves little, more. */
  readonly named: readonly string[];
  /** Changes the file's text. */
  change(text: string): string;
}

const append =
  (addition: string) =>
  (text: string): string =>
    `${text.trimEnd()}\n\n${addition}\n`;

function withoutCode(page: string, code: string): string {
  const lines = page.split("\n");
  const kept = lines.filter((line) => !line.startsWith(`| \`${code}\``));
  if (kept.length !== lines.length - 1)
    throw new Error(`docs/errors.md has no one row for ${code}`);
  return kept.join("\n");
}

const violations: readonly Violation[] = [
  {
    what: "core imports an adapter",
    step: "lint",
    file: "packages/core/src/index.ts",
    named: ["packages/core/src/index.ts", "'@toolweave/openapi'"],
    change: (text) => `import "@toolweave/openapi";\n${text}`,
  },
  {
    what: "the errors page misses a code",
    step: "errors-page",
    file: "docs/errors.md",
    named: ["docs/errors.md", "not_found is missing"],
    change: (text) => withoutCode(text, "not_found"),
  },
  {
    what: "the errors page has a code that is none",
    step: "errors-page",
    file: "docs/errors.md",
    named: ["docs/errors.md", "planted_code is not a code"],
    change: (text) =>
      text.replace(/^\| `not_found`/m, "| `planted_code` | no | host | Planted. | Nothing. |\n$&"),
  },
  {
    what: "an unused export",
    step: "knip",
    file: "packages/core/src/contract/tool-error.ts",
    named: ["packages/core/src/contract/tool-error.ts", "plantedExport"],
    change: append("/** Planted. */\nexport const plantedExport: number = 1;"),
  },
  {
    what: "a default export",
    step: "lint",
    file: "packages/core/src/contract/tool-error.ts",
    named: ["packages/core/src/contract/tool-error.ts", "no-default-export"],
    change: append("export default ToolError;"),
  },
  {
    what: "`any` in a public signature",
    step: "surface",
    file: "packages/core/src/index.ts",
    named: ["packages/core/src/index.ts", "planted(value: any)"],
    change: append(
      "/** Planted. */\nexport function planted(value: any): void {\n  void value;\n}",
    ),
  },
  {
    what: "a public name without a docstring",
    step: "surface",
    file: "packages/core/src/index.ts",
    named: ["packages/core/src/index.ts", "plantedName is public and has no docstring"],
    change: append("export const plantedName: number = 1;"),
  },
  {
    what: "a documented example that does not run",
    step: "docs",
    file: "README.md",
    named: ["README.md:", "plantedImport"],
    change: append(
      '```ts\nimport { plantedImport } from "@toolweave/core";\n\nplantedImport();\n```',
    ),
  },
];

interface CheckResult {
  readonly code: number;
  readonly output: string;
}

function check(tree: string, steps: readonly string[]): Promise<CheckResult> {
  return runCommand(process.execPath, [join(tree, "scripts/check.ts"), ...steps], {
    cwd: tree,
    // The copy has no install of its own, and must not get one; what a check leaves goes with it.
    env: { pnpm_config_verify_deps_before_run: "false", TMPDIR: join(tree, "..") },
  });
}

async function judge(tree: string, violation: Violation): Promise<string | undefined> {
  const path = join(tree, violation.file);
  const text = readFileSync(path, "utf8");
  writeFileSync(path, violation.change(text));
  const { code, output } = await check(tree, [violation.step]);
  writeFileSync(path, text);
  if (code === 0) return "not noticed";
  if (!output.includes(`FAILED ${violation.step}`)) return `another step failed:\n${output}`;
  const missing = violation.named.filter((part) => !output.includes(part));
  return missing.length === 0 ? undefined : `the output lacks ${missing.join(" and ")}:\n${output}`;
}

async function main(root: string): Promise<number> {
  const temp = mkdtempSync(join(tmpdir(), "toolweave-planted-"));
  process.once("exit", () => rmSync(temp, { recursive: true, force: true, maxRetries: 5 }));
  const tree = join(temp, "tree");
  const print = (line: string): void => void process.stdout.write(`${line}\n`);
  copyTree(root, tree);

  const steps = [...new Set(violations.map((violation) => violation.step))];
  const untouched = await check(tree, steps);
  if (untouched.code !== 0) {
    print(`The untouched copy fails, so nothing can be planted in it:\n${untouched.output}`);
    return 1;
  }
  print(`ok the untouched copy passes ${steps.join(", ")}`);

  let failures = 0;
  for (const violation of violations) {
    const start = performance.now();
    const problem = await judge(tree, violation);
    const seconds = ((performance.now() - start) / 1000).toFixed(1);
    const row = `${violation.step.padEnd(11)} ${seconds.padStart(4)} s  ${violation.what}`;
    print(`${problem === undefined ? "ok    " : "FAILED"} ${row}`);
    if (problem !== undefined) {
      failures++;
      print(problem);
    }
  }
  print(`planted violations: ${violations.length - failures} noticed, ${failures} not`);
  return failures === 0 ? 0 : 1;
}

process.exitCode = await main(join(import.meta.dirname, ".."));
