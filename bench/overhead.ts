// The cost of a call: CPU per call of Toolweave and of its peers compared with the baseline.
import { fork } from "node:child_process";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { contenders } from "./contenders/all.ts";
import { printTable } from "./lib/table.ts";
import { createTable, type ProcessFigures } from "./report.ts";

const rounds = 7;
const passes = 3;
/** No pass begins that would not end by then. */
const maxSeconds = 150;

const help = `Usage: node overhead.ts [--one-process] [--save]

CPU microseconds per call, and how many times the floor that is, for calls that are awaited one
by one and for 1,000 at once. Every contender is measured in a process of its own, the floor
beside it, ${passes} times over; a row is the median, with the lowest and highest process.
Takes about a minute and a half.

  --one-process  all contenders in one process, taking turns
  --save         saves the figures for docs/reference/performance.md
  --help
`;

/** Measures contenders in a child process. */
function measureApart(names: readonly string[]): Promise<ProcessFigures> {
  return new Promise((resolve, reject) => {
    const child = fork(join(import.meta.dirname, "child.ts"), [`${rounds}`, ...names], {
      timeout: 120_000,
    });
    let figures: ProcessFigures | undefined;
    child.on("message", (message) => (figures = message as ProcessFigures));
    child.on("error", reject);
    child.on("exit", (code) => {
      if (figures !== undefined && code === 0) resolve(figures);
      else reject(new Error(`Measuring ${names.join(", ")} failed (exit code ${code}).`));
    });
  });
}

const options = {
  "one-process": { type: "boolean", default: false },
  save: { type: "boolean", default: false },
  help: { type: "boolean", default: false },
} as const;

async function main(): Promise<number> {
  let values: ReturnType<typeof parseArgs<{ options: typeof options }>>["values"];
  try {
    ({ values } = parseArgs({ options }));
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\n\n${help}`);
    return 2;
  }
  if (values.help) {
    process.stdout.write(help);
    return 0;
  }
  const names = contenders.map(({ name }) => name);
  const groups = values["one-process"]
    ? [names]
    : names.filter((name) => name !== "floor").map((name) => ["floor", name]);
  const processes: ProcessFigures[] = [];
  const start = performance.now();
  const elapsed = (): number => (performance.now() - start) / 1000;
  let pass = 0;
  while (pass < passes && (pass === 0 || elapsed() * (1 + 1 / pass) <= maxSeconds)) {
    pass += 1;
    for (const group of groups) processes.push(await measureApart(group));
    process.stderr.write(`pass ${pass} of ${passes}: ${elapsed().toFixed(0)} s\n`);
  }
  const layout = values["one-process"]
    ? "All are in one process and take turns"
    : "Each has a process of its own, in which it takes turns with the floor";
  printTable("calls", createTable(processes, `${layout}, ${pass} times`));
  return 0;
}

process.exitCode = await main();
