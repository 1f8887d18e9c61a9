import type { SharedStore } from "@toolweave/config";
import type { CliIo } from "../../process/cli-io.ts";
import { exitCode } from "../../process/exit-code.ts";
import type { Output } from "../../process/output.ts";
import { fitTable } from "../../render/columns.ts";
import { formatJson } from "../../render/json.ts";
import { formatCount, safeLine, safeValue } from "../../render/text.ts";
import { inspectDatabase, type DatabaseState } from "./inspect-database.ts";
import { inspectFiles } from "./inspect-file.ts";
import { findStore, type StoreOptions } from "../../sources/find-store.ts";

/** `toolweave db check`: prints the state of the store, and what to do about its problems. */
export async function checkDatabase(
  options: StoreOptions,
  io: CliIo,
  output: Output,
): Promise<number> {
  const place = await findStore(options, io, output);
  if (place.kind === "file") return reportFiles(place.path, options, output);
  const state = await inspectDatabase(place.store, io.signal);
  if (options.json === true) await output.write(formatJson(toJson(place.store, state), output));
  else for (const line of reportLines(place.store, state)) await output.write(`${line}\n`);
  return state.problems.length === 0 ? exitCode.completed : exitCode.checkFailed;
}

function toJson(store: SharedStore, state: DatabaseState): object {
  const { server, latencyMs, schema, tablesVersion, knownTablesVersion, tables, problems } = state;
  return {
    ok: problems.length === 0,
    kind: "postgres",
    database: store.location,
    server,
    latencyMs,
    schema,
    tablesVersion,
    knownTablesVersion,
    canMigrate: state.canMigrate,
    keys: store.keys.length,
    tables,
    problems,
  };
}

function* reportLines(store: SharedStore, state: DatabaseState): Generator<string> {
  const { server, latencyMs, schema, tablesVersion, tables, problems } = state;
  const [key, ...former] = store.keys;
  const keyText =
    key === undefined
      ? "none: TOOLWEAVE_KEY is not set"
      : `TOOLWEAVE_KEY${former.length === 0 ? "" : `, and ${formatCount(former.length, "former key")}`}`;
  yield* fitTable(
    [
      ["database", safeValue(store.location)],
      ["server", `PostgreSQL ${safeValue(server)}`],
      ["latency", `${latencyMs} ms for a statement`],
      [
        "tables",
        tablesVersion === 0 ? "none" : `version ${tablesVersion}, in the schema ${schema}`,
      ],
      ["key", keyText],
    ],
    {},
    undefined,
  );
  if (tables.length > 0) {
    yield "";
    const rows = tables.map(({ name, rows, isEstimate, bytes }) => ({
      name: safeValue(name),
      rows: `${isEstimate ? "about " : ""}${rows.toLocaleString("en")}`,
      bytes: formatBytes(bytes),
    }));
    const total = tables.reduce((sum, { bytes }) => sum + bytes, 0);
    yield* alignRight([
      { name: "table", rows: "rows", bytes: "size" },
      ...rows,
      { name: "all", rows: "", bytes: formatBytes(total) },
    ]);
  }
  yield "";
  for (const { problem, remedy } of problems) {
    yield `problem: ${safeLine(problem)}`;
    if (remedy !== undefined) yield `  ${safeLine(remedy)}`;
  }
  yield formatCount(problems.length, "problem");
}

function* alignRight(
  rows: readonly { readonly name: string; readonly rows: string; readonly bytes: string }[],
): Generator<string> {
  const width = (key: "name" | "rows" | "bytes"): number =>
    Math.max(...rows.map((row) => row[key].length));
  const [name, count, bytes] = [width("name"), width("rows"), width("bytes")];
  for (const row of rows) {
    yield `${row.name.padEnd(name)}  ${row.rows.padStart(count)}  ${row.bytes.padStart(bytes)}`;
  }
}

async function reportFiles(path: string, options: StoreOptions, output: Output): Promise<number> {
  const files = inspectFiles(path);
  if (options.json === true) {
    await output.write(formatJson({ ok: true, kind: "file", path, files }, output));
    return exitCode.completed;
  }
  await output.write(
    `The store is a file, for the processes of this machine: ${safeValue(path)}\n`,
  );
  if (files.length === 0) await output.write("Nothing has been stored there yet.\n");
  for (const { path: file, holds, bytes, tables } of files) {
    await output.write(`\n${safeValue(file)} (${formatBytes(bytes)}): ${holds}\n`);
    const rows = tables.map(({ name, rows }) => ({
      name: `  ${safeValue(name)}`,
      rows: rows.toLocaleString("en"),
      bytes: "",
    }));
    for (const line of rows.length === 0 ? [] : alignRight(rows)) {
      await output.write(`${line.trimEnd()}\n`);
    }
  }
  await output.write(
    `\nFor several machines, name a PostgreSQL database: "store": "postgres://USER:\${DB_PASSWORD}@HOST/DATABASE" in toolweave.json, or --store.\n`,
  );
  return exitCode.completed;
}

const byteUnits = ["bytes", "kB", "MB", "GB", "TB"] as const;

/** `48 kB`, `1.2 GB`: units of 1,024, as PostgreSQL prints them. */
function formatBytes(bytes: number): string {
  let value = bytes;
  let unit = 0;
  while (value >= 1024 && unit < byteUnits.length - 1) {
    value /= 1024;
    unit += 1;
  }
  const digits = unit > 1 && value < 10 ? 1 : 0;
  return `${value.toFixed(digits)} ${byteUnits[unit]}`;
}
