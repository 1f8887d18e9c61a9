import type { SharedStore } from "@toolweave/config";
import { ToolError } from "@toolweave/core";
import type { PostgresClient, PostgresPool } from "@toolweave/postgres";
import type { Pool, PoolConfig } from "pg";

/** A table of a store, and what it holds. */
export interface TableSize {
  readonly name: string;
  readonly rows: number;
  /** The rows are an estimate of the server, since there are many. */
  readonly isEstimate: boolean;
  /** With its indexes. */
  readonly bytes: number;
}

/** The state of a database. */
export interface DatabaseState {
  /** Such as `15.18`. */
  readonly server: string;
  /** Milliseconds for one statement on an open connection: the median of five. */
  readonly latencyMs: number;
  /** The version of the tables; 0: there are none. */
  readonly tablesVersion: number;
  /** The tables are older than this program needs. */
  readonly isOutdated: boolean;
  readonly tables: readonly TableSize[];
  /** Everything that weakens the guarantees, one sentence each. */
  readonly problems: readonly string[];
}

/** The default of `postgresStore`. */
export const databaseSchema = "toolweave";

const connectMs = 2_000;
/** One statement. The server ends it before the client stops to wait for it. */
const deadlineMs = 5_000;
const statementMs = 4_500;
const latencySamples = 5;
/** Up to this number, rows are counted. */
const maxCounted = 100_000;

/**
 * Examines a database. No table is created or changed.
 *
 * @throws ToolError `store_unavailable`
 */
export function inspectDatabase(store: SharedStore): Promise<DatabaseState> {
  return withPool(store, async (pool) => {
    const [server] = await rowsOf(
      pool,
      "SELECT current_setting('server_version') AS version, pg_is_in_recovery() AS replica",
    );
    const latencyMs = await measureLatency(pool);
    const tablesVersion = await readTablesVersion(pool);
    const tables = tablesVersion === 0 ? [] : await measureTables(pool);
    const state = {
      server: String(server?.["version"]).split(" ")[0] ?? "",
      latencyMs,
      tablesVersion,
      tables,
    };
    if (server?.["replica"] === true) {
      const problem =
        "The server is a read replica, which accepts no writes: connect to the primary.";
      return { ...state, isOutdated: false, problems: [problem] };
    }
    if (tablesVersion === 0) return { ...state, isOutdated: false, problems: [] };
    return { ...state, ...(await findProblems(pool, store)) };
  });
}

/**
 * Reads the version of the tables; 0: there are none.
 *
 * @throws ToolError `store_unavailable`
 */
export function readDatabaseVersion(store: SharedStore): Promise<number> {
  return withPool(store, readTablesVersion);
}

/** Connects as `postgresStore` does: poolers that refuse a deadline of the server get none. */
async function withPool<T>(store: SharedStore, work: (pool: Pool) => Promise<T>): Promise<T> {
  const pool =
    (await connect(store, { statement_timeout: statementMs })) ?? (await connect(store, {}));
  try {
    if (pool === undefined) throw new Error("The pooler refuses every connection.");
    return await work(pool);
  } catch (error) {
    throw store.explain(error);
  } finally {
    await pool?.end();
  }
}

/** Undefined: the pooler refuses the options. */
async function connect(store: SharedStore, options: PoolConfig): Promise<Pool | undefined> {
  const { default: pg } = await import("pg");
  const pool = new pg.Pool({
    connectionString: store.url,
    max: 2,
    connectionTimeoutMillis: connectMs,
    query_timeout: deadlineMs,
    ...options,
  });
  // An idle connection that ends is replaced by the next statement.
  pool.on("error", () => {});
  try {
    (await pool.connect()).release();
    return pool;
  } catch (error) {
    await pool.end();
    if (/unsupported startup parameter/i.test(String(error))) return undefined;
    throw store.explain(error);
  }
}

async function rowsOf(pool: Pool, text: string): Promise<readonly Record<string, unknown>[]> {
  return (await pool.query<Record<string, unknown>>(text)).rows;
}

async function measureLatency(pool: Pool): Promise<number> {
  const samples: number[] = [];
  for (let count = 0; count < latencySamples; count++) {
    const start = performance.now();
    await pool.query("SELECT 1");
    samples.push(performance.now() - start);
  }
  const median = samples.sort((a, b) => a - b)[Math.floor(latencySamples / 2)] ?? 0;
  return Math.round(median * 100) / 100;
}

async function readTablesVersion(pool: Pool): Promise<number> {
  const [found] = await rowsOf(
    pool,
    `SELECT to_regclass('${databaseSchema}.meta') IS NOT NULL AS there`,
  );
  if (found?.["there"] !== true) return 0;
  const [row] = await rowsOf(
    pool,
    `SELECT value FROM ${databaseSchema}.meta WHERE name = 'schema_version'`,
  );
  return Number(row?.["value"] ?? 0);
}

async function measureTables(pool: Pool): Promise<readonly TableSize[]> {
  const tables = await rowsOf(
    pool,
    `SELECT c.relname AS name, pg_total_relation_size(c.oid) AS bytes, c.reltuples AS estimate
     FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
     WHERE n.nspname = '${databaseSchema}' AND c.relkind IN ('r', 'p') ORDER BY c.relname`,
  );
  const measured: TableSize[] = [];
  for (const table of tables) {
    const name = String(table["name"]);
    const [counted] = await rowsOf(
      pool,
      `SELECT count(*) AS rows FROM
         (SELECT 1 FROM ${databaseSchema}."${name}" LIMIT ${maxCounted + 1}) AS counted`,
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

async function findProblems(
  pool: Pool,
  { keys }: SharedStore,
): Promise<Pick<DatabaseState, "isOutdated" | "problems">> {
  const { postgresStore } = await import("@toolweave/postgres");
  const store = postgresStore({
    pool: withoutTransactions(pool),
    schema: databaseSchema,
    key: keys,
  });
  try {
    return { isOutdated: false, problems: await store.problems() };
  } catch (error) {
    if (!(ToolError.is(error) && error.cause instanceof TransactionRefused)) throw error;
    return { isOutdated: true, problems: [] };
  } finally {
    store.close();
  }
}

/** A check would have to update the tables. */
class TransactionRefused extends Error {
  /** That of a read-only transaction, so that it is not tried again. */
  readonly code = "25006";
}

/** Only the update of tables is a transaction of several statements: a check leaves them as they are. */
function withoutTransactions(pool: Pool): PostgresPool {
  return {
    async connect(): Promise<PostgresClient> {
      const client = await pool.connect();
      return {
        query(text, values) {
          if (/^\s*BEGIN\b/i.test(text)) throw new TransactionRefused("The tables are outdated.");
          return client.query(text, values);
        },
        release: (error) => client.release(error),
      };
    },
  };
}
