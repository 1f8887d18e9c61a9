import { ToolError } from "../contract/tool-error.ts";
import { toErrorMessage } from "../contract/error-message.ts";
import { emitProcessWarning } from "../contract/process-warning.ts";
import type { RegistryProblem } from "./collect-tools.ts";

/** Receives a problem. */
export type ProblemListener = (problem: RegistryProblem) => void;

/** The sources of a registry that could not be loaded, and who is told about problems. */
export class RegistryProblems {
  readonly #listener: ProblemListener | undefined;
  #failed: readonly RegistryProblem[] = [];
  /** The problems that the listener has received and that are still there. */
  #reported: ReadonlySet<string> = new Set();
  #isWarned = false;

  constructor(listener: ProblemListener | undefined) {
    this.#listener = listener;
  }

  /** The sources that could not be loaded. */
  get failed(): readonly RegistryProblem[] {
    return this.#failed;
  }

  fail(subject: string, error: unknown): void {
    this.#failed = [...this.#failed, { source: subject, subject, message: toErrorMessage(error) }];
  }

  /** Removes the failure of a source that was removed, or has loaded after all. */
  forgive(source: string): void {
    this.#failed = this.#failed.filter((problem) => problem.source !== source);
  }

  /** Takes over the failures of another registry, without those of the sources with these ids. */
  takeOver(other: RegistryProblems, without: ReadonlySet<string>): void {
    this.#failed = [...this.#failed, ...other.#failed.filter(({ source }) => !without.has(source))];
    other.#failed = [];
  }

  /** Passes those of the failures that are new to the listener. */
  report(failures: () => readonly RegistryProblem[]): void {
    if (this.#listener === undefined) return;
    const known = this.#reported;
    const all = failures();
    this.#reported = new Set(all.map(toKey));
    for (const problem of all) {
      if (known.has(toKey(problem))) continue;
      try {
        this.#listener(problem);
      } catch {
        // An observer that throws changes nothing.
      }
    }
  }

  /** No process warning follows: the host handles what fails. */
  silence(): void {
    this.#isWarned = true;
  }

  /** Warns once, as Node.js prints warnings, of sources that could not be loaded, unless there is a listener. */
  warn(): void {
    if (this.#failed.length === 0 || this.#isWarned || this.#listener !== undefined) return;
    this.#isWarned = true;
    const count = this.#failed.length;
    emitProcessWarning(
      "TOOLWEAVE_SOURCES_FAILED",
      `${count === 1 ? "1 source" : `${count} sources`} of a tool registry could not be loaded, so ` +
        `${count === 1 ? "its" : "their"} tools are missing:\n${listed(this.#failed)}`,
      "Await registry.load() to fail instead, or pass onProblem to new ToolRegistry to handle it.",
    );
  }
}

function toKey({ source, subject, message }: RegistryProblem): string {
  return JSON.stringify([source, subject, message]);
}

/** Number of problems that a text lists; it states how many more there are. */
const maxListed = 20;

/** The error with which `registry.load()` rejects. */
export function loadError(problems: readonly RegistryProblem[], hasTools: boolean): ToolError {
  const few = problems.length === 1 ? "1 problem" : `${problems.length} problems`;
  const rest = hasTools ? "The other tools work." : "There are no tools.";
  return new ToolError(
    "unavailable",
    `The registry has loaded with ${few}. ${rest}\n${listed(problems)}`,
  );
}

/** The error of a list of tools that would be empty only because every source has failed. */
export function failedError(failed: readonly RegistryProblem[]): ToolError {
  const what =
    failed.length === 1
      ? "The only source of this registry could not be loaded"
      : `None of the ${failed.length} sources of this registry could be loaded`;
  return new ToolError("unavailable", `${what}:\n${listed(failed)}`);
}

/** The error of a list of tools that would be empty only because nothing has loaded yet. */
export function loadingError(): ToolError {
  return new ToolError(
    "invalid_configuration",
    "This registry is still loading, and has no tools yet: await registry.load() first, which rejects when a source " +
      "fails, or await registry.ready, which does not.",
  );
}

function listed(problems: readonly RegistryProblem[]): string {
  const lines = problems
    .slice(0, maxListed)
    .map(({ source, subject, message }) =>
      subject === source ? `- ${source}: ${message}` : `- ${source}: ${subject}: ${message}`,
    );
  const more = problems.length - lines.length;
  return [...lines, ...(more > 0 ? [`- and ${more} more`] : [])].join("\n");
}
