import { existsSync, globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { CommanderError, type Command } from "commander";
import { workspacePackages } from "../../../../scripts/lib/workspace.ts";
import { Output } from "../../src/process/output.ts";
import { createProgram } from "../../src/program.ts";
import { captureIo } from "../support/captured-io.ts";
import { root } from "./pages.ts";
import type { ShellCommand } from "./shell-words.ts";

const packages = workspacePackages(root);
const rootManifest = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
  readonly scripts: Readonly<Record<string, string>>;
  readonly devDependencies: Readonly<Record<string, string>>;
};

/** The packages of the workspace, and those that any of them uses. */
const knownPackages: ReadonlySet<string> = new Set([
  // It has @openai/agents-core, which @toolweave/openai-agents uses.
  "@openai/agents",
  ...Object.keys(rootManifest.devDependencies),
  ...packages.flatMap(({ name, manifest }) => [
    name,
    ...Object.keys({
      ...manifest.dependencies,
      ...manifest.devDependencies,
      ...manifest.peerDependencies,
    }),
  ]),
]);

/** The steps of `pnpm check`. */
const steps: ReadonlySet<string> = new Set(
  globSync("scripts/steps/*.ts", { cwd: root }).flatMap((file) =>
    Array.from(
      readFileSync(join(root, file), "utf8").matchAll(/\bname: "([\w-]+)"/g),
      ([, name = ""]) => name,
    ),
  ),
);

/** Programs of systems and shells. */
const otherPrograms: ReadonlySet<string> = new Set([
  "cd",
  "export",
  "Invoke-Expression",
  "mkdir",
  "Out-String",
]);

/** The words of `toolweave` in a command; `undefined`: it is another program. */
export function toolweaveWords({ words }: ShellCommand): readonly string[] | undefined {
  const [program, ...rest] = words;
  const named = program === "npx" ? rest.filter((word) => word !== "-y") : words;
  return named[0] === "toolweave" ? named.slice(1) : undefined;
}

/** The fault of a command; `undefined`: its program, packages, scripts, files and options exist. */
export async function findFault(command: ShellCommand, page: string): Promise<string | undefined> {
  const cli = toolweaveWords(command);
  if (cli !== undefined) return command.isForm ? findFormFault(cli) : findUsageFault(cli);
  const [program = "", ...args] = command.words;
  switch (program) {
    case "npm":
      return findNpmFault(args);
    case "npx": {
      const [name = "", ...rest] = args.filter((word) => word !== "-y");
      if (/^pnpm@\d+$/.test(name)) return findPnpmFault(rest);
      return knownPackages.has(name) ? undefined : `${name} is no package of this repository`;
    }
    case "pnpm":
      return findPnpmFault(args);
    case "node":
      return findFileFault(args, page);
    default:
      return otherPrograms.has(program) ? undefined : `${program} is not known`;
  }
}

function findNpmFault([verb = "", ...words]: readonly string[]): string | undefined {
  if (["init", "pkg", "start", "test"].includes(verb)) return undefined;
  const names = words.filter((word) => !word.startsWith("-"));
  if (verb === "create") {
    return knownPackages.has(`create-${names[0]}`)
      ? undefined
      : `create-${names[0]} does not exist`;
  }
  if (verb !== "install") return `npm ${verb} is not known`;
  const unknown = names.find((name) => !knownPackages.has(name));
  return unknown === undefined ? undefined : `${unknown} is no package of this repository`;
}

function findPnpmFault(args: readonly string[]): string | undefined {
  const words = [...args];
  let { scripts } = rootManifest;
  for (let [option] = words; option !== undefined; [option] = words) {
    if (option === "--filter") {
      const name = words[1]?.replace(/\.{3}$/, "") ?? "";
      const found = packages.find((one) => one.name === name);
      if (found === undefined) return `${name} is no package of the workspace`;
      scripts = readScripts(found.folder);
    } else if (option === "-C" || option === "--dir") {
      const folder = words[1] ?? "";
      if (!existsSync(join(root, folder, "package.json"))) return `${folder} has no package.json`;
      scripts = readScripts(folder);
    } else break;
    words.splice(0, 2);
  }
  const [verb = "", ...rest] = words;
  if (verb === "install") return undefined;
  const named = rest.filter((word) => /^\w/.test(word));
  if (verb === "exec" || (!Object.hasOwn(scripts, verb) && isProgram(verb))) {
    const [program = "", ...others] = verb === "exec" ? rest : words;
    if (program === "node") return findFileFault(others, "");
    if (!isProgram(program)) return `${program} is not installed`;
    return findPathFault(others);
  }
  if (!Object.hasOwn(scripts, verb)) return `there is no script ${verb}`;
  const step = verb === "check" ? named.find((name) => !steps.has(name)) : undefined;
  if (step !== undefined) return `check has no step ${step}`;
  return verb === "test" ? findPathFault(named) : undefined;
}

function readScripts(folder: string): Readonly<Record<string, string>> {
  const text = readFileSync(join(root, folder, "package.json"), "utf8");
  return (
    (JSON.parse(text) as { readonly scripts?: Readonly<Record<string, string>> }).scripts ?? {}
  );
}

function isProgram(name: string): boolean {
  return name === "node" || existsSync(join(root, "node_modules/.bin", name));
}

function findPathFault(words: readonly string[]): string | undefined {
  const missing = words.find((word) => word.includes("/") && !existsSync(join(root, word)));
  return missing === undefined ? undefined : `${missing} does not exist`;
}

/** A file is one of the repository, or one that the page writes: `// prove.ts` begins its block. */
function findFileFault(args: readonly string[], page: string): string | undefined {
  const file = args.find((word) => /\.[mc]?[jt]s$/.test(word));
  if (file === undefined) return "node has no file to run";
  if (existsSync(join(root, file)) || page.includes(`\n// ${file}\n`)) return undefined;
  return `${file} does not exist`;
}

/** The command line with actions that do nothing. */
function createParser(): Command {
  const { io } = captureIo();
  const program = createProgram({ io, output: new Output(io), end: () => {} });
  const disarm = (command: Command): void => {
    command.commands.forEach(disarm);
    if (command.commands.length === 0) command.action(() => {});
  };
  disarm(program);
  return program;
}

async function findUsageFault(words: readonly string[]): Promise<string | undefined> {
  try {
    await createParser().parseAsync([...words], { from: "user" });
    return undefined;
  } catch (error) {
    if (error instanceof CommanderError && error.exitCode === 0) return undefined;
    return error instanceof Error ? error.message : String(error);
  }
}

/** In the form of a command, only the names of commands and options can be wrong. */
function findFormFault(words: readonly string[]): string | undefined {
  const path = [createParser()];
  for (const word of words) {
    const next = path.at(-1)?.commands.find((command) => command.name() === word);
    if (next === undefined) break;
    path.push(next);
  }
  const command = path.at(-1) as Command;
  if (path.length === 1 || command.commands.length > 0) return `there is no command ${words[0]}`;
  const known = new Set(path.flatMap(({ options }) => options.map(({ long }) => long)));
  const options = words.flatMap((word) => word.match(/(?<![\w-])--[a-z][\w-]*/g) ?? []);
  const unknown = options.find((option) => !known.has(option));
  return unknown === undefined ? undefined : `${command.name()} has no option ${unknown}`;
}
