import { relative, resolve } from "node:path";
import { createInterface, type Interface } from "node:readline/promises";
import type { Readable, Writable } from "node:stream";
import { parseArgs } from "node:util";
import { createProject, isTemplate, templates, type Template } from "./project.ts";

const help = `Usage: npm create toolweave [folder] -- [--template NAME] [--yes]

Creates a TypeScript project with tools for an LLM agent and tests, and installs its dependencies.

  folder            a new or empty folder. Default: toolweave-app
  --template NAME   default: function
${Object.entries(templates)
  .map(([name, text]) => `                      ${name.padEnd(10)}${text}`)
  .join("\n")}
  --yes             asks nothing
`;

/** The process in which the command runs. */
export interface CreateHost {
  /** The version of this package, which the project gets of all packages. */
  readonly version: string;
  readonly input: Readable & { readonly isTTY?: boolean };
  readonly output: Writable;
  /** `npm_config_user_agent`: names the package manager that started the command. Default: npm. */
  readonly userAgent: string | undefined;
  /** Runs a command in a folder. Returns true if it succeeded. */
  readonly runCommand: (command: string, cwd: string) => Promise<boolean>;
}

interface Answers {
  readonly folder: string;
  readonly template: Template;
}

/**
 * Runs `create-toolweave`: asks for what the arguments do not say, if there is a terminal; creates the project; installs
 * its dependencies.
 *
 * @returns the exit code: 0; 1 if the folder is not empty or the installation fails; 2 for wrong arguments.
 */
export async function runCreate(args: readonly string[], host: CreateHost): Promise<number> {
  const print = (text: string): void => void host.output.write(`${text}\n`);
  let answers: Answers;
  try {
    const { values, positionals } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        template: { type: "string" },
        yes: { type: "boolean", short: "y" },
        help: { type: "boolean", short: "h" },
      },
    });
    if (values.help === true) {
      print(help.trimEnd());
      return 0;
    }
    if (positionals.length > 1) throw new Error("Name one folder.");
    if (values.template !== undefined) checkTemplate(values.template);
    const asks = values.yes !== true && host.input.isTTY === true;
    answers = await completeAnswers(host, asks, positionals[0], values.template);
  } catch (error) {
    print(`${(error as Error).message}\n\n${help.trimEnd()}`);
    return 2;
  }
  const target = resolve(answers.folder);
  try {
    createProject(target, answers.template, host.version);
  } catch (error) {
    print((error as Error).message);
    return 1;
  }
  const manager = packageManager(host.userAgent);
  print(`Created ${target} from the template ${answers.template}. Installing with ${manager}:`);
  if (!(await host.runCommand(`${manager} install`, target))) {
    print(`The project is complete, but "${manager} install" failed: run it again in ${target}.`);
    return 1;
  }
  const path = relative(process.cwd(), target);
  print(`\nNext:\n${path === "" ? "" : `  cd ${path}\n`}  ${manager} test`);
  return 0;
}

function checkTemplate(name: string): Template {
  if (isTemplate(name)) return name;
  const names = Object.keys(templates).join(", ");
  throw new Error(`There is no template ${JSON.stringify(name)}: choose one of ${names}.`);
}

async function completeAnswers(
  { input, output }: CreateHost,
  asks: boolean,
  folder: string | undefined,
  template: string | undefined,
): Promise<Answers> {
  const terminal = asks ? createInterface({ input, output }) : undefined;
  try {
    return {
      folder: folder ?? (await ask(terminal, "Folder", "toolweave-app")),
      template: checkTemplate(template ?? (await askTemplate(terminal, output))),
    };
  } finally {
    terminal?.close();
  }
}

async function ask(terminal: Interface | undefined, question: string, byDefault: string) {
  const answer = await terminal?.question(`${question} (${byDefault}): `);
  return answer?.trim() || byDefault;
}

async function askTemplate(terminal: Interface | undefined, output: Writable): Promise<string> {
  if (terminal !== undefined) {
    for (const [name, text] of Object.entries(templates)) {
      output.write(`  ${name.padEnd(10)}${text}\n`);
    }
  }
  return ask(terminal, "Template", "function");
}

/** The package manager that started the command; npm for others. */
function packageManager(userAgent = ""): string {
  const [name = ""] = userAgent.split("/");
  return ["npm", "pnpm", "yarn", "bun"].includes(name) ? name : "npm";
}
