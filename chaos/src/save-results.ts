import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { groupBy } from "./history/history.ts";
import type { ScenarioResult } from "./scenarios/scenario.ts";

/** The results of a whole run of the program. */
export interface SavedResults {
  /** The date of the run. */
  readonly date: string;
  /** The seconds of the load of one run. */
  readonly seconds: number;
  readonly results: readonly ScenarioResult[];
}

const folder = join(import.meta.dirname, "..");
const begin = "<!-- results -->";
const end = "<!-- end of results -->";

/** Writes the results to `results.json`, and their table to the README. */
export function saveResults(saved: SavedResults): void {
  writeFileSync(join(folder, "results.json"), `${JSON.stringify(saved, undefined, 2)}\n`);
  const path = join(folder, "README.md");
  const text = readFileSync(path, "utf8");
  const [before = ""] = text.split(begin, 1);
  const after = text.slice(text.indexOf(end));
  writeFileSync(path, `${before}${begin}\n\n${toTable(saved)}\n\n${after}`);
}

/** The table of the README: the sums over all seeds of a scenario. */
function toTable({ date, seconds, results }: SavedResults): string {
  const rows = [...groupBy(results, ({ scenario }) => scenario)].map(([scenario, runs]) => {
    const sum = (pick: (run: ScenarioResult) => number): number =>
      runs.reduce((total, run) => total + pick(run), 0);
    return [
      scenario,
      runs.length,
      sum(({ operations }) => operations),
      sum(({ effects }) => effects),
      sum(({ kills }) => kills),
      sum(({ restarts }) => restarts),
      sum(({ lostAnswers }) => lostAnswers),
      sum(({ unknowns }) => unknowns),
      sum(({ violations }) => violations.length),
    ].map(String);
  });
  const header = [
    ...["scenario", "runs", "operations", "effects", "kills", "restarts"],
    ...["lost answers", "unknown", "violations"],
  ];
  const table = [header, ...rows];
  const widths = header.map((_, column) =>
    Math.max(...table.map((row) => (row[column] ?? "").length)),
  );
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(" | ")} |`;
  const rule = `| ${widths.map((width) => "-".repeat(width)).join(" | ")} |`;
  return `${date}, ${seconds} s of load in each run:\n\n${[line(header), rule, ...rows.map(line)].join("\n")}`;
}
