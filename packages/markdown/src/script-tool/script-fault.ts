import { ToolError, type ToolErrorCode } from "@toolweave/core";
import { nearNames } from "@toolweave/core/adapter";
import { StarlarkError, type SourcePosition } from "@toolweave/starlark";
import { languageHint } from "../check/language-hints.ts";
import type { FunctionIndex } from "./function-index.ts";

/** Gives advice for a fault of a script: what to write instead. */
export type FaultHint = (fault: {
  readonly message: string;
  /** The line of the fault. */
  readonly line: string;
  /** Where it is in the line, from 1. */
  readonly column: number;
}) => string | undefined;

const maxProblems = 5;
const maxLineLength = 120;
/** Characters of what was printed before a script failed. */
const maxPrintedLength = 2_000;

/** Describes the faults of one script for the model that wrote it. */
export class ScriptFaults {
  readonly #lines: readonly string[];
  readonly #index: FunctionIndex;
  readonly #hints: readonly FaultHint[];

  constructor(text: string, index: FunctionIndex, hints: readonly FaultHint[]) {
    this.#lines = text.split("\n");
    this.#index = index;
    this.#hints = hints;
  }

  /** The error for a text that cannot be compiled: its faults with their places, lines and hints. */
  invalid(error: unknown): ToolError {
    if (!(error instanceof StarlarkError)) {
      return new ToolError("internal", "The script could not be read.", { cause: error });
    }
    const { problems, message } = error;
    const described = problems
      .slice(0, maxProblems)
      .map((problem) => this.#describe(problem.message, problem.position));
    const more = problems.length > maxProblems ? [`… ${problems.length - maxProblems} more`] : [];
    const list = described.length === 0 ? [message] : [...described, ...more];
    return new ToolError(
      "invalid_arguments",
      `The script is invalid; nothing ran.\n${list.join("\n")}`,
      {
        cause: error,
      },
    );
  }

  /** The error of a script that failed, with its line, a hint, and what it has printed before. */
  failed(error: unknown, printed: string): unknown {
    if (!ToolError.is(error)) return error;
    const { cause, code } = error;
    if (!(cause instanceof StarlarkError)) return error;
    // The error of a call that must not be handled keeps its own text.
    const { position } = cause;
    const described = ToolError.is(cause.cause)
      ? error.message
      : this.#describe(cause.message, position);
    const shortened =
      printed.length > maxPrintedLength ? `${printed.slice(0, maxPrintedLength)}…` : printed;
    const before = printed === "" ? "" : `\nPrinted before:\n${shortened}`;
    return new ToolError(code as ToolErrorCode, `${described}${before}`, {
      cause: error,
      retryable: false,
    });
  }

  #describe(message: string, position: SourcePosition | undefined): string {
    const line = position === undefined ? "" : (this.#lines[position.line - 1] ?? "");
    const fault = { message, line, column: position?.column ?? 1 };
    const hint =
      this.#nearFunction(message, line) ??
      this.#hints.map((each) => each(fault)).find((each) => each !== undefined) ??
      habitHint(message, line, fault.column);
    const where =
      position === undefined ? "" : `line ${position.line}, column ${position.column}: `;
    const written = line.trim() === "" ? "" : `\n    ${line.trim().slice(0, maxLineLength)}`;
    return `${where}${message}${hint === undefined ? "" : ` ${hint}`}${written}`;
  }

  /** The functions whose names are near one that does not exist. */
  #nearFunction(message: string, line: string): string | undefined {
    const global = /^undefined: (\w+)/.exec(message)?.[1];
    const member = /^(?:module|builtin_function_or_method) has no \.(\w+) field/.exec(message)?.[1];
    const wanted = global ?? member;
    if (wanted === undefined) return undefined;
    const { functions, modules } = this.#index;
    const module =
      member === undefined ? undefined : new RegExp(`(\\w+)\\.${member}\\b`).exec(line)?.[1];
    const members = modules.get(module ?? "")?.values() ?? functions.values();
    const expressions = new Map<string, string>();
    for (const { name, expression } of members)
      if (expression !== undefined) expressions.set(name, expression);
    const exact = expressions.get(wanted);
    const near = exact === undefined ? nearNames(wanted, expressions.keys(), 3) : [wanted];
    const found = near.map((name) => expressions.get(name) ?? name);
    return found.length === 0 ? undefined : `There is ${found.join(", ")}.`;
  }
}

/** Functions of files that scripts of a model do not have. */
const otherModules = /\b(?:args|dialect|env|exec|fs|http|log)\b/;

/** Advice for habits of Python and JavaScript. */
function habitHint(message: string, line: string, column: number): string | undefined {
  if (/^got (?:try|except|raise),/.test(message))
    return 'There are no exceptions: call_tool("tool", {…}) returns {ok, value, error, code}, and fail("reason") ends the script.';
  const at = column - 1;
  const hint = languageHint({
    message,
    kind: "session",
    line,
    before: line.slice(0, at),
    after: line.slice(at),
    names: [],
  });
  if (hint === undefined || !otherModules.test(hint)) return hint;
  return /^got (?:import|from),/.test(message)
    ? "There is no import: modules such as json, re and math are there already."
    : undefined;
}
