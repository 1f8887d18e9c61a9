import type { Database } from "./database/database.ts";
import { migrations } from "./database/migrations.ts";

/** A table of a store, and what it holds. */
export interface TableSize {
  readonly name: string;
  readonly rows: number;
  /** The rows are an estimate of the server, since there are more than 100,000. */
  readonly isEstimate: boolean;
  /** With its indexes. */
  readonly bytes: number;
}

/** Result of `inspect` of a store. */
export interface PostgresInspection {
  /** The version of the server, such as `15.18`. */
  readonly server: string;
  /** The server is a read replica, on which the store does not work. */
  readonly isReadReplica: boolean;
  /** Milliseconds for one statement on an open connection: the median of five. */
  readonly latencyMs: number;
  /** The schema of the tables. */
  readonly schema: string;
  /** The version of the tables; 0: there are none. */
  readonly tablesVersion: number;
  /** The version to which `migrate` updates the tables. It leaves those of a later version as they are. */
  readonly knownTablesVersion: number;
  /** `migrate` can create and update tables: the server is the primary, and the role has the rights. */
  readonly canMigrate: boolean;
  /** By name. */
  readonly tables: readonly TableSize[];
}

const latencySamples = 5;
/** Up to this number, rows are counted. */
const maxCounted = 100_000;

/**
 * Examines a database. No table is created or changed.
 *
 * @throws ToolError `store_unavailable`, also for a server before PostgreSQL 14.
 */
export async function inspectDatabase(db: Database): Promise<PostgresInspection> {
  const { version, isReadReplica } = await db.server();
  const latencyMs = await measureLatency(db);
  const tablesVersion = await db.version();
  return {
    // Distributions add their own version: `15.18 (Debian 15.18-0+deb12u1)`.
    server: version.split(" ")[0] ?? "",
    isReadReplica,
    latencyMs,
    schema: db.schema,
    tablesVersion,
    knownTablesVersion: migrations.length,
    canMigrate: !isReadReplica && (await mayMigrate(db)),
    tables: tablesVersion === 0 ? [] : await measureTables(db),
  };
}

async function measureLatency(db: Database): Promise<number> {
  const samples: number[] = [];
  for (let count = 0; count < latencySamples; count++) {
    const start = performance.now();
    await db.inspect("SELECT 1");
    samples.push(performance.now() - start);
  }
  const median = samples.sort((a, b) => a - b)[Math.floor(latencySamples / 2)] ?? 0;
  return Math.round(median * 100) / 100;
}

/** `CREATE SCHEMA IF NOT EXISTS` needs the right to create one even if it exists; changes need the owner of the tables. */
async function mayMigrate(db: Database): Promise<boolean> {
  const [row] = await db.inspect(
    `SELECT has_database_privilege(current_database(), 'CREATE') AND NOT EXISTS (
       SELECT FROM pg_namespace n LEFT JOIN pg_class c ON c.relnamespace = n.oid AND c.relname = 'meta'
       WHERE n.nspname = '${db.schema}'
         AND NOT (has_schema_privilege(n.oid, 'CREATE') AND coalesce(pg_has_role(c.relowner, 'USAGE'), true))
     ) AS allowed`,
  );
  return row?.["allowed"] === true;
}

async function measureTables(db: Database): Promise<readonly TableSize[]> {
  const tables = await db.inspect(
    `SELECT c.relname AS name, pg_total_relation_size(c.oid) AS bytes, c.reltuples AS estimate
     FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
     WHERE n.nspname = '${db.schema}' AND c.relkind IN ('r', 'p') ORDER BY c.relname`,
  );
  const measured: TableSize[] = [];
  for (const table of tables) {
    const name = String(table["name"]);
    const [counted] = await db.inspect(
      `SELECT count(*) AS rows FROM
         (SELECT 1 FROM ${db.schema}."${name.replaceAll('"', '""')}" LIMIT ${maxCounted + 1}) AS counted`,
    );
    const rows = Number(counted?.["rows"]);
    const isEstimate = rows > maxCounted;
    measured.push({
      name,
      rows: isEstimate ? Math.max(rows, Math.round(Number(table["estimate"]))) : rows,
      isEstimate,
      bytes: Number(table["bytes"]),
    });
  }
  return measured;
}
