import { checks } from "@toolweave/core/adapter";
import type { AnalyzedCommand, Risk, ScriptAnalysis } from "./analysis.ts";
import { getFindRoots } from "./command-forms.ts";
import { getEffects, selectsNames } from "./program-effects.ts";
import { readScript } from "./read-script.ts";
import type { PathUse, ReadScript, SimpleCommand } from "./script.ts";
import { programName, unwrap } from "./unwrap.ts";

/** The reason for the risk of a command whose output goes to a file. */
export const redirectionReason = "it writes to a file";

/** Depth of scripts in arguments, such as `bash -c "bash -c …"`. */
const maxNesting = 3;

/**
 * Analyses a script of bash without running anything: its commands, what they read and write, and their risk. It
 * understands less than a shell on purpose: of all else it says that it is not known.
 *
 * @throws ToolError `invalid_configuration` for a value that is no text.
 */
export function analyzeCommand(script: string): ScriptAnalysis {
  checks.anyText.check("analyzeCommand: script", script);
  return analyze(readScript(script, ""), 0);
}

/**
 * Analyses a command whose words are known already: the same as for a script of bash in which all of them are quoted.
 *
 * @param hasVariables the command has variables of its own, which can change what it does: it is not known then.
 */
export function analyzeArgv(argv: readonly string[], hasVariables: boolean): ScriptAnalysis {
  const span = [0, 0] as const;
  const unknown = hasVariables ? [{ reason: "an assignment of a variable", span }] : [];
  return analyze({ commands: [{ argv, redirects: [], cwd: "", span }], unknown }, 0);
}

function analyze({ commands, unknown }: ReadScript, nesting: number): ScriptAnalysis {
  const all: AnalyzedCommand[] = [];
  const unknownParts = [...unknown];
  for (const command of commands) {
    const { argv, via, script: inner, fault } = unwrap(command.argv);
    const { span, cwd } = command;
    if (fault !== undefined) unknownParts.push({ reason: fault, span });
    if (inner === undefined) all.push(analyzeSimple(command, argv, via));
    else if (command.redirects.length > 0) all.push(analyzeSimple(command, [":"], via));
    const within = inner === undefined ? getExecuted(argv, command) : readScript(inner, cwd);
    if (within === undefined) continue;
    if (nesting >= maxNesting) {
      unknownParts.push({ reason: "too many scripts in scripts", span });
      continue;
    }
    const nested = analyze(within, nesting + 1);
    // `find` gives files of all depths to its commands. With a test of names it gives some of them: a command that
    // writes would otherwise meet the protected files of every project.
    const entered = inner === undefined ? getFindRoots(argv.slice(1)) : [];
    for (const one of nested.commands) {
      const paths = one.paths.map((use) =>
        entered.includes(use.path) && (use.access === "read" || !selectsNames(argv))
          ? { ...use, extent: "tree" as const }
          : use,
      );
      // The positions in the inner script mean nothing to a reader of the outer one.
      all.push(raiseByWrappers({ ...one, paths, via: [...via, ...one.via], span }));
    }
    unknownParts.push(...nested.unknown.map(({ reason }) => ({ reason, span })));
  }
  const isKnown = unknownParts.length === 0;
  return {
    isKnown,
    commands: all,
    unknown: unknownParts,
    risk: isKnown ? highestRisk(all) : "high",
  };
}

/** The commands that `find` runs for each file, with the folders that it searches in place of the files. */
function getExecuted(
  argv: readonly string[],
  { span, cwd }: SimpleCommand,
): ReadScript | undefined {
  if (programName(argv[0] as string) !== "find") return undefined;
  const roots = getFindRoots(argv.slice(1));
  const found: SimpleCommand[] = [];
  for (let at = 1; at < argv.length; at++) {
    if (!/^-(?:exec|execdir|ok|okdir)$/.test(argv[at] as string)) continue;
    const end = argv.findIndex((word, index) => index > at && (word === ";" || word === "+"));
    const words = argv.slice(at + 1, end === -1 ? undefined : end);
    const command = words.flatMap((word) => (word === "{}" ? roots : [word]));
    if (command.length > 0) found.push({ argv: command, redirects: [], cwd, span });
    at += words.length;
  }
  return found.length === 0 ? undefined : { commands: found, unknown: [] };
}

function analyzeSimple(
  { redirects, cwd, span }: SimpleCommand,
  argv: readonly string[],
  via: readonly string[],
): AnalyzedCommand {
  const path = argv[0] as string;
  const program = programName(path);
  // `./git` is another program than `git`.
  const isOwn = path.includes("/") && !/^\/(?:usr\/)?s?bin\/[^/]+$/.test(path);
  const effects = getEffects(program, argv.slice(1), isOwn);
  const paths: PathUse[] = [...effects.paths.map((one) => ({ ...one, cwd })), ...redirects];
  const reasons = [...effects.reasons];
  let { risk } = effects;
  const raise = (to: Risk, reason: string): void => {
    if (order[to] > order[risk]) risk = to;
    reasons.push(reason);
  };
  if (isOwn) {
    raise("medium", `${path} is a program of the workspace or of another folder`);
  }
  if (redirects.some(({ access }) => access === "write")) raise("medium", redirectionReason);
  return raiseByWrappers({
    argv,
    program,
    via,
    risk,
    reasons,
    paths,
    network: effects.network === true,
    cwd,
    span,
  });
}

/** Programs around a command that make it worse. */
const raisingWrappers: Readonly<Record<string, readonly [Risk, reason: string]>> = {
  sudo: ["high", "it acts as another user"],
  doas: ["high", "it acts as another user"],
  eval: ["high", "eval runs code that it is given"],
  exec: ["high", "exec replaces the shell"],
  busybox: ["high", "busybox has programs of its own"],
  toybox: ["high", "toybox has programs of its own"],
  chrt: ["medium", "chrt changes its priority"],
  taskset: ["medium", "taskset changes where it runs"],
};

function raiseByWrappers(command: AnalyzedCommand): AnalyzedCommand {
  if (command.via.length === 0) return command;
  let { risk } = command;
  const reasons = new Set(command.reasons);
  for (const wrapper of command.via) {
    const raising = Object.hasOwn(raisingWrappers, wrapper) ? raisingWrappers[wrapper] : undefined;
    if (raising === undefined) continue;
    const [to, reason] = raising;
    if (order[to] > order[risk]) risk = to;
    reasons.add(reason);
  }
  return { ...command, risk, reasons: [...reasons] };
}

const order: Readonly<Record<Risk, number>> = { low: 0, medium: 1, high: 2 };

function highestRisk(commands: readonly AnalyzedCommand[]): Risk {
  let highest: Risk = "low";
  for (const { risk } of commands) if (order[risk] > order[highest]) highest = risk;
  return highest;
}
