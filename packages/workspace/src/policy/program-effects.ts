import type { ProgramEffects } from "./analysis.ts";
import { getGitEffects } from "./git-effects.ts";
import { getOptionEffects } from "./option-effects.ts";
import { toPossibleUses } from "./possible-paths.ts";
import {
  codeRunners,
  dangerous,
  fileEditors,
  findTests,
  findValues,
  networked,
  projectPrograms,
} from "./program-tables.ts";
import { hasOptions } from "./read-options.ts";
import type { PathUse } from "./script.ts";

/**
 * The effects of a program with these arguments. A program that is not in the tables, or an option that its table does
 * not have, has a high risk: nothing is known of what it does.
 *
 * @param program without its folder.
 * @param isOwn it is a program of the project, whatever its name is.
 */
export function getEffects(
  program: string,
  args: readonly string[],
  isOwn = false,
): ProgramEffects {
  const special = specials.get(program);
  if (special !== undefined) return special(args);
  const reason = Object.hasOwn(dangerous, program) ? dangerous[program] : undefined;
  if (reason === undefined && !networked.has(program) && hasOptions(program)) {
    return getOptionEffects(program, args);
  }
  // An interpreter only reads the file that it runs, unless it has an option to edit files.
  const onlyReads = codeRunners.has(program) && !fileEditors.has(program);
  const paths = toPossibleUses(args, onlyReads ? "read" : "write");
  if (reason !== undefined) return { ...high(`${program}: ${reason}`), paths };
  if (networked.has(program)) {
    return { ...high(`${program} connects to other hosts`), paths, network: true };
  }
  return isOwn || projectPrograms.has(program)
    ? { risk: "medium", reasons: [`${program} runs what the project contains`], paths }
    : { ...high(`${program} is not known`), paths };
}

type Special = (args: readonly string[]) => ProgramEffects;

function high(reason: string): ProgramEffects {
  return { risk: "high", reasons: [reason], paths: [] };
}

/** Programs whose arguments need more than a table of options. */
const specials: ReadonlyMap<string, Special> = new Map<string, Special>([
  ["printf", effectsOfPrintf],
  ["test", effectsOfTest],
  ["[", effectsOfTest],
  ["hostname", effectsOfHostname],
  ["date", effectsOfDate],
  ["find", effectsOfFind],
  ["git", getGitEffects],
]);

const low: ProgramEffects = { risk: "low", reasons: [], paths: [] };

function effectsOfPrintf(args: readonly string[]): ProgramEffects {
  return args[0]?.startsWith("-v") === true
    ? high("printf -v evaluates the name of its variable")
    : low;
}

/** `test -v 'a[$(command)]'` and arithmetic comparisons evaluate their operands. */
function effectsOfTest(args: readonly string[]): ProgramEffects {
  const evaluates =
    args.some((arg) => arg.includes("[") && arg.length > 1) ||
    args.includes("-v") ||
    args.includes("-R");
  return evaluates ? high("test may evaluate its operands") : low;
}

function effectsOfHostname(args: readonly string[]): ProgramEffects {
  return args.some((arg) => !/^-[adfiIsy]+$/.test(arg))
    ? high("hostname changes the name of the machine")
    : low;
}

/** An operand is a format, or the time that the clock is set to. */
function effectsOfDate(args: readonly string[]): ProgramEffects {
  const effects = getOptionEffects("date", args);
  return (effects.operands ?? []).some((operand) => !operand.startsWith("+"))
    ? high("date sets the clock")
    : effects;
}

/** Returns true for words of find that select files by their names. */
export function selectsNames(args: readonly string[]): boolean {
  return args.some((arg) => /^-i?(?:name|path|wholename|regex|lname)$/.test(arg));
}

/** Words of find whose value is a file that is read. */
const findFiles = /^-(?:samefile|[ac]?newer|newer[aBcm][aBcm])$/;

function effectsOfFind(args: readonly string[]): ProgramEffects {
  const paths: Omit<PathUse, "cwd">[] = [];
  let inExpression = false;
  for (let at = 0; at < args.length; at++) {
    const arg = args[at] as string;
    if (/^-(?:exec|execdir|ok|okdir)$/.test(arg)) return high(`find ${arg} runs programs`);
    if (arg === "-delete") {
      const roots = paths.length === 0 ? [{ path: "." }] : paths;
      const extent = selectsNames(args) ? {} : ({ extent: "tree" } as const);
      const removed = roots.map(({ path }) => ({ path, access: "write", ...extent }) as const);
      return { ...high("find -delete changes files"), paths: removed };
    }
    if (/^-(?:fprint|fprint0|fprintf|fls)$/.test(arg)) {
      const written = { path: args[at + 1] ?? "", access: "write" } as const;
      return { ...high(`find ${arg} changes files`), paths: [...paths, written] };
    }
    if (findValues.has(arg) || /^-newer[aBcm][aBcmt]$/.test(arg)) {
      inExpression = true;
      at += 1;
      if (findFiles.test(arg)) paths.push({ path: args[at] ?? "", access: "read" });
    } else if (findTests.has(arg)) inExpression = true;
    else if (/^-[HLP]$|^-O\d$/.test(arg)) continue;
    else if (arg.startsWith("-") || inExpression) {
      return high(`find ${arg} is not known to only read`);
    } else paths.push({ path: arg, access: "read" });
  }
  return { risk: "low", reasons: [], paths };
}
