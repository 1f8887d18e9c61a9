import { contenders } from "./contenders/all.ts";
import { installedVersion, median, type BenchTable } from "./lib/table.ts";
import { modes, type Mode, type Rounds } from "./measure.ts";

/** The measurements of one process: the baseline and one contender, or all of them. */
export type ProcessFigures = Readonly<Record<string, Rounds>>;

/** CPU microseconds per call, and the ratio to the baseline with the lowest and highest of any process. */
function computeFigures(
  name: string,
  mode: Mode,
  processes: readonly ProcessFigures[],
): readonly [us: string, ratio: string] {
  const medians: number[] = [];
  const ratios: number[] = [];
  for (const { [name]: own, floor } of processes) {
    if (own === undefined || floor === undefined) continue;
    medians.push(median(own[mode]));
    // Round by round, so that a slower machine affects both.
    ratios.push(median(own[mode].map((us, round) => us / (floor[mode][round] ?? Number.NaN))));
  }
  const range = [Math.min(...ratios), Math.max(...ratios)].map(digits).join(" to ");
  const ratio = digits(median(ratios));
  return [median(medians).toFixed(2), name === "floor" ? ratio : `${ratio} (${range})`];
}

const digits = (value: number): string => value.toFixed(value < 20 ? 1 : 0);

/** The figures of all processes in one table. */
export function createTable(processes: readonly ProcessFigures[], layout: string): BenchTable {
  const packages = new Set(contenders.map((contender) => contender.package));
  packages.delete("@toolweave/core");
  return {
    title: "A call",
    page: "bench/README.md",
    meaning: `CPU of a call of one of 20 tools that add two numbers, and how many times that of the floor it is, which is a Map lookup, a compiled Ajv function and the async function. ${layout}. The median, with the lowest and highest process. "Together" is 1,000 calls at once.`,
    versions: Object.fromEntries([...packages].map((name) => [name, installedVersion(".", name)])),
    columns: ["contender", "µs, one by one", "× floor", "µs, together", "× floor"],
    rows: contenders.map(({ name }) => [
      name,
      ...modes.flatMap((mode) => computeFigures(name, mode, processes)),
    ]),
  };
}
