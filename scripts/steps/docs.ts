import {
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { docBlocks } from "../lib/doc-blocks.ts";
import type { DocBlock } from "../lib/doc-blocks.ts";
import { runCommand } from "../lib/run-command.ts";
import type { Step } from "../lib/step.ts";
import { problemsResult } from "../lib/step.ts";
import { installedNames, workspacePackages } from "../lib/workspace.ts";
import { guidePage } from "./guide.ts";

const pages = [
  "README.md",
  "docs/**/*.md",
  "packages/*/README.md",
  "apps/*/README.md",
  "conformance/README.md",
];

function link(target: string, path: string): void {
  if (existsSync(path)) return;
  mkdirSync(dirname(path), { recursive: true });
  symlinkSync(realpathSync(target), path, "junction");
}

/** A folder where the packages resolve by their names, and whatever they depend on. */
function exampleFolder(root: string, temp: string): string {
  const folder = mkdtempSync(join(temp, "docs-"));
  const packages = workspacePackages(root).filter((entry) => entry.publishable);
  for (const entry of packages)
    link(join(root, entry.folder), join(folder, "node_modules", entry.name));
  for (const entry of packages) {
    const installed = join(root, entry.folder, "node_modules");
    for (const name of installedNames(installed)) {
      link(join(installed, name), join(folder, "node_modules", name));
    }
  }
  writeFileSync(join(folder, "package.json"), '{ "type": "module", "private": true }\n');
  return folder;
}

async function runBlock(block: DocBlock, folder: string): Promise<string | undefined> {
  const name = `${block.file.replaceAll("/", "-").replace(/\.md$/, "")}-${block.line}.${block.language}`;
  const path = join(folder, name);
  // Empty lines before it, so that a stack trace has the line numbers of the page.
  writeFileSync(path, "\n".repeat(block.line) + block.code);
  const { code, output } = await runCommand(
    process.execPath,
    ["--conditions=@toolweave/source", "--disable-warning=ExperimentalWarning", path],
    { cwd: folder, timeoutMs: 300_000 },
  );
  if (code !== 0) return `${block.file}:${block.line}: the example fails\n${output}`;
  const expected = printedLines(block.code);
  if (expected.length === 0 || output.trimEnd() === expected.join("\n")) return undefined;
  return `${block.file}:${block.line}: the example prints\n${output}\nits comments say\n${expected.join("\n")}`;
}

/** The output that the comments behind `console.log(…);` promise. */
function printedLines(code: string): readonly string[] {
  return Array.from(
    code.matchAll(/console\.log\(.*\); \/\/ Prints: (.*)$/gm),
    ([, printed]) => printed as string,
  );
}

/** The examples of the documentation, each in a process of its own. */
export const docsStep: Step = {
  name: "docs",
  summary: "every js and ts example of the documentation runs, and prints what its comments say",
  async run({ root, temp }) {
    const files = globSync(pages, { cwd: root, exclude: ["**/node_modules/**", guidePage] }).sort();
    const blocks = files.flatMap((file) => docBlocks(readFileSync(join(root, file), "utf8"), file));
    const folder = exampleFolder(root, temp);
    const problems: string[] = [];
    for (const block of blocks) {
      const problem = await runBlock(block, folder);
      if (problem !== undefined) problems.push(problem);
    }
    return problemsResult(problems, `${blocks.length} examples in ${files.length} pages`);
  },
};
