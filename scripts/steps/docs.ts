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
import { docBlocks, joinBlocks } from "../lib/doc-blocks.ts";
import type { DocBlock } from "../lib/doc-blocks.ts";
import { outcomeProseProblems, outcomeTestProblems } from "../lib/outcome-tests.ts";
import { docstringExamples } from "../lib/docstring-examples.ts";
import { deadLinks } from "../lib/markdown-links.ts";
import { getBinFolder, runCommand } from "../lib/run-command.ts";
import type { Step } from "../lib/step.ts";
import { problemsResult } from "../lib/step.ts";
import { installedNames, workspacePackages } from "../lib/workspace.ts";
import type { WorkspacePackage } from "../lib/workspace.ts";
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
function exampleFolder(root: string, temp: string, packages: readonly WorkspacePackage[]): string {
  const folder = mkdtempSync(join(temp, "docs-"));
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

/**
 * The options under which every example compiles: strict, and what Node.js itself runs. `dom` is in the default
 * libraries of a reader's project, and has other types for what both have, such as `ReadableStream`.
 */
const compilerOptions = {
  strict: true,
  target: "es2022",
  module: "nodenext",
  lib: ["es2023", "esnext.disposable", "dom", "dom.iterable"],
  types: ["node"],
  allowImportingTsExtensions: true,
  erasableSyntaxOnly: true,
  verbatimModuleSyntax: true,
  skipLibCheck: true,
  noEmit: true,
};

function fileName({ file, line }: DocBlock): string {
  return `${file.replaceAll("/", "-").replace(/\.(?:md|ts)$/, "")}-${line}.ts`;
}

/** Compiles all examples as one program; each error names the line of its page. */
async function compileBlocks(
  blocks: readonly DocBlock[],
  folder: string,
  root: string,
): Promise<string[]> {
  const typeRoots = [realpathSync(join(root, "node_modules/@types"))];
  writeFileSync(
    join(folder, "tsconfig.json"),
    JSON.stringify({
      compilerOptions: { ...compilerOptions, typeRoots },
      files: blocks.map(fileName),
    }),
  );
  const { code, output } = await runCommand("tsc", ["--pretty", "false", "-p", "."], {
    cwd: folder,
    binFolder: getBinFolder(root),
  });
  if (code === 0) return [];
  const pagesByFile = new Map(blocks.map((block) => [fileName(block), block.file]));
  return output
    .trimEnd()
    .split("\n")
    .map((line) =>
      line.replace(/^([^\s(]+\.ts)\((\d+),\d+\)/, (match: string, name: string, at: string) =>
        pagesByFile.has(name) ? `${pagesByFile.get(name)}:${at}` : match,
      ),
    );
}

async function runBlock(block: DocBlock, folder: string): Promise<string | undefined> {
  const { code, output } = await runCommand(
    process.execPath,
    ["--conditions=@toolweave/source", "--disable-warning=ExperimentalWarning", fileName(block)],
    { cwd: folder, timeoutMs: 300_000 },
  );
  if (code !== 0) return `${block.file}:${block.line}: the example fails\n${output}`;
  const expected = printedLines(block.code);
  if (expected.length === 0 || output.trimEnd() === expected.join("\n")) return undefined;
  return `${block.file}:${block.line}: the example prints\n${output}\nits comments say\n${expected.join("\n")}`;
}

/** The output that comments promise: behind `console.log(…);`, or on lines of their own. */
function printedLines(code: string): readonly string[] {
  return Array.from(
    code.matchAll(/console\.log\(.*\); \/\/ Prints: (.*)$|^\/\/ Prints: (.*)$/gm),
    ([, behind, alone]) => behind ?? (alone as string),
  );
}

/** The files that `npm create toolweave` writes. Those of an agent test its result, which has a status only. */
function templates(root: string): readonly DocBlock[] {
  return globSync("packages/create-toolweave/templates/{function,openapi}/**/*.ts", {
    cwd: root,
  }).map((file) => ({
    file,
    line: 0,
    language: "ts",
    code: readFileSync(join(root, file), "utf8"),
    runs: false,
  }));
}

/** The examples of the documentation: compiled as one program, and run each in a process of its own. */
export const docsStep: Step = {
  name: "docs",
  summary:
    "every link leads somewhere; every example is TypeScript, compiles with strict and tests outcomes by ok and interruption, those of docstrings too; those of pages run, and print what their comments say",
  needs: ["build"],
  async run({ root, temp }) {
    const files = globSync(pages, { cwd: root, exclude: ["**/node_modules/**", guidePage] }).sort();
    const blocks = files.flatMap((file) => {
      const found = docBlocks(readFileSync(join(root, file), "utf8"), file);
      // The blocks of a page of the tutorial are pasted into one file, in order.
      return file.startsWith("docs/tutorial/") ? joinBlocks(found) : found;
    });
    const packages = workspacePackages(root).filter((entry) => entry.publishable);
    const docstrings = docstringExamples(realpathSync(root), packages, temp);
    const linked = [...files, guidePage, "CONTRIBUTING.md", "SECURITY.md"];
    const problems = linked.flatMap((file) => deadLinks(root, file));
    const examples = [...blocks, ...docstrings];
    const scripts = examples
      .filter(({ language }) => language === "js")
      .map(
        ({ file, line }) => `${file}:${line}: the example is JavaScript: write it in TypeScript`,
      );
    problems.push(...scripts, ...outcomeTestProblems([...examples, ...templates(root)]));
    for (const file of files) {
      problems.push(...outcomeProseProblems(readFileSync(join(root, file), "utf8"), file));
    }
    const folder = exampleFolder(root, temp, packages);
    for (const block of blocks) {
      // Empty lines before it, so that errors have the line numbers of the page.
      writeFileSync(join(folder, fileName(block)), "\n".repeat(block.line) + block.code);
    }
    for (const block of docstrings) {
      writeFileSync(join(folder, fileName(block)), "\n".repeat(block.line - 1) + block.code);
    }
    problems.push(...(await compileBlocks(examples, folder, root)));
    for (const block of blocks.filter(({ runs }) => runs)) {
      const problem = await runBlock(block, folder);
      if (problem !== undefined) problems.push(problem);
    }
    return problemsResult(
      problems,
      `${blocks.length} examples in ${files.length} pages, and ${docstrings.length} in docstrings`,
    );
  },
};
