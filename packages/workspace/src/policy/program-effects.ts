import type { Risk } from "./analysis.ts";
import {
  dangerous,
  findTests,
  findValues,
  gitNetwork,
  gitReads,
  networked,
  readers,
  textReader,
  writers,
  type Reader,
} from "./program-tables.ts";
import type { PathUse } from "./script.ts";

/** The effects of a program with its arguments. */
export interface ProgramEffects {
  readonly risk: Risk;
  readonly reasons: readonly string[];
  readonly paths: readonly Pick<PathUse, "path" | "access">[];
  readonly network?: boolean;
}

/**
 * The effects of a program with these arguments. A program that is not in the tables has a medium risk: it is not known to
 * do anything beyond its own work.
 *
 * @param argv the name of the program without its folder, and its arguments.
 */
export function getEffects(argv: readonly string[]): ProgramEffects {
  const [program = "", ...args] = argv;
  const special = specials.get(program);
  if (special !== undefined) return special(args);
  const reason = Object.hasOwn(dangerous, program) ? dangerous[program] : undefined;
  if (reason !== undefined) return high(`${program}: ${reason}`);
  if (networked.has(program)) {
    return { ...high(`${program} connects to other hosts`), network: true };
  }
  const riskyLetters = Object.hasOwn(writers, program) ? writers[program] : undefined;
  if (riskyLetters !== undefined) return effectsOfWriter(program, args, riskyLetters);
  const reader = Object.hasOwn(readers, program) ? readers[program] : undefined;
  if (reader !== undefined) return effectsOfReader(program, args, reader);
  return medium(`${program} is not known`);
}

function effectsOfWriter(
  program: string,
  args: readonly string[],
  riskyLetters: string,
): ProgramEffects {
  const { operands, options } = splitOptions(args);
  const letters = options.filter((option) => !option.startsWith("--")).join("");
  const isRisky =
    riskyLetters !== "" &&
    (Array.from(riskyLetters).some((letter) => letters.includes(letter)) ||
      options.some((option) => /^--(?:r|f|no-p)/.test(option)));
  // The first operand is the mode or the owner.
  const files = riskyLetters === "R" ? operands.slice(1) : operands;
  return {
    risk: isRisky ? "high" : "medium",
    reasons: [
      isRisky ? `${program} changes whole folders, or does not ask` : `${program} changes files`,
    ],
    paths: files.map((path) => ({ path, access: "write" })),
  };
}

function effectsOfReader(
  program: string,
  args: readonly string[],
  { short = "", valued = "", long = [], operands = "files" }: Reader,
): ProgramEffects {
  const words: string[] = [];
  /** Paths in options. */
  const named: string[] = [];
  const values: string[] = [];
  let hasPattern = false;
  let unknownOption: string | undefined;
  let endsOptions = false;
  for (let at = 0; at < args.length; at++) {
    const arg = args[at] as string;
    if (endsOptions || arg === "-" || !arg.startsWith("-")) words.push(arg);
    else if (arg === "--") endsOptions = true;
    else if (short === "*") {
      const path = pathInOption(arg);
      if (path !== undefined) named.push(path);
      hasPattern ||= /^-[a-zA-Z]*[ef]|^--(?:file|regexp)/.test(arg);
    } else if (arg.startsWith("--")) {
      const [name = ""] = arg.split("=", 1);
      if (!long.includes(name)) {
        unknownOption ??= name;
        if (arg.includes("=")) values.push(arg.slice(name.length + 1));
      }
    } else {
      for (let letter = 1; letter < arg.length; letter++) {
        const option = arg[letter] as string;
        if (valued.includes(option)) {
          if (letter === arg.length - 1) at += 1;
          break;
        }
        if (!short.includes(option) && !/\d/.test(option)) unknownOption ??= `-${option}`;
      }
    }
  }
  const operandFiles =
    operands === "texts" ? [] : operands === "pattern" && !hasPattern ? words.slice(1) : words;
  const files = [...named, ...operandFiles];
  // `-` counts as a file: what follows it has another place then.
  if (unknownOption === undefined) {
    return { risk: "low", reasons: [], paths: files.map((path) => ({ path, access: "read" })) };
  }
  // An unknown option may write to any of them.
  return {
    risk: "medium",
    reasons: [`${program} ${unknownOption} is not known to only read`],
    paths: [...words, ...values].map((path) => ({ path, access: "write" })),
  };
}

/** The path in an option such as `--file=../a` or `-f/etc/a`; undefined: none that leads elsewhere. */
function pathInOption(option: string): string | undefined {
  const value =
    /^--[^=]*=(.*)$/s.exec(option)?.[1] ??
    (/^-[^-/.]*/.test(option) ? option.replace(/^-[^-/.]*/, "") : "");
  return value.startsWith("/") || value.startsWith(".") ? value : undefined;
}

function splitOptions(args: readonly string[]): {
  readonly operands: readonly string[];
  readonly options: readonly string[];
} {
  const end = args.indexOf("--");
  const before = end === -1 ? args : args.slice(0, end);
  const isOption = (arg: string): boolean => arg.startsWith("-") && arg !== "-";
  return {
    options: before.filter(isOption),
    operands: [
      ...before.filter((arg) => !isOption(arg)),
      ...(end === -1 ? [] : args.slice(end + 1)),
    ],
  };
}

type Special = (args: readonly string[]) => ProgramEffects;

function high(reason: string): ProgramEffects {
  return { risk: "high", reasons: [reason], paths: [] };
}

function medium(reason: string): ProgramEffects {
  return { risk: "medium", reasons: [reason], paths: [] };
}

/** Programs whose arguments need more than a list of options. */
const specials: ReadonlyMap<string, Special> = new Map<string, Special>([
  ["printf", effectsOfPrintf],
  ["test", (args) => effectsOfTest("test", args)],
  ["[", (args) => effectsOfTest("[", args)],
  ["hostname", effectsOfHostname],
  ["uniq", (args) => readerWithOutput("uniq", args, { short: "cdDiuz", valued: "fsw" })],
  ["xxd", (args) => readerWithOutput("xxd", args, { short: "abeipu", valued: "closg" })],
  ["find", effectsOfFind],
  ["fd", effectsOfFd],
  ["sed", effectsOfSed],
  ["git", effectsOfGit],
]);

function effectsOfPrintf(args: readonly string[]): ProgramEffects {
  return args[0]?.startsWith("-v") === true
    ? high("printf -v evaluates the name of its variable")
    : effectsOfReader("printf", args, textReader);
}

/** `test -v 'a[$(command)]'` and arithmetic comparisons evaluate their operands. */
function effectsOfTest(program: string, args: readonly string[]): ProgramEffects {
  const evaluates =
    args.some((arg) => arg.includes("[") && arg.length > 1) ||
    args.includes("-v") ||
    args.includes("-R");
  return evaluates
    ? high(`${program} may evaluate its operands`)
    : effectsOfReader(program, args, textReader);
}

function effectsOfHostname(args: readonly string[]): ProgramEffects {
  return args.some((arg) => !/^-[adfiIsy]+$/.test(arg))
    ? high("hostname changes the name of the machine")
    : effectsOfReader("hostname", args, textReader);
}

/** Programs with an input, and an output as the second operand. */
function readerWithOutput(
  program: string,
  args: readonly string[],
  reader: Reader,
): ProgramEffects {
  const effects = effectsOfReader(program, args, reader);
  const [input, output] = effects.paths;
  if (input === undefined || output === undefined) return effects;
  return {
    risk: "medium",
    reasons: [...effects.reasons, `${program} writes to its second operand`],
    paths: [input, { path: output.path, access: "write" }],
  };
}

function effectsOfFd(args: readonly string[]): ProgramEffects {
  return args.some((arg) => /^(?:-[a-zA-Z]*[xX]|--exec)/.test(arg))
    ? high("fd -x runs programs")
    : effectsOfReader("fd", args, { short: "*", operands: "pattern" });
}

function effectsOfFind(args: readonly string[]): ProgramEffects {
  const paths: { path: string; access: "read" }[] = [];
  let inExpression = false;
  for (let at = 0; at < args.length; at++) {
    const arg = args[at] as string;
    if (/^-(?:exec|execdir|ok|okdir)$/.test(arg)) return high(`find ${arg} runs programs`);
    if (/^-(?:delete|fprint|fprint0|fprintf|fls)$/.test(arg)) {
      return high(`find ${arg} changes files`);
    }
    if (findValues.has(arg)) {
      inExpression = true;
      at += 1;
    } else if (findTests.has(arg)) inExpression = true;
    else if (/^-[HLP]$|^-O\d$/.test(arg)) continue;
    else if (arg.startsWith("-") || inExpression) {
      return medium(`find ${arg} is not known to only read`);
    } else paths.push({ path: arg, access: "read" });
  }
  return { risk: "low", reasons: [], paths };
}

/** Commands of sed that only print or replace: `p`, `d`, `q`, `=`, and `s` without the flags `e` and `w`. */
const plainSed: RegExp = new RegExp(
  String.raw`^(?:\d+|\$|/[^/\\\n]*/)?(?:,(?:\d+|\$|/[^/\\\n]*/))?\s*` +
    String.raw`(?:[pdq=]|s([/|,#:])(?:(?!\1)[^\\\n]|\\[^\n])*\1(?:(?!\1)[^\\\n]|\\[^\n])*\1[gpiI\d]*)$`,
);

function effectsOfSed(args: readonly string[]): ProgramEffects {
  const scripts: string[] = [];
  const files: string[] = [];
  for (let at = 0; at < args.length; at++) {
    const arg = args[at] as string;
    if (arg === "-e" || arg === "--expression") scripts.push(args[(at += 1)] ?? "");
    else if (/^(?:-[nErsuz]+|--quiet|--silent|--regexp-extended)$/.test(arg)) continue;
    else if (arg.startsWith("-") && arg !== "-") return medium(`sed ${arg} may change files`);
    else files.push(arg);
  }
  if (scripts.length === 0) scripts.push(files.shift() ?? "");
  const commands = scripts.flatMap((script) => script.split(/[;\n]/)).map((one) => one.trim());
  if (commands.some((command) => command !== "" && !plainSed.test(command))) {
    return medium("the script of sed may write files or run programs");
  }
  return { risk: "low", reasons: [], paths: files.map((path) => ({ path, access: "read" })) };
}

/** Git runs what the repository configures: hooks, filters, `fsmonitor`. It is never low. */
function effectsOfGit(args: readonly string[]): ProgramEffects {
  const [command = "", ...rest] = args;
  if (command.startsWith("-")) return high(`git ${command} changes what git runs`);
  if (gitNetwork.has(command)) {
    return { ...high(`git ${command} connects to other hosts`), network: true };
  }
  if (!gitReads.has(command)) return medium(`git ${command} may change the repository`);
  const isRisky = rest.some((arg) =>
    /^(?:-O|--(?:output|upload-pack|receive-pack|exec|ext-diff|textconv|open-files))/.test(arg),
  );
  return isRisky
    ? high(`an option of git ${command} writes files or runs programs`)
    : medium(`git ${command} may run what the repository configures`);
}
