import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { followGuide } from "../lib/follow-guide.ts";
import type { WorkspacePackage } from "../lib/workspace.ts";
import { guidePage } from "../steps/guide.ts";
import type { Consumer } from "./consumer.ts";
import { copyReaderFiles } from "./example-host.ts";
import { installedPackages, installLines } from "./install-lines.ts";

/** The release that is tried. */
export interface PublishedRelease {
  readonly root: string;
  readonly consumer: Consumer;
  readonly packages: readonly WorkspacePackage[];
}

/** The pages that somebody wrote: builds put copies of some into the packages and the site. */
function listPages(root: string): string[] {
  const files = execFileSync("git", ["ls-files", "*.md"], { cwd: root, encoding: "utf8" });
  return files
    .split("\n")
    .filter(
      (file) =>
        file !== "" && !/(?:^|\/)CHANGELOG\.md$|^(?:docs\/contributing|\.changeset)\//.test(file),
    )
    .sort();
}

/** The input of commands that ask: Enter at each question of `init`, and the agreement to a change. */
const typedAnswers: Readonly<Record<string, string>> = { init: "\\n\\n\\n\\n", install: "y\\n" };

/** The command as a reader runs it: in a terminal if it asks. */
function inTerminal(command: string): string {
  const [, verb = ""] = /^npx toolweave (\w+)/.exec(command) ?? [];
  const answers = typedAnswers[verb];
  if (answers === undefined) return command;
  // Npx asks before it installs, and would read all of the answers.
  const agreed = command.replace(/^npx /, "npx --yes ");
  return `printf '${answers}' | script -qfec '${agreed.replaceAll("'", `'\\''`)}' /dev/null`;
}

/** A program that imports packages by their names. */
function importing(names: readonly string[]): string {
  return names.map((name) => `await import(${JSON.stringify(name)});\n`).join("");
}

/** The published packages, among these names, that a program can import. */
function importable(packages: readonly WorkspacePackage[], names: readonly string[]): string[] {
  const libraries = packages.filter((entry) => entry.name.startsWith("@"));
  return names.filter((name) => libraries.some((entry) => entry.name === name));
}

/**
 * Runs the install lines of each page in a folder of its own, in order, and imports the packages that they installed.
 * The adapter guide is followed as a whole, because its commands need its files.
 */
export async function rehearseLines({ root, consumer, packages }: PublishedRelease): Promise<void> {
  for (const page of listPages(root)) {
    const text = readFileSync(join(root, page), "utf8");
    const lines = installLines(text, page);
    if (lines.length === 0) continue;
    const folder = consumer.folder();
    if (page === guidePage) {
      await followPage(page, text, folder, consumer);
      continue;
    }
    const makesConfig = lines.some(({ command }) => command.startsWith("npx toolweave init"));
    copyReaderFiles(folder, makesConfig ? [] : ["toolweave.json"]);
    for (const { line, command } of lines) {
      const place = `${page}:${line}`;
      const { code } = await consumer.run(place, inTerminal(command), folder);
      const names = importable(packages, installedPackages(command));
      if (code !== 0 || names.length === 0) continue;
      writeFileSync(join(folder, "import.mjs"), importing(names));
      await consumer.run(place, "node import.mjs", folder);
    }
  }
}

async function followPage(
  page: string,
  text: string,
  folder: string,
  consumer: Consumer,
): Promise<void> {
  let start = performance.now();
  const problem = await followGuide(text, {
    folder,
    binFolder: consumer.binFolder,
    env: consumer.env,
    commandFor: (words) => words,
    onCommand(command, line, passed) {
      consumer.record(`${page}:${line}`, command, passed ? 0 : 1, start);
      start = performance.now();
    },
  });
  if (problem !== undefined) process.stdout.write(`${problem}\n`);
  consumer.record(page, "the commands do what the guide says", problem ? 1 : 0, start);
}

const managers = [
  { name: "npm", add: "npm install", run: "npx", node: "node" },
  { name: "pnpm", add: "npx -y pnpm@12 add", run: "npx -y pnpm@12 exec", node: "node" },
  { name: "yarn 1", add: "npx -y yarn@1 add", run: "npx -y yarn@1 -s run", node: "node" },
  {
    name: "yarn 4",
    add: "npx -y @yarnpkg/cli-dist@4 add",
    run: "npx -y @yarnpkg/cli-dist@4 run",
    node: "npx -y @yarnpkg/cli-dist@4 node",
  },
] as const;

/** Versions that are too old: the imports fail with a text that says so, and the commands exit with 2. */
const oldNodes = ["20.0.0", "22.18.0"];

function expectRefusals(names: readonly string[]): string {
  return `
    import { spawnSync } from "node:child_process";
    for (const name of ${JSON.stringify(names)}) {
      const message = await import(name).then(() => "it was imported", (error) => error.message);
      report(name, message.includes("needs Node.js 22.19"), message);
    }
    for (const name of ["toolweave", "create-toolweave"]) {
      const main = "node_modules/" + name + "/dist/main.js";
      const { status, stderr } = spawnSync(process.execPath, [main], { encoding: "utf8" });
      report(name, status === 2 && stderr.includes("needs Node.js 22.19"), stderr);
    }
    function report(name, passed, message) {
      if (passed) return;
      console.error(process.version, name, message);
      process.exitCode = 1;
    }
  `;
}

/** Installs every published package at once with each package manager, imports them all, and runs the command. */
export async function rehearseManagers(release: PublishedRelease): Promise<void> {
  const { root, consumer, packages } = release;
  const lines = packages.flatMap(({ folder, name }) => {
    const text = readFileSync(join(root, folder, "README.md"), "utf8");
    return [name, ...installLines(text, name).flatMap((line) => installedPackages(line.command))];
  });
  const names = [...new Set(lines)];
  for (const { name, add, run, node } of managers) {
    const folder = consumer.folder();
    writeFileSync(join(folder, "package.json"), '{ "private": true }\n');
    writeFileSync(join(folder, "import.mjs"), importing(importable(packages, names)));
    const { code } = await consumer.run(name, `${add} ${names.join(" ")}`, folder);
    if (code !== 0) continue;
    await consumer.run(name, `${node} import.mjs`, folder);
    await consumer.run(name, `${run} toolweave --version`, folder);
    if (name !== "npm") continue;
    writeFileSync(join(folder, "old.mjs"), expectRefusals(importable(packages, names)));
    for (const old of oldNodes) await consumer.run(name, `npx -y node@${old} old.mjs`, folder);
  }
}

/** Creates a project of each template and runs its tests: two commands each, in an empty folder. */
export async function rehearseTemplates({ consumer }: PublishedRelease): Promise<void> {
  for (const template of ["function", "openapi", "agent"]) {
    const folder = consumer.folder();
    const place = `template ${template}`;
    const create = `npm create toolweave . -- --yes --template ${template}`;
    const { code } = await consumer.run(place, create, folder);
    if (code === 0) await consumer.run(place, "npm test", folder);
  }
}

/** The files below a folder: how many packages and bytes. Symbolic links do not count. */
function installedSize(folder: string): { packages: number; bytes: number } {
  let packages = 0;
  let bytes = 0;
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    bytes += statSync(join(entry.parentPath, entry.name)).size;
    const isPackage = /node_modules\/(?:@[^/]+\/)?[^/@]+$/.test(entry.parentPath);
    if (isPackage && entry.name === "package.json") packages += 1;
  }
  return { packages, bytes };
}

/** Measures what `npm install` puts into an empty folder. */
export async function measureSizes({ consumer }: PublishedRelease): Promise<void> {
  for (const names of ["@toolweave/core @toolweave/openapi", "toolweave"]) {
    const folder = consumer.folder();
    const { code } = await consumer.run("sizes", `npm install ${names}`, folder);
    if (code !== 0) continue;
    const { packages, bytes } = installedSize(join(folder, "node_modules"));
    process.stdout.write(
      `${names}: ${packages} packages, ${(bytes / 1e6).toFixed(1)} MB in node_modules\n`,
    );
  }
}
