import type { ValidationProblem } from "../../contract/tool.ts";

/** The maximum cost of one piece of work, in units of about a nanosecond. Tests set smaller budgets. */
export const workBudgets = {
  /** Compiling one schema: two seconds or less, and three times what real ones cost. */
  compile: 5e8,
  /** Checking one value: a second or less, and enough for some fifty megabytes. */
  check: 2e8,
};

/** Thrown by `spend` when the work that was allowed is done. */
class WorkExceeded extends Error {
  override readonly name = "WorkExceeded";
}

// One for all validators: compiling and checking are synchronous and never within one another.
let left = 0;

/** How much work may be done from now on, in units of about a nanosecond. */
export function allowWork(units: number): void {
  left = units;
}

/** How much of the allowed work is left: below zero once it was exceeded. */
export function remainingWork(): number {
  return left;
}

/**
 * Accounts for work.
 *
 * @throws an error, for which `isExceeded` is true, when it is more than is left.
 */
export function spend(units: number): void {
  left -= units;
  if (left < 0) throw new WorkExceeded("this takes more work than is allowed");
}

/** Whether work was cancelled because it would have taken too much time or stack. */
export function isExceeded(error: unknown): boolean {
  return error instanceof WorkExceeded || error instanceof RangeError;
}

/** The problem of a value whose check was cancelled. */
export const unchecked: readonly ValidationProblem[] = [
  { path: "", message: "cannot be checked in bounded time; send less" },
];
