import type { ToolErrorCode, ToolOutcome } from "@toolweave/core";

/** The exit codes of the process. Scripts rely on these numbers. */
export const exitCode = {
  completed: 0,
  /** The tool returned an error or no result, or the outcome is unknown. */
  toolError: 1,
  /** A tool differs from the lock. */
  changed: 1,
  /** Two sources have tools of the same name. */
  collision: 1,
  /** A check of `doctor` has failed. */
  checkFailed: 1,
  /** A rule of the contract is broken, and is not declared as known to fail. */
  notConformant: 1,
  /** The command line is wrong: nothing was sent. */
  usage: 2,
  /** The call was refused, or waits for a person's approval; or the folder is not trusted. */
  refused: 3,
  sourceFailed: 4,
  /** A policy asks before a script runs: `policy check`. */
  asks: 10,
  /** A policy denies a script: `policy check`. */
  denied: 20,
  /** The code that shells use for a process that Ctrl-C ended. */
  interrupted: 130,
} as const;

/** The exit codes that only some commands have. */
type SpecificCode = 0 | 1 | 3 | 4 | 10 | 20 | 130;

/**
 * The end of a command's help: the exit codes that apply to it.
 *
 * @param texts the meaning of codes for this command. 0, 2 and 130 have a default; the others apply only if they are here.
 */
export function exitCodesHelp(texts: Readonly<Partial<Record<SpecificCode, string>>>): string {
  const all: Readonly<Record<number, string>> = {
    0: "completed",
    2: "usage: an option, a file, a name, an id or arguments are invalid; nothing was sent",
    130: "interrupted (Ctrl-C)",
    ...texts,
  };
  const lines = Object.entries(all).map(([code, text]) => `  ${code.padEnd(3)}  ${wrap(text)}`);
  return `\nExit codes:\n${lines.join("\n")}`;
}

const helpWidth = 92;

/** Breaks a text into lines that are indented like the first. */
function wrap(text: string): string {
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(" ")) {
    if (line !== "" && line.length + word.length >= helpWidth) {
      lines.push(line);
      line = word;
    } else line = line === "" ? word : `${line} ${word}`;
  }
  return [...lines, line].join("\n       ");
}

/** The exit codes of all commands, for the help of the program. The README has the same texts in a table. */
export const exitCodeHelp = `
Exit codes:
  0    completed; approvals reject: the call is rejected; conform: no rule is broken
  1    the tool returned an error or no result; the outcome of an approved call is unknown; the
       store of approvals is unavailable; conform: a rule is broken; inspect, lock: two sources
       have tools of the same name; inspect --check: a tool has changed; types --check: the file
       is out of date; doctor, db check: a check failed; db reseal: no key opens a value; test: a
       test failed; fmt: a script is invalid; fmt --check: a file is not in the standard form
  2    usage: an option, a file, a name, an id or arguments are invalid; nothing was sent
  3    the call was denied or rejected, or needs approval; the folder is not trusted; nothing was
       sent; import, install: the change was not agreed to
  4    a document, server, module or conform subject could not be loaded; no tool was called;
       inspect and search list the tools of the other sources; add, init: nothing was written
  10   policy check: the script asks first
  20   policy check: the script is denied
  130  interrupted (Ctrl-C)`;

const byErrorCode: Readonly<Partial<Record<ToolErrorCode, number>>> = {
  not_found: exitCode.usage,
  not_advertised: exitCode.refused,
  invalid_arguments: exitCode.usage,
  permission_denied: exitCode.refused,
  approval_rejected: exitCode.refused,
  approval_invalid: exitCode.refused,
};

/** Returns the exit code for the outcome of a call. */
export function outcomeExitCode(outcome: ToolOutcome, interrupted: boolean): number {
  switch (outcome.status) {
    case "completed":
      return outcome.result.isError ? exitCode.toolError : exitCode.completed;
    case "interrupted":
      return exitCode.refused;
    case "failed":
      if (interrupted && outcome.error.code === "cancelled") return exitCode.interrupted;
      return byErrorCode[outcome.error.code] ?? exitCode.toolError;
  }
}

/** The command line is wrong. `message` names the fault and what to write instead, without any secret. */
export class UsageError extends Error {
  override readonly name: string = "UsageError";
}

/** A file that a command reads is wrong: the help of the command says nothing of it. */
export class FileError extends UsageError {}

/** A source of tools could not be loaded: nothing was called. */
export class SourceFailure extends Error {
  override readonly name: string = "SourceFailure";
}

/** A configuration that was found and is not trusted: nothing of it was started, read or imported. */
export class UntrustedConfig extends Error {
  override readonly name: string = "UntrustedConfig";
}
