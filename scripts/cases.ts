import { join } from "node:path";
import { parseArgs } from "node:util";
import { governed, readCases, type CaseReport } from "./lib/read-cases.ts";

const help = `Usage: cases [--all] [--json]

Holds the attacks and faults of test/cases against the names of the tests, and prints for each
group how many of its cases a test shows. Groups that must be whole come first; --all shows the
others as well. Exits 1 when a case of a group that must be whole is neither shown nor listed in
test/cases/open.json with what it waits for.

  covered  a test with the case's id in its name shows it
  gap      only a test that is known to fail names it
  open     listed in test/cases/open.json
  missing  none of these
`;

function main(): number {
  const { values } = parseArgs({
    options: {
      all: { type: "boolean" },
      json: { type: "boolean" },
      help: { type: "boolean", short: "h" },
    },
  });
  if (values.help === true) {
    process.stdout.write(help);
    return 0;
  }
  const reports = readCases(join(import.meta.dirname, ".."));
  const names =
    values.all === true
      ? [...new Set([...governed, ...reports.map((report) => report.case.group)])]
      : governed;
  const of = (name: string): CaseReport[] => reports.filter((report) => report.case.group === name);
  const shown = names.flatMap(of);
  if (values.json === true) {
    process.stdout.write(`${JSON.stringify(shown.map(toJson), undefined, 2)}\n`);
  } else {
    for (const name of names) printGroup(name, of(name));
    printLine("in all", shown);
  }
  const lost = reports.filter((report) => governed.includes(report.case.group) && isLost(report));
  return lost.length === 0 ? 0 : 1;
}

function printGroup(name: string, reports: readonly CaseReport[]): void {
  printLine(name, reports);
  for (const { case: entry, state, waitsFor } of reports) {
    if (state === "covered") continue;
    const why = waitsFor === undefined ? "" : `: ${waitsFor}`;
    process.stdout.write(`  ${state.padEnd(8)} ${entry.id} ${entry.title}${why}\n`);
  }
}

function printLine(name: string, reports: readonly CaseReport[]): void {
  const covered = reports.filter(({ state }) => state === "covered").length;
  process.stdout.write(`${name.padEnd(24)} ${covered} of ${reports.length} covered\n`);
}

function isLost({ state }: CaseReport): boolean {
  return state === "missing" || state === "gap";
}

function toJson({ case: entry, state, waitsFor }: CaseReport): object {
  return { ...entry, state, ...(waitsFor === undefined ? {} : { waitsFor }) };
}

process.exitCode = main();
