import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { cpus } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";

/** The results of one benchmark, as `docs/reference/performance.md` shows them. */
export interface BenchTable {
  readonly title: string;
  /** Where its page is, relative to the root of the repository. */
  readonly page: string;
  /** The meaning of the figures, in a sentence or two of Markdown. */
  readonly meaning: string;
  /** The versions of what was measured beside the present packages, by name. */
  readonly versions: Readonly<Record<string, string>>;
  readonly columns: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

/** A table, with when and where it was measured. */
export interface SavedTable extends BenchTable {
  /** `YYYY-MM-DD`. */
  readonly date: string;
  /** The commit of the present packages. */
  readonly commit: string;
  readonly node: string;
  readonly machine: string;
}

const results = join(import.meta.dirname, "../results");

/**
 * Prints a table, as JSON when the command has `--json`, and saves it for `docs/reference/performance.md` when the
 * command has `--save`.
 */
export function printTable(name: string, table: BenchTable): void {
  const saved: SavedTable = {
    ...table,
    date: new Date().toISOString().slice(0, 10),
    commit: execFileSync("git", ["rev-parse", "--short", "HEAD"], { encoding: "utf8" }).trim(),
    node: process.versions.node,
    machine: `${cpus().length} × ${cpus()[0]?.model ?? "CPU"}`,
  };
  const json = `${JSON.stringify(saved, null, 2)}\n`;
  process.stdout.write(values["json"] === true ? json : toText(saved));
  if (values["save"] === true) writeFileSync(join(results, `${name}.json`), json);
}

/** Other options are those of the command. */
const { values } = parseArgs({
  options: { json: { type: "boolean" }, save: { type: "boolean" } },
  strict: false,
});

function toText({ title, date, node, machine, versions, columns, rows }: SavedTable): string {
  const peers = Object.entries(versions).map((entry) => entry.join(" "));
  const widths = columns.map((column, index) =>
    Math.max(column.length, ...rows.map((row) => row[index]?.length ?? 0)),
  );
  const line = (cells: readonly string[]): string =>
    cells
      .map((cell, index) => cell.padEnd((widths[index] ?? 0) + 2))
      .join("")
      .trimEnd();
  return [
    [title, date, `Node.js ${node}`, machine, ...peers].join(", "),
    line(columns),
    ...rows.map(line),
    "",
  ].join("\n");
}

/** The version of a package that is installed in a folder of this one. */
export function installedVersion(folder: string, name: string): string {
  const manifest = join(import.meta.dirname, "..", folder, "node_modules", name, "package.json");
  return (JSON.parse(readFileSync(manifest, "utf8")) as { readonly version: string }).version;
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : (upper + (sorted[middle - 1] ?? upper)) / 2;
}

/** `median (lowest to highest)`. */
export function spread(values: readonly number[], digits = 2): string {
  const of = (value: number): string => value.toFixed(digits);
  return `${of(median(values))} (${of(Math.min(...values))} to ${of(Math.max(...values))})`;
}
