import { parseArgs } from "node:util";
import { postgresPrograms } from "@toolweave/test-support/postgres-server";
import type { Scenario } from "./scenarios/scenario.ts";

/** The scenarios to run, and how. */
export interface Command {
  readonly scenarios: readonly Scenario[];
  readonly seconds: number;
  readonly seeds: readonly number[];
  readonly isJson: boolean;
  readonly isSaved: boolean;
}

/** The text of `--help`. */
export function helpText(scenarios: readonly Scenario[]): string {
  const list = scenarios.map(({ id, summary }) => `  ${id.padEnd(10)} ${summary}`);
  return `Usage: chaos [scenario…] [--seconds 60] [--seeds 5 | --seed 3] [--json] [--save]

Runs replicas with a shared store under a load, injects faults, and checks everything that has
happened afterwards: no call has two effects, no approval is used twice, no result changes, nothing
is forgotten. The invariants I1 to I10 are described in chaos/README.md. Exits 1 when one of them
does not hold.

  --seconds  time of each run's load (default: 60); approvals has 10,000 operations instead, fewer below 60 s
  --seeds    number of runs of each scenario, with the seeds 1, 2, … (default: 5)
  --seed     one run, with this seed: it repeats the operations and faults, but not their timing
  --json     prints the results as JSON, and progress to the standard error
  --save     writes the results to chaos/results.json, and their table to chaos/README.md
  --help     prints this text

Scenarios (default: all):
${list.join("\n")}

Examples:
  pnpm chaos W1 --seconds 10 --seeds 1
  pnpm chaos W1 P1 --seed 4
  pnpm chaos D1                 D1-dbos, D1-restate and D1-bullmq
`;
}

/** An error of the command line. */
export class UsageError extends Error {}

/**
 * Reads the command line. `help`: it asks for help.
 *
 * @throws UsageError when it is not valid.
 */
export function readCommand(
  args: readonly string[],
  scenarios: readonly Scenario[],
): Command | "help" {
  const { values, positionals } = parse(args);
  if (values.help === true) return "help";
  const chosen = positionals.flatMap((name) => {
    const found = scenarios.filter(({ id }) => isNamed(id.toLowerCase(), name.toLowerCase()));
    if (found.length > 0) return found;
    const names = scenarios.map(({ id }) => id).join(", ");
    throw new UsageError(`There is no scenario "${name}". Use one of: ${names}.`);
  });
  if (values.seed !== undefined && values.seeds !== undefined) {
    throw new UsageError("Use --seeds or --seed, and not both.");
  }
  if (postgresPrograms() === undefined) {
    throw new UsageError("PostgreSQL is missing: apt-get install postgresql.");
  }
  const count = toNumber("seeds", values.seeds ?? "5");
  return {
    scenarios: chosen.length > 0 ? chosen : scenarios,
    seconds: toNumber("seconds", values.seconds ?? "60"),
    seeds:
      values.seed === undefined
        ? Array.from({ length: count }, (_, index) => index + 1)
        : [toNumber("seed", values.seed)],
    isJson: values.json === true,
    isSaved: values.save === true,
  };
}

/** `D1` names `D1-dbos` and the other scenarios of D1. */
function isNamed(id: string, name: string): boolean {
  return id === name || id.startsWith(`${name}-`);
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        seconds: { type: "string" },
        seeds: { type: "string" },
        seed: { type: "string" },
        json: { type: "boolean" },
        save: { type: "boolean" },
        help: { type: "boolean", short: "h" },
      },
    });
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}

function toNumber(name: string, text: string): number {
  const number = Number(text);
  if (Number.isSafeInteger(number) && number > 0) return number;
  throw new UsageError(`--${name} is "${text}"; use a whole number of 1 or more.`);
}
