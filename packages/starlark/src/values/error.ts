import { fromUtf8 } from "./utf8.ts";

/**
 * Why a script failed: its text is invalid (`invalid_syntax`), an operation failed or `fail()` was called
 * (`execution_failed`), a budget is used up (`limit_exceeded`), the time is over (`timeout`), the caller ended it
 * (`cancelled`), a function of the host waits for a person (`interrupted`), or a journal does not match the script
 * (`outcome_unknown`).
 */
export type StarlarkErrorCode =
  | "invalid_syntax"
  | "execution_failed"
  | "limit_exceeded"
  | "timeout"
  | "cancelled"
  | "interrupted"
  | "outcome_unknown";

/** A place in a source file. Lines and columns start at 1; columns count characters. */
export interface SourcePosition {
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

/** One fault of a source text. */
export interface SourceProblem {
  readonly position: SourcePosition;
  readonly message: string;
}

/** One active call: the name of the function, and the place that is executed in it. Built-in functions have no place. */
export interface CallFrame {
  readonly name: string;
  readonly position: SourcePosition | undefined;
}

/** Every error that a script causes. */
export class StarlarkError extends Error {
  override readonly name = "StarlarkError";
  readonly code: StarlarkErrorCode;
  /** All faults of the text, in the order of their places; empty if the text is valid. */
  readonly problems: readonly SourceProblem[];
  /** The active calls, the outermost first; empty if no code was running. */
  readonly callStack: CallFrame[] = [];

  constructor(
    code: StarlarkErrorCode,
    message: string,
    options: ErrorOptions & { readonly problems?: readonly SourceProblem[] } = {},
  ) {
    super(message, options);
    this.code = code;
    this.problems = options.problems ?? [];
  }

  /** The place of the first fault, or of the innermost active call that has one. */
  get position(): SourcePosition | undefined {
    return this.problems[0]?.position ?? this.callStack.findLast((call) => call.position)?.position;
  }

  /** The active calls and the message, as starlark-go prints them. */
  get traceback(): string {
    if (this.callStack.length === 0) {
      const problems = this.problems.map(
        ({ position, message }) => `${formatPosition(position)}: ${message}`,
      );
      return problems.length === 0 ? `Error: ${this.message}` : problems.join("\n");
    }
    const lines = this.callStack.map(
      ({ name, position }) => `  ${position ? formatPosition(position) : "<builtin>"}: in ${name}`,
    );
    const { name, position } = this.callStack.at(-1) as CallFrame;
    if (position === undefined) lines.pop();
    const place = position === undefined ? ` in ${name}` : "";
    lines.push(`Error${place}: ${this.message}`);
    return ["Traceback (most recent call last):", ...lines].join("\n");
  }
}

/** Fails the operation that runs, with the message of starlark-go: a string of bytes, as the values of a script are. */
export function fail(message: string): never {
  throw new StarlarkError("execution_failed", fromUtf8(message));
}

/** Ends the run at a limit. */
export function failLimit(message: string): never {
  throw new StarlarkError("limit_exceeded", message);
}

/** Whether an operation failed, so that a limit or the host did not end the run. */
export function isFailure(error: unknown): error is StarlarkError {
  return error instanceof StarlarkError && error.code === "execution_failed";
}

/** Any thrown value as a `StarlarkError`: V8's own limits are limits of the script. */
export function toStarlarkError(error: unknown): StarlarkError {
  if (error instanceof StarlarkError) return error;
  const options = { cause: error };
  if (error instanceof RangeError)
    return new StarlarkError(
      "limit_exceeded",
      "a value is too large or nested too deeply",
      options,
    );
  const message = error instanceof Error ? error.message : String(error);
  return new StarlarkError("execution_failed", message, options);
}

/** `file:line:column`, as compilers print it. */
export function formatPosition(position: SourcePosition): string {
  return `${position.file}:${position.line}:${position.column}`;
}

const maxHintLength = 40;
const maxHintCandidates = 1000;

/**
 * The end of an error text that proposes the candidate nearest to a misspelled name; empty if none is near. Case and
 * underscores do not count, and at most half of the letters differ (the rule of starlark-go).
 */
export function nameHint(name: string, candidates: Iterable<string>, prefix: string = ""): string {
  let hint = "";
  // The work grows with the length of the name and the number of candidates.
  if (name.length > maxHintLength) return hint;
  const folded = fold(name);
  let nearest = Math.floor((folded.length + 1) / 2);
  for (const candidate of [...candidates].slice(0, maxHintCandidates).sort()) {
    const distance = editDistance(folded, fold(candidate), nearest);
    if (distance >= nearest) continue;
    hint = ` (did you mean ${prefix}${candidate}?)`;
    nearest = distance;
  }
  return hint;
}

function fold(name: string): string {
  return name.replaceAll("_", "").toLowerCase();
}

/** The Levenshtein distance; any number that is at least `limit` if it is not below. */
function editDistance(left: string, right: string, limit: number): number {
  if (Math.abs(left.length - right.length) >= limit) return limit;
  let previous = Array.from({ length: right.length + 1 }, (_, index) => index);
  for (let row = 1; row <= left.length; row++) {
    const current = [row];
    for (let column = 1; column <= right.length; column++) {
      const isSame = left[row - 1] === right[column - 1];
      const replaced = (previous[column - 1] as number) + (isSame ? 0 : 1);
      const removed = (previous[column] as number) + 1;
      current.push(Math.min(replaced, removed, (current[column - 1] as number) + 1));
    }
    previous = current;
  }
  return previous[right.length] as number;
}
