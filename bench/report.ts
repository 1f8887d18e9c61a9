import { readFileSync, statSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { contenders } from "./contenders/all.ts";
import { modes, type Mode, type Rounds } from "./measure.ts";

/** The measurements of one process: the baseline and one contender, or all of them. */
export type ProcessFigures = Readonly<Record<string, Rounds>>;

interface Figure {
  /** CPU microseconds per call: the median of the processes' medians. */
  readonly us: number;
  /** The ratio to the baseline, each round against the baseline's. */
  readonly ratio: number;
  /** The lowest and the highest ratio of any process. */
  readonly range: readonly [number, number];
}

interface Row extends Readonly<Record<Mode, Figure>> {
  readonly name: string;
  readonly package: string;
  readonly version: string;
  readonly schema: string;
  readonly validates: boolean;
  readonly does: string;
}

/** All results of a run; `--json` prints them. */
export interface Report {
  readonly date: string;
  readonly node: string;
  readonly cpus: number;
  /** The time of the measured build of Toolweave. */
  readonly built: string;
  readonly layout: string;
  readonly passes: number;
  readonly seconds: number;
  readonly contenders: readonly Row[];
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : (upper + (sorted[middle - 1] ?? upper)) / 2;
}

function figureOf(name: string, mode: Mode, processes: readonly ProcessFigures[]): Figure {
  const medians: number[] = [];
  const ratios: number[] = [];
  for (const { [name]: own, floor } of processes) {
    if (own === undefined || floor === undefined) continue;
    medians.push(median(own[mode]));
    // Round by round, so that a slower machine affects both.
    ratios.push(median(own[mode].map((us, round) => us / (floor[mode][round] ?? Number.NaN))));
  }
  return {
    us: median(medians),
    ratio: median(ratios),
    range: [Math.min(...ratios), Math.max(...ratios)],
  };
}

const installed = join(import.meta.dirname, "node_modules");

function versionOf(name: string): string {
  const manifest = readFileSync(join(installed, name, "package.json"), "utf8");
  return (JSON.parse(manifest) as { version: string }).version;
}

/** The figures of all processes in one. */
export function reportOf(
  processes: readonly ProcessFigures[],
  run: Pick<Report, "layout" | "passes" | "seconds">,
): Report {
  return {
    date: new Date().toISOString().slice(0, 10),
    node: process.version,
    cpus: availableParallelism(),
    built: statSync(join(installed, "@toolweave/core/dist/index.js")).mtime.toISOString(),
    ...run,
    contenders: contenders.map((contender) => ({
      name: contender.name,
      package: contender.package,
      version: versionOf(contender.package),
      schema: contender.schema,
      validates: contender.validates,
      does: contender.does,
      sequential: figureOf(contender.name, "sequential", processes),
      together: figureOf(contender.name, "together", processes),
    })),
  };
}

const digits = (value: number): string => value.toFixed(value < 20 ? 1 : 0);

/**
 * The report for people: cost and ratio to the baseline in each mode, then the work of each
 * contender.
 */
export function textOf(report: Report): string {
  const name = (text: string): string => text.padEnd(34);
  const lines = [
    `CPU per call: 20 tools, add two numbers. Node ${report.node}, ${report.cpus} CPUs, ${report.date}.`,
    `${report.layout}; ${report.passes} passes, ${report.seconds} s. Toolweave as built ${report.built}.`,
    "",
    name("") + "sequential".padEnd(28) + "1,000 at once",
    name("") + "   µs  × floor".padEnd(28) + "   µs  × floor",
  ];
  for (const row of report.contenders) {
    const [one, other] = modes.map((mode) => {
      const { us, ratio, range } = row[mode];
      const spread = row.name === "floor" ? "" : ` (${range.map(digits).join(" to ")})`;
      return `${us.toFixed(2).padStart(5)}  ${digits(ratio).padStart(5)}${spread}`;
    }) as [string, string];
    lines.push(name(row.name) + one.padEnd(28) + other);
  }
  lines.push("");
  for (const { name, package: from, version, schema, validates, does } of report.contenders) {
    const checked = validates ? "arguments validated" : "arguments not validated";
    lines.push(`${name} (${from} ${version}, ${schema}, ${checked}): ${does}.`);
  }
  return `${lines.join("\n")}\n`;
}
