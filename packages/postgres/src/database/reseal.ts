import { createHash } from "node:crypto";
import { ToolError } from "@toolweave/core";
import type { Database, Row } from "./database.ts";
import { sealNames, type Sealer } from "./seal.ts";

/** Counts of `reseal`. */
export interface ResealResult {
  /** Values that were not sealed with the first key, and now are. */
  readonly resealed: number;
  /** Values that no key of the store opens. They are left as they are. */
  readonly unreadable: number;
}

/** The state of a `reseal` that runs. */
export interface ResealProgress extends ResealResult {
  /** Values that were examined so far. Their total is not known. */
  readonly examined: number;
}

/** The options of `reseal`. */
export interface ResealOptions {
  /** Called after each batch. If it throws, `reseal` ends with that error; what is sealed again stays so. */
  readonly onProgress?: (progress: ResealProgress) => void;
}

/** A column with sealed values. */
interface SealedColumn {
  readonly table: string;
  readonly column: string;
  readonly key: readonly string[];
  readonly toSealName: (...key: readonly string[]) => string;
}

const columns: readonly SealedColumn[] = [
  { table: "credentials", column: "sealed", key: ["name"], toSealName: sealNames.credential },
  { table: "tasks", column: "task", key: ["id"], toSealName: sealNames.task },
  { table: "tasks", column: "change", key: ["id"], toSealName: sealNames.taskChange },
  {
    table: "ledger",
    column: "outcome",
    key: ["run_id", "call_id"],
    toSealName: sealNames.outcome,
  },
];

/** Rows of one statement. A row is at most some MiB. */
const batch = 100;

/**
 * Seals all values again that were not sealed with the first key, in batches. A value that changes meanwhile keeps its
 * change.
 *
 * @throws ToolError `invalid_configuration` without a key, `store_unavailable`
 */
export async function resealAll(
  db: Database,
  sealer: Sealer,
  { onProgress }: ResealOptions = {},
): Promise<ResealResult> {
  const prefix = sealer.prefix;
  if (prefix === undefined) {
    throw new ToolError(
      "invalid_configuration",
      "postgresStore: reseal needs a key: postgresStore({ connectionString, key: [newKey, oldKey] }).",
    );
  }
  let resealed = 0;
  let unreadable = 0;
  let examined = 0;
  for (const column of columns) {
    let last: readonly string[] | undefined;
    for (;;) {
      const rows = await readBatch(db, column, prefix, last);
      const end = rows.at(-1);
      if (end === undefined) break;
      last = toKey(column, end);
      const changes = rows.flatMap((row) => toChange(column, row, sealer) ?? []);
      unreadable += rows.filter((row) => row["stale"] !== null).length - changes.length;
      resealed += changes.length;
      if (changes.length > 0) await write(db, column, changes);
      examined += rows.length;
      onProgress?.({ examined, resealed, unreadable });
    }
  }
  return { resealed, unreadable };
}

/** The next rows in the order of their key, so that a statement takes the same time in a table of any size. */
function readBatch(
  db: Database,
  { table, column, key }: SealedColumn,
  prefix: Buffer,
  last: readonly string[] | undefined,
): Promise<readonly Row[]> {
  const names = key.join(", ");
  const after = key.map((_, index) => `$${index + 2}`).join(", ");
  return db.run(
    `SELECT ${names}, CASE WHEN substring(${column} FROM 1 FOR ${prefix.length}) <> $1 THEN ${column} END AS stale
     FROM ${db.schema}.${table} ${last === undefined ? "" : `WHERE (${names}) > (${after})`}
     ORDER BY ${names} LIMIT ${batch}`,
    [prefix, ...(last ?? [])],
  );
}

interface Change {
  readonly key: readonly string[];
  readonly digest: Buffer;
  readonly sealed: Buffer;
}

/** Undefined: it is sealed with the first key, or no key opens it. */
function toChange(column: SealedColumn, row: Row, sealer: Sealer): Change | undefined {
  const stale = row["stale"] as Uint8Array | null;
  if (stale === null) return undefined;
  const key = toKey(column, row);
  const name = column.toSealName(...key);
  try {
    const sealed = sealer.seal(sealer.open(stale, name), name);
    return { key, digest: createHash("sha256").update(stale).digest(), sealed };
  } catch {
    return undefined;
  }
}

async function write(
  db: Database,
  { table, column, key }: SealedColumn,
  changes: readonly Change[],
): Promise<void> {
  const lists = key.map((_, index) => changes.map((change) => change.key[index]));
  const types = [...key.map(() => "text"), "bytea", "bytea"];
  const parameters = types.map((type, index) => `$${index + 1}::${type}[]`).join(", ");
  const isSame = key.map((name) => `t.${name} = c.${name}`).join(" AND ");
  await db.run(
    `UPDATE ${db.schema}.${table} t SET ${column} = c.new_value
     FROM unnest(${parameters}) AS c (${key.join(", ")}, old_digest, new_value)
     WHERE ${isSame} AND sha256(t.${column}) = c.old_digest`,
    [...lists, changes.map(({ digest }) => digest), changes.map(({ sealed }) => sealed)],
  );
}

function toKey({ key }: SealedColumn, row: Row): readonly string[] {
  return key.map((name) => row[name] as string);
}
