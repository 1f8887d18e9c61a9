import { existsSync, readdirSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { ToolError } from "@toolweave/core";
import type { TableSize } from "@toolweave/postgres";
import { builtinFile } from "../../store/store-place.ts";

/** A file or a folder of a store on this machine. */
export interface StoredFile {
  readonly path: string;
  /** The kinds of data in it, for a person. */
  readonly holds: string;
  readonly bytes: number;
  /** The tables of an SQLite file. */
  readonly tables: readonly Omit<TableSize, "bytes" | "isEstimate">[];
}

/**
 * Lists what a store on this machine has. Nothing is created or changed.
 *
 * @throws ToolError `store_unavailable`
 */
export function inspectFiles(path: string): readonly StoredFile[] {
  const folder = dirname(path);
  const builtin = builtinFile(path);
  const credentials = join(folder, "credentials");
  return [
    ...describeSqlite(path, "calls that wait, grants, rates, tasks and artifacts"),
    ...(basename(path) === basename(builtin)
      ? []
      : describeSqlite(builtin, "memory and schedules")),
    ...describeFolder(credentials, "tokens, one file each"),
  ];
}

function describeSqlite(path: string, holds: string): readonly StoredFile[] {
  const stat = statSync(path, { throwIfNoEntry: false });
  if (stat === undefined) return [];
  return [{ path, holds, bytes: stat.size, tables: countRows(path) }];
}

function countRows(path: string): StoredFile["tables"] {
  const { DatabaseSync } = process.getBuiltinModule("node:sqlite");
  try {
    const file = new DatabaseSync(path, { readOnly: true });
    try {
      const tables = file
        .prepare(
          "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name",
        )
        .all() as unknown as readonly { readonly name: string }[];
      return tables.map(({ name }) => {
        const row = file.prepare(`SELECT count(*) AS rows FROM "${name}"`).get();
        return { name, rows: Number(row?.["rows"]) };
      });
    } finally {
      file.close();
    }
  } catch (cause) {
    throw new ToolError(
      "store_unavailable",
      `${path} is no SQLite file that can be read: choose another place with --store, or restore it.`,
      { cause, retryable: false },
    );
  }
}

function describeFolder(path: string, holds: string): readonly StoredFile[] {
  if (!existsSync(path)) return [];
  const files = readdirSync(path, { withFileTypes: true }).filter((entry) => entry.isFile());
  const bytes = files.reduce((sum, { name }) => sum + statSync(join(path, name)).size, 0);
  return [{ path, holds, bytes, tables: [{ name: "files", rows: files.length }] }];
}
