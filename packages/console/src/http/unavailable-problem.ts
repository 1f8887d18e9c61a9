import { Problem } from "./problem.ts";

/**
 * The problem of an operation for which the host has given no data.
 *
 * @param what what the server does not have.
 * @param option the option of `consoleHandler` that provides it.
 */
export function unavailableProblem(what: string, option: string): Problem {
  return new Problem(
    "not_available",
    `This server has no ${what}: its host can add them with the option ${option} of consoleHandler.`,
  );
}
