import { ToolError } from "@toolweave/core";
import { isDistinctive } from "@toolweave/core/adapter";
import type {
  ArtifactStore,
  AuditReader,
  AuditSink,
  CallLedger,
  CredentialStore,
  GrantStore,
  MemoryStore,
  PendingCallStore,
  RateLimitStore,
  ScheduleStore,
  TaskStore,
} from "@toolweave/core/stores";
import { explainConnectionError, explainStoreError } from "./connection-error.ts";
import { readDatabaseAddress, readPasswords } from "./database-url.ts";
import { explainErrors } from "./explain-errors.ts";
import { missingKeyError, readStoreKeys } from "./store-keys.ts";

/** The stores in a database: those of `postgresStore` of `@toolweave/postgres`. */
export interface SharedStores {
  readonly pendingCalls: PendingCallStore;
  readonly grants: GrantStore;
  readonly rateLimits: RateLimitStore;
  readonly tasks: TaskStore;
  readonly artifacts: ArtifactStore;
  readonly credentials: CredentialStore;
  readonly schedules: ScheduleStore;
  readonly memory: MemoryStore;
  readonly audit: AuditSink & AuditReader;
  /** Absent: the installed version of the package has none. */
  readonly ledger?: CallLedger;
  /** Connects, and creates or updates the tables. */
  migrate(): Promise<void>;
  /** Everything that makes the guarantees weaker than they are documented, one sentence each. */
  problems(): Promise<readonly string[]>;
  /** Removes up to `max` expired rows of each table. Returns their number. */
  prune(max?: number): Promise<number>;
}

/** A PostgreSQL database that is the store of several machines. */
export interface SharedStore {
  /** The URL as it is written: with references in place of secrets. */
  readonly written: string;
  /** Host, port and database, for messages: `db.example.com:5432/app`. */
  readonly location: string;
  /** The URL, which may have a password. */
  readonly url: string;
  /** The keys, the one that encrypts first; an empty list: there is none. */
  readonly keys: readonly string[];
  /** The error of every operation that needs a key; undefined: there is one. */
  readonly missingKey: ToolError | undefined;
  /** Values that must not be displayed. */
  readonly secrets: readonly string[];
  /**
   * Loads `@toolweave/postgres`, once. The first operation of a store connects, and creates the tables if they are
   * missing. Errors of operations do not name the database: their cause does, without user and password.
   *
   * @throws ToolError `invalid_configuration` if the package is not installed.
   */
  open(): Promise<SharedStores>;
  /**
   * Calls a listener with the cause of each error of an operation, for the operator's log: it names the location.
   *
   * @returns what removes the listener.
   */
  onUnavailable(listener: (cause: Error) => void): () => void;
  /**
   * Describes an error of a connection to the database: what has happened, where, and what to do.
   *
   * @returns a `ToolError` `store_unavailable`; the error itself if it is a `ToolError` about something else.
   */
  explain(error: unknown): unknown;
  /** Ends the connections. Idempotent. */
  close(): Promise<void>;
}

/** The options of `sharedStore`. */
export interface SharedStoreOptions {
  /** The URL as it is written in a file or an option. Default: its location. */
  readonly written?: string;
  /** The variables with the keys: `TOOLWEAVE_KEY`, `TOOLWEAVE_OLD_KEYS`. Default: `process.env`. */
  readonly env?: Readonly<Record<string, string | undefined>>;
}

/**
 * Makes the store of a `postgres://` URL. Nothing is loaded or connected yet.
 *
 * @throws ToolError `invalid_configuration` for a URL that is invalid, and for keys that are too short.
 */
export function sharedStore(url: string, options: SharedStoreOptions = {}): SharedStore {
  const address = readDatabaseAddress(url);
  if (address === undefined) {
    throw new ToolError(
      "invalid_configuration",
      "This is no valid URL of a database: write postgres://USER:${DB_PASSWORD}@HOST:5432/DATABASE, with the password in an environment variable.",
    );
  }
  const { host, port, database } = address;
  const location = `${host}:${port}/${database}`;
  const keys = readStoreKeys(options.env ?? process.env);
  let opened: Promise<{ readonly stores: SharedStores; close(): void }> | undefined;
  const listeners = new Set<(cause: Error) => void>();
  const explain = (error: unknown): unknown => {
    const explained = explainStoreError(error, location);
    const { cause } = explained as { readonly cause?: unknown };
    if (explained !== error && cause instanceof Error)
      for (const listen of listeners) listen(cause);
    return explained;
  };
  return {
    url,
    location,
    keys,
    missingKey: keys.length > 0 ? undefined : missingKeyError(location),
    written: options.written ?? `postgres://${location}`,
    secrets: [url, ...readPasswords(url).filter(isDistinctive)],
    open: async () => (await (opened ??= openStores(url, location, keys, explain))).stores,
    onUnavailable: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    explain: (error) => explainConnectionError(error, location),
    close: async () => {
      const [result] = await Promise.allSettled([opened]);
      if (result.status === "fulfilled") result.value?.close();
    },
  };
}

async function openStores(
  connectionString: string,
  location: string,
  key: readonly string[],
  explain: (error: unknown) => unknown,
): Promise<{ readonly stores: SharedStores; close(): void }> {
  const { postgresStore } = await importPostgres();
  const { close, ...stores } = postgresStore({
    connectionString,
    ...(key.length > 0 ? { key } : {}),
  });
  const explained = explainErrors(stores, explain);
  return {
    stores: key.length > 0 ? explained : { ...explained, credentials: refuse(location) },
    close,
  };
}

async function importPostgres(): Promise<typeof import("@toolweave/postgres")> {
  try {
    return await import("@toolweave/postgres");
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== "ERR_MODULE_NOT_FOUND") throw cause;
    throw new ToolError(
      "invalid_configuration",
      "The store is a PostgreSQL database, which needs a package that is not installed: npm install @toolweave/postgres",
      { cause },
    );
  }
}

/** Credentials are never stored unencrypted. The message may reach a model, so that it does not name the database. */
function refuse(location: string): CredentialStore {
  const fail = (): never => {
    throw new ToolError(
      "invalid_configuration",
      "No tokens are stored, since the store has no key: its operator has to set TOOLWEAVE_KEY.",
      { cause: missingKeyError(location) },
    );
  };
  return { get: fail, set: fail, delete: fail };
}
