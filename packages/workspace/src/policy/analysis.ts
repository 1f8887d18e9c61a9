import type { PathUse, UnknownPart } from "./script.ts";

/** How much harm a command can do: it only reads; it changes something, or is not known well; it can do anything. */
export type Risk = "low" | "medium" | "high";

/** The effects of a program with its arguments. */
export interface ProgramEffects {
  readonly risk: Risk;
  readonly reasons: readonly string[];
  readonly paths: readonly Omit<PathUse, "cwd">[];
  readonly network?: boolean;
  /** It may run programs: one that its arguments name, or any. */
  readonly mayRun?: "named" | "any";
}

/** A command that a script runs, as a policy decides on it. */
export interface AnalyzedCommand {
  /** The program and its arguments, without the wrappers around it. */
  readonly argv: readonly string[];
  /** The name of the program, without its folder. */
  readonly program: string;
  /** Programs that were removed from the beginning, such as `timeout`, the outer one first. */
  readonly via: readonly string[];
  readonly risk: Risk;
  /** Why the risk is not low, in a few words. */
  readonly reasons: readonly string[];
  /** The files that it reads and writes, as far as its arguments and redirections name them. */
  readonly paths: readonly PathUse[];
  /** It connects to other hosts. */
  readonly network: boolean;
  /** The folder that it runs in, relative to that of the script; undefined: unknown. */
  readonly cwd: string | undefined;
  readonly span: readonly [start: number, end: number];
}

/** The effects of a script. */
export interface ScriptAnalysis {
  /** The script is understood: it runs these commands, or fewer of them. False: it can run others. */
  readonly isKnown: boolean;
  readonly commands: readonly AnalyzedCommand[];
  /** Empty if the script is known. */
  readonly unknown: readonly UnknownPart[];
  /** The highest risk of its commands; of a script that is not known, `high`. */
  readonly risk: Risk;
}
