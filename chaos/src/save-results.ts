import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { groupBy } from "./history/history.ts";
import type { ScenarioResult } from "./scenarios/scenario.ts";

/** The result of one run of a scenario, as it is saved. */
export interface SavedResult extends ScenarioResult {
  /** The date of the run. */
  readonly date: string;
  /** The seconds of its load. */
  readonly loadSeconds: number;
}

const folder = join(import.meta.dirname, "..");
const begin = "<!-- results -->";
const end = "<!-- end of results -->";

/**
 * Writes the results to `results.json` in place of earlier ones of the same scenarios, and the table of all to the
 * README.
 *
 * @param order the ids of all scenarios.
 */
export function saveResults(results: readonly SavedResult[], order: readonly string[]): void {
  const path = join(folder, "results.json");
  const earlier = existsSync(path)
    ? (JSON.parse(readFileSync(path, "utf8")) as readonly SavedResult[])
    : [];
  const replaced = new Set(results.map(({ scenario }) => scenario));
  const all = [...earlier.filter(({ scenario }) => !replaced.has(scenario)), ...results].sort(
    (a, b) => order.indexOf(a.scenario) - order.indexOf(b.scenario),
  );
  writeFileSync(path, `${JSON.stringify(all, undefined, 2)}\n`);
  const page = join(folder, "README.md");
  const text = readFileSync(page, "utf8");
  const [before = ""] = text.split(begin, 1);
  writeFileSync(page, `${before}${begin}\n\n${toTable(all)}\n\n${text.slice(text.indexOf(end))}`);
}

/** The table of the README: the sums over all seeds of a scenario. */
function toTable(results: readonly SavedResult[]): string {
  const rows = [...groupBy(results, ({ scenario }) => scenario)].map(([scenario, runs]) => {
    const sum = (pick: (run: SavedResult) => number): number =>
      runs.reduce((total, run) => total + pick(run), 0);
    return [
      scenario,
      runs[0]?.date ?? "",
      runs.length,
      sum(({ loadSeconds }) => loadSeconds),
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
    ...["scenario", "date", "runs", "s of load", "operations", "effects", "kills", "restarts"],
    ...["lost answers", "unknown", "violations"],
  ];
  const table = [header, ...rows];
  const widths = header.map((_, column) =>
    Math.max(...table.map((row) => (row[column] ?? "").length)),
  );
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(" | ")} |`;
  const rule = `| ${widths.map((width) => "-".repeat(width)).join(" | ")} |`;
  return [line(header), rule, ...rows.map(line)].join("\n");
}
