import { getEffects } from "./program-effects.ts";
import { codeRunners, gitCommands, gitRunners } from "./program-tables.ts";
import { hasOptions } from "./read-options.ts";
import { programName } from "./unwrap.ts";

type Words = readonly string[];

/** Other forms of a command, and commands that it may run, for rules that deny or ask. */
export interface CommandForms {
  /** Other forms of the same command: `rm x` of `/bin/rm x`, `git push` of `git -C . push`. */
  readonly other: readonly Words[];
  /** Commands that it may run; `any`: each. */
  readonly possible: readonly Words[] | "any";
}

/** Maximum number of words at which another command may begin, and of their characters. */
const maxWords = 100;
const maxCharacters = 4_000;

/**
 * Returns the forms of a command. A program that is not known to run no other may run the command that begins at any of
 * its words, and any command at all if it is given code, or a word that can be code.
 *
 * @param argv without the wrappers around it.
 */
export function getCommandForms([path = "", ...args]: Words): CommandForms {
  const names = getProgramNames(path);
  const named = names.filter((name) => name !== path).map((name) => [name, ...args]);
  const program = names.at(-1) as string;
  if (program === "git") return getGitForms(named, args);
  if (program.startsWith("git-")) return getGitForms(named, [program.slice(4), ...args]);
  const deleting = program === "find" && args.includes("-delete");
  const other = deleting ? [...named, ["rm", "-r", ...getFindRoots(args)]] : named;
  return { other, possible: getPossible(program, args) };
}

/** The names by which a program is known, the most general last: `python3.11` is `python3` and `python` too. */
function getProgramNames(path: string): Words {
  const program = programName(path);
  const lower = program.toLowerCase();
  const major = lower.replace(/(?<=\d)\.[\d.]*$/, "");
  const plain = lower.replace(/(?<=[a-z])[\d.]*\d$/, "");
  const usual = plain === "nodejs" ? "node" : plain;
  // `base64` is not version 64 of `base`.
  return hasOptions(lower) ? [program, lower] : [...new Set([program, lower, major, usual])];
}

/** The folders in which `find` searches. */
export function getFindRoots(args: Words): Words {
  const begin = args.findIndex((arg) => !/^-[HLP]$|^-O\d$/.test(arg));
  const rest = begin === -1 ? [] : args.slice(begin);
  const end = rest.findIndex((arg) => /^[-(!)]/.test(arg));
  const roots = end === -1 ? rest : rest.slice(0, end);
  return roots.length === 0 ? ["."] : roots;
}

/** Options before a command of git that take the next word. */
const gitValues: ReadonlySet<string> = new Set([
  "-C",
  "-c",
  "--git-dir",
  "--work-tree",
  "--namespace",
  "--config-env",
  "--attr-source",
]);

/** Options of commands of git whose value is a program, or the beginning of their names. */
const gitCode = /^(?:-O.|--(?:open|upl|rece|exec|ext))/;

function getGitForms(named: readonly Words[], args: Words): CommandForms {
  let at = 0;
  let setsCode = false;
  for (; args[at]?.startsWith("-") === true; at++) {
    const option = args[at] as string;
    setsCode ||= /^-c|^--(?:config-env|exec-path)/.test(option);
    if (gitValues.has(option)) at += 1;
  }
  const [command = "", ...rest] = args.slice(at);
  const isPush = command === "send-pack" || command === "http-push";
  const forms = isPush ? [command, "push"] : [command];
  setsCode ||= rest.some((word) => gitCode.test(word));
  // Another name is an alias, or a program whose name begins with `git-`.
  const isOther = command !== "" && !gitCommands.has(command);
  return {
    other: [...named, ...forms.map((name) => ["git", name, ...rest])],
    possible: setsCode || isOther ? "any" : gitRunners.has(command) ? getCommandsIn(rest) : [],
  };
}

function getPossible(program: string, args: Words): CommandForms["possible"] {
  switch (program) {
    case "awk":
    case "gawk":
    case "mawk":
    case "nawk":
      return args.some((arg) => /system|getline|[|@]|^-[filE]|^--/.test(arg)) ? "any" : [];
    case "find":
      return [];
    case "at":
    case "batch":
      // The operands are a time; the commands are the input.
      return "any";
    case "printf":
    case "test":
    case "[":
      return getEffects(program, args).risk === "high" ? "any" : [];
  }
  if (program === "hostname") return [];
  if (hasOptions(program)) {
    const { mayRun } = getEffects(program, args);
    return mayRun === "any" ? "any" : mayRun === undefined ? [] : getCommandsIn(args);
  }
  return codeRunners.has(program) && isGivenCode(args) ? "any" : getCommandsIn(args);
}

/** Returns true for code in an argument, and for code from the input. */
function isGivenCode(args: Words): boolean {
  const operand = args.findIndex((arg) => !arg.startsWith("-"));
  const options = operand === -1 ? args : args.slice(0, operand);
  return (
    operand === -1 ||
    options.some((arg) => /^-\w*[cCeEprs]|^--(?:eval|print|exec|command|call|run)\b|^-$/.test(arg))
  );
}

/** The commands that begin at a word, or at the value of an option. */
function getCommandsIn(args: Words): CommandForms["possible"] {
  const isLong = args.length > maxWords || args.join(" ").length > maxCharacters;
  if (isLong || args.some((arg) => /[\s;&|`$<>(){}]/.test(arg))) return "any";
  return args.flatMap((arg, at) => {
    const value = /^[^=]*=(.+)$/.exec(arg)?.[1];
    const beginnings = value === undefined ? [arg] : [arg, value];
    const names = beginnings.flatMap((word) => [word, ...getProgramNames(word)]);
    return Array.from(new Set(names), (name) => [name, ...args.slice(at + 1)]);
  });
}
