import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { guideSteps, plain, type GuideStep } from "./guide-steps.ts";
import { runCommand } from "./run-command.ts";

/** Where and how a guide is followed. */
export interface GuideOptions {
  /** An empty folder. */
  readonly folder: string;
  /** Stands before everything else on PATH. */
  readonly binFolder: string;
  /** Added to the environment. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** The command that is run in place of the guide's; none: nothing is. */
  readonly commandFor: (words: readonly string[]) => readonly string[] | undefined;
  /** Called after each command, with its line in the guide. `passed`: it fails or works as the guide says. */
  readonly onCommand?: (command: string, line: number, passed: boolean) => void;
}

/**
 * Does what a guide says, in order.
 *
 * @returns what went otherwise than the guide says, with its line; `undefined`: nothing did.
 */
export async function followGuide(
  page: string,
  options: GuideOptions,
): Promise<string | undefined> {
  for (const step of guideSteps(page)) {
    const problem = await follow(step, options);
    if (problem !== undefined) return `line ${step.line}: ${problem}`;
  }
  return undefined;
}

async function follow(step: GuideStep, options: GuideOptions): Promise<string | undefined> {
  if (step.kind === "run") return run(step, options);
  const path = join(options.folder, step.file);
  if (step.kind === "write") {
    writeFileSync(path, step.text);
    return undefined;
  }
  let text = readFileSync(path, "utf8");
  for (const { before, after } of step.hunks) {
    const parts = text.split(before);
    if (parts.length !== 2) {
      return `${step.file} has the lines to change ${parts.length - 1} times:\n${before}`;
    }
    text = parts.join(after);
  }
  writeFileSync(path, text);
  return undefined;
}

async function run(
  { command, line, fails, shows }: Extract<GuideStep, { kind: "run" }>,
  { folder, binFolder, env = {}, commandFor, onCommand }: GuideOptions,
): Promise<string | undefined> {
  const [program, ...args] = commandFor(command.split(" ")) ?? [];
  if (program === undefined) return undefined;
  const { code, output } = await runCommand(program, args, { cwd: folder, binFolder, env });
  const passed = (code !== 0) === fails;
  onCommand?.(command, line, passed);
  if (!passed) {
    return `${command} ends with ${code}, and the guide says that it ${fails ? "fails" : "works"}\n${output}`;
  }
  let rest = plain(output);
  for (const part of shows) {
    const at = rest.indexOf(part);
    if (at === -1) return `${command} does not show: ${part}\n${output}`;
    rest = rest.slice(at + part.length);
  }
  return undefined;
}
