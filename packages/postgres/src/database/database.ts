import { ToolError } from "@toolweave/core";
import type { Timers } from "@toolweave/stores/shared";
import { setTimeout as pause } from "node:timers/promises";
import pg from "pg";
import { migrations } from "./migrations.ts";
import { beginTransaction, queryWithSettings, startupOptions } from "./transaction-settings.ts";

/** A row by the names of its columns. */
export type Row = Readonly<Record<string, unknown>>;

/** A connection of a pool: a `PoolClient` of `pg`, or one like it. */
export interface PostgresClient {
  query(text: string, values?: unknown[]): Promise<{ readonly rows: readonly unknown[] }>;
  /** With an error: the connection is closed, and not used again. */
  release(error?: Error): void;
  /** Absent: the connection emits no errors of its own. */
  on?(event: "error", listener: (error: Error) => void): unknown;
  off?(event: "error", listener: (error: Error) => void): unknown;
}

/** A pool of connections: a `Pool` of `pg`, or one like it. */
export interface PostgresPool {
  connect(): Promise<PostgresClient>;
  /** Absent: its connections have a listener for errors from the beginning, or emit none. */
  on?(event: "connect", listener: (client: PostgresClient) => void): unknown;
}

/** How a database is reached. */
export interface DatabaseOptions {
  readonly connectionString?: string;
  readonly pool?: PostgresPool;
  readonly schema: string;
  readonly timers: Timers;
}

/** The wait for a new connection. */
export const connectMs = 2_000;
/** One statement, with the wait for its connection. */
export const deadlineMs = 5_000;
/** The server ends a statement before the client stops to wait for it. */
const statementMs = 4_500;
/** A statement is sent as often as this. */
export const maxAttempts = 3;
/** A process that uses the store tries to remove expired rows as often as this, in milliseconds. */
const sweepMs = 60_000;
const maxSwept = 1_000;
const minServer = 140_000;

/** SQLSTATE classes after which the same statement may succeed: connection, resources, operator intervention, conflict. */
const transientClasses: ReadonlySet<string> = new Set(["08", "53", "57", "40"]);
/** SQLSTATE of statements that another transaction was in the way of: nothing was done. */
const conflicts: ReadonlySet<string> = new Set(["40001", "40P01", "55P03"]);
/** Maximum pause before such a statement is sent again. */
const conflictMs = 50;
const undefinedFunction = "42883";

/** Statements with a deadline over a pool of connections. Every statement that is given to it may be sent again. */
export class Database {
  readonly schema: string;
  readonly timers: Timers;
  readonly #ownOptions: pg.PoolConfig | undefined;
  #pool: PostgresPool | undefined;
  #ownPool: pg.Pool | undefined;
  #ready: Promise<void> | undefined;
  #closed = false;
  #hasServerDeadline = true;
  #sweepAt = performance.now() + sweepMs;

  constructor({ connectionString, pool, schema, timers }: DatabaseOptions) {
    this.schema = schema;
    this.timers = timers;
    this.#pool = pool;
    if (pool !== undefined) keepProcess(pool);
    if (connectionString === undefined) return;
    this.#ownOptions = {
      connectionString,
      connectionTimeoutMillis: connectMs,
      keepAlive: true,
      allowExitOnIdle: true,
    };
  }

  /** False: the pooler does not accept a deadline of the server, so that only the client has one. */
  get hasServerDeadline(): boolean {
    return this.#hasServerDeadline;
  }

  /**
   * Runs one statement on a store that is up to date. After a lost connection it is sent again: it has to find out what
   * an earlier attempt has done.
   *
   * @param attempts how often it is sent.
   * @throws ToolError `store_unavailable`
   */
  async run(
    text: string,
    values: readonly unknown[] = [],
    attempts: number = maxAttempts,
  ): Promise<readonly Row[]> {
    await this.prepare();
    if (performance.now() >= this.#sweepAt) {
      this.#sweepAt = performance.now() + sweepMs;
      // If it fails, a later one removes the rows.
      this.sweep(maxSwept).catch(() => {});
    }
    return this.#attempts(text, values, attempts);
  }

  /** The only value of the only row. */
  async value(text: string, values: readonly unknown[] = []): Promise<unknown> {
    const [row] = await this.run(text, values);
    return row === undefined ? undefined : Object.values(row)[0];
  }

  /** Removes up to `max` expired rows of each table, unless another process is doing that. Their number. */
  async sweep(max: number): Promise<number> {
    await this.prepare();
    const [row] = await this.#attempts(
      `SELECT ${this.schema}.sweep($1) + ${this.schema}.sweep_version_2($1) AS rows`,
      [max],
    );
    return Number(row?.["rows"]);
  }

  /** Like `run`, without the check of the schema. */
  async inspect(text: string): Promise<readonly Row[]> {
    return this.#attempts(text, []);
  }

  /** Creates or updates the tables, once. A failure is tried again with the next statement. */
  prepare(): Promise<void> {
    this.#assertOpen();
    this.#ready ??= this.#prepare().catch((error: unknown) => {
      this.#ready = undefined;
      throw error;
    });
    return this.#ready;
  }

  /** @throws ToolError `store_unavailable`, also for a server that is too old. */
  async server(): Promise<{ readonly version: string; readonly isReadReplica: boolean }> {
    const [row] = await this.inspect(
      `SELECT current_setting('server_version') AS version, current_setting('server_version_num')::int AS number,
         pg_is_in_recovery() AS replica`,
    );
    if (Number(row?.["number"]) < minServer) {
      throw unavailable("needs PostgreSQL 14 or newer", { retryable: false });
    }
    return { version: row?.["version"] as string, isReadReplica: row?.["replica"] === true };
  }

  /** The version of the tables; 0: there are none. */
  async version(): Promise<number> {
    const [found] = await this.inspect(
      `SELECT to_regclass('${this.schema}.meta') IS NOT NULL AS there`,
    );
    if (found?.["there"] !== true) return 0;
    const [row] = await this.inspect(
      `SELECT value FROM ${this.schema}.meta WHERE name = 'schema_version'`,
    );
    return Number(row?.["value"] ?? 0);
  }

  /** Idempotent. Later statements fail with `store_unavailable`. */
  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#ownPool?.end().catch(() => {});
  }

  #assertOpen(): void {
    if (this.#closed) {
      throw new ToolError("store_unavailable", "The PostgreSQL store is closed.", {
        retryable: false,
      });
    }
  }

  async #prepare(): Promise<void> {
    if ((await this.server()).isReadReplica) {
      throw unavailable("is a read replica: connect to the primary");
    }
    if ((await this.version()) < migrations.length) await this.#migrate();
  }

  /** One transaction under a lock: another process that migrates is waited for. */
  async #migrate(): Promise<void> {
    const { schema } = this;
    const work = async (client: PostgresClient): Promise<void> => {
      await client.query(beginTransaction);
      await client.query("SELECT pg_advisory_xact_lock(hashtextextended($1, 0))", [
        `${schema}:migrate`,
      ]);
      await client.query(`CREATE SCHEMA IF NOT EXISTS ${schema}`);
      await client.query(
        `CREATE TABLE IF NOT EXISTS ${schema}.meta (name text PRIMARY KEY, value text NOT NULL)`,
      );
      const { rows } = await client.query(
        `SELECT value FROM ${schema}.meta WHERE name = 'schema_version'`,
      );
      const version = Number((rows[0] as Row | undefined)?.["value"] ?? 0);
      for (const step of migrations.slice(version)) await client.query(step(schema));
      await client.query(
        `INSERT INTO ${schema}.meta VALUES ('schema_version', $1)
         ON CONFLICT (name) DO UPDATE SET value = excluded.value
         WHERE meta.value::int < excluded.value::int`,
        [String(migrations.length)],
      );
      await client.query("COMMIT");
    };
    await this.#retried(() => this.#withClient(work), maxAttempts);
  }

  #attempts(
    text: string,
    values: readonly unknown[],
    attempts: number = maxAttempts,
  ): Promise<readonly Row[]> {
    return this.#retried(
      () =>
        this.#withClient(
          async (client) => (await queryWithSettings(client, text, values)) as readonly Row[],
        ),
      attempts,
    );
  }

  async #retried<T>(work: () => Promise<T>, attempts: number): Promise<T> {
    const until = performance.now() + deadlineMs;
    for (let attempt = 1; ;) {
      this.#assertOpen();
      try {
        return await work();
      } catch (error) {
        if (ToolError.is(error)) throw error;
        if (conflicts.has(sqlState(error) ?? "") && performance.now() < until) {
          await pause(Math.random() * conflictMs);
        } else if (attempt < attempts && isTransient(error)) attempt += 1;
        else throw toStoreError(error);
      }
    }
  }

  /** A connection that failed or timed out is closed. */
  #withClient<T>(work: (client: PostgresClient) => Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      let client: PostgresClient | undefined;
      let isOver = false;
      const end = (error?: unknown): void => {
        if (isOver) return;
        isOver = true;
        this.timers.clearTimeout(timer);
        client?.off?.("error", fail);
        client?.release(error === undefined ? undefined : toError(error));
      };
      const fail = (error: unknown): void => {
        end(error);
        reject(toError(error));
      };
      const timer = this.timers.setTimeout(
        () => fail(new Error(`PostgreSQL has not answered within ${deadlineMs} ms.`)),
        deadlineMs,
      );
      this.#connect()
        .then(async (connected) => {
          if (isOver) return void connected.release();
          client = connected;
          // Without a listener, a connection that ends while it is in use would end the process.
          connected.on?.("error", fail);
          const result = await work(connected);
          end();
          resolve(result);
        })
        .catch(fail);
    });
  }

  async #connect(): Promise<PostgresClient> {
    this.#pool ??= this.#openPool();
    try {
      return await this.#pool.connect();
    } catch (error) {
      // pgbouncer refuses parameters that it does not pass on.
      if (
        !this.#hasServerDeadline ||
        !/unsupported startup parameter/i.test(toError(error).message)
      ) {
        throw error;
      }
      this.#hasServerDeadline = false;
      this.#pool = this.#openPool();
      return this.#pool.connect();
    }
  }

  #openPool(): PostgresPool {
    this.#ownPool?.end().catch(() => {});
    const pool = new pg.Pool({
      ...this.#ownOptions,
      ...(this.#hasServerDeadline
        ? {
            statement_timeout: statementMs,
            idle_in_transaction_session_timeout: statementMs,
            options: startupOptions,
          }
        : {}),
    });
    keepProcess(pool);
    // An idle connection that ends is replaced by the next statement.
    pool.on("error", () => {});
    this.#ownPool = pool;
    return pool;
  }
}

/**
 * A server can end a connection in the packet that opens it, before the promise of `connect` is settled. Without a
 * listener, that would end the process.
 */
function keepProcess(pool: PostgresPool): void {
  pool.on?.("connect", (client) => void client.on?.("error", () => {}));
}

function toError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}

function sqlState(error: unknown): string | undefined {
  const { code } = error as { readonly code?: unknown };
  return typeof code === "string" && /^[0-9A-Z]{5}$/.test(code) ? code : undefined;
}

/** An error without an SQLSTATE is that of a connection. */
function isTransient(error: unknown): boolean {
  const state = sqlState(error);
  return state === undefined || transientClasses.has(state.slice(0, 2));
}

/** Faults of a connection by the codes of Node.js. */
const connectionFaults: Readonly<Record<string, string>> = {
  EAI_AGAIN: "its host has no address at the moment (EAI_AGAIN)",
  ECONNREFUSED: "no server accepts connections there; check the host and the port (ECONNREFUSED)",
  ECONNRESET: "the connection was closed (ECONNRESET)",
  EHOSTUNREACH: "no way leads to its host (EHOSTUNREACH)",
  ENOENT: "it has no socket there; check the path (ENOENT)",
  ENOTFOUND: "its host does not exist; check the name (ENOTFOUND)",
  ERR_INVALID_URL: "connectionString is no URL; encode special characters of the password",
  ETIMEDOUT: "its host does not answer (ETIMEDOUT)",
};

/** Faults that a person has to remove, by SQLSTATE (PostgreSQL, appendix A). */
const refusals: Readonly<Record<string, string>> = {
  "28000": "the login was refused; check the user and pg_hba.conf",
  "28P01": "the password was refused",
  "3D000": "its database does not exist; create it, or correct the name",
  "42501": "its role has too few rights; see the documentation of the store",
  "53300": "the server has no free connections",
  "57P03": "the server is starting, or is shutting down",
};

function toStoreError(error: unknown): ToolError {
  const state = sqlState(error);
  const retryable = isTransient(error);
  if (state === undefined) {
    const { code } = error as { readonly code?: unknown };
    const reason = connectionFaults[String(code)];
    return unavailable(`cannot be reached${reason === undefined ? "" : `: ${reason}`}`, {
      cause: error,
    });
  }
  if (state === undefinedFunction) {
    return unavailable("has tables of another version: run toolweave db migrate", { cause: error });
  }
  const reason = refusals[state];
  const what = reason === undefined ? "has refused a statement" : `cannot be used: ${reason}`;
  return unavailable(`${what} (SQLSTATE ${state})`, { cause: error, retryable });
}

/** `store_unavailable` about the database. It names neither its address nor its user. */
export function unavailable(
  text: string,
  options: { readonly cause?: unknown; readonly retryable?: boolean } = {},
): ToolError {
  return new ToolError("store_unavailable", `The PostgreSQL store ${text}.`, options);
}

/** `store_unavailable` for a claim that a promotion of the server may have forgotten. */
export function refusedClaim(): ToolError {
  return unavailable(
    "was promoted a moment ago, and may have forgotten who has claimed this call: try again after its leaseMs",
  );
}
