import { ToolError, type Clock } from "@toolweave/core";
import { checkOptions, systemClock } from "@toolweave/core/adapter";
import type {
  ArtifactIndex,
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
import {
  checkedStoreLimits,
  storeLimitNames,
  type StoreKey,
  type StoreLimitOptions,
} from "@toolweave/stores/shared";
import { Database, type PostgresPool } from "./database/database.ts";
import { resealAll, type ResealOptions, type ResealResult } from "./database/reseal.ts";
import { isRestored } from "./database/restored.ts";
import { Sealer } from "./database/seal.ts";
import { inspectDatabase, type PostgresInspection } from "./inspect.ts";
import { findProblems } from "./problems.ts";
import { PostgresArtifactIndex } from "./stores/artifact-index.ts";
import { PostgresArtifacts } from "./stores/artifacts.ts";
import { PostgresAudit } from "./stores/audit.ts";
import { PostgresCredentials } from "./stores/credentials.ts";
import { PostgresGrants } from "./stores/grants.ts";
import { PostgresLedger } from "./stores/ledger.ts";
import { postgresLists, type PostgresLists } from "./stores/lists.ts";
import { PostgresMemory } from "./stores/memories.ts";
import { PostgresPendingCalls } from "./stores/pending-calls.ts";
import { PostgresRateLimits } from "./stores/rate-limits.ts";
import { ReplicaTable, type PostgresReplicas } from "./stores/replicas.ts";
import { PostgresSchedules } from "./stores/schedules.ts";
import { PostgresTasks } from "./stores/tasks.ts";

/** Where a store is, and what it may take. */
export interface PostgresStoreOptions extends StoreLimitOptions {
  /** The primary, directly or through a pooler: `postgres://user:password@host/database`. */
  readonly connectionString?: string;
  /** In place of `connectionString`: a pool of `pg` that the host has, and ends itself. */
  readonly pool?: PostgresPool;
  /**
   * The address at which the store listens for changes of tasks, over one connection more: the server directly, since
   * notifications do not pass a pooler in transaction mode. `false`: it reads what is awaited four times a second, in one
   * statement. Default: `connectionString`; with a `pool`, `false`.
   */
  readonly listen?: string | false;
  /** Lower-case letters, digits and underscores; made if it is missing. Default: `toolweave`. */
  readonly schema?: string;
  /**
   * Seals credentials, tasks and the outcomes of the ledger: at least 32 bytes. To rotate it, pass a list: the first one seals, every one opens.
   * Default: none; credentials are refused.
   */
  readonly key?: StoreKey | readonly StoreKey[];
  /** A call whose decision could not be written to `audit` is refused. Default: false. */
  readonly auditRequired?: boolean;
  /** The timers of leases and deadlines. All times are the database's. Default: the platform's. */
  readonly timers?: Pick<Clock, "setTimeout" | "clearTimeout">;
}

/** Stores in a schema of PostgreSQL that any number of processes on any number of machines share. */
export interface PostgresStore {
  readonly pendingCalls: PendingCallStore;
  readonly grants: GrantStore;
  readonly rateLimits: RateLimitStore;
  readonly tasks: TaskStore;
  readonly artifacts: ArtifactStore;
  /** The calls of durable runs, each for 7 days after its last change. Outcomes are sealed with `key`. */
  readonly ledger: CallLedger;
  /** The processes that share the store. */
  readonly replicas: PostgresReplicas;
  /** For artifacts whose bytes are elsewhere (`@toolweave/s3`). They count against the same quotas. */
  readonly artifactIndex: ArtifactIndex;
  /** Sealed with `key`. */
  readonly credentials: CredentialStore;
  readonly schedules: ScheduleStore;
  /** The memory of agents. Not sealed: its words are indexed. */
  readonly memory: MemoryStore;
  /** The `cache` of MCP sources and of a search. */
  readonly lists: PostgresLists;
  /** Decisions: written by the executor, and read for people, newest first. */
  readonly audit: AuditSink & AuditReader;
  /**
   * Connects, and creates or updates the tables. Without it, the first operation does that.
   *
   * @throws ToolError `store_unavailable`
   */
  migrate(): Promise<void>;
  /**
   * Examines the database: versions, sizes, and whether this role can migrate it. No table is created or changed, and a
   * read replica is examined, too.
   *
   * @throws ToolError `store_unavailable`, also for a server before PostgreSQL 14.
   */
  inspect(): Promise<PostgresInspection>;
  /**
   * Reports everything that makes the guarantees weaker than they are documented, one sentence each: settings of the
   * server, a missing key.
   *
   * @throws ToolError `store_unavailable`
   */
  problems(): Promise<readonly string[]>;
  /**
   * Removes up to `max` expired rows of each table, if no other process does that at the moment.
   *
   * @param max default: 1,000.
   * @returns the number of rows.
   * @throws ToolError `store_unavailable`
   */
  prune(max?: number): Promise<number>;
  /**
   * Seals all values again that were not sealed with the first key of `key`, in batches, so that the other keys can be
   * removed. All processes must have the new key first. May be repeated, and run beside other processes.
   *
   * @returns the number of values that were sealed again, and of those that no key opens.
   * @throws ToolError `invalid_configuration` without `key`, `store_unavailable`
   */
  reseal(options?: ResealOptions): Promise<ResealResult>;
  /**
   * Drops no data; once their lease has expired, open claims are reported as `unfinished` and unfinished tasks as
   * `lost`. Idempotent.
   */
  close(): void;
  [Symbol.dispose](): void;
}

const optionNames: readonly string[] = [
  ...storeLimitNames,
  "connectionString",
  "pool",
  "listen",
  "schema",
  "key",
  "auditRequired",
  "timers",
] satisfies readonly (keyof PostgresStoreOptions)[];

/**
 * Opens the stores in a PostgreSQL database. It connects with the first operation, and creates the tables if they are
 * missing. PostgreSQL 14 or newer; poolers in transaction mode work.
 *
 * If the database cannot be reached, operations fail with a `ToolError` `store_unavailable` within some seconds.
 *
 * @throws ToolError `invalid_configuration` for invalid options.
 */
export function postgresStore(options: PostgresStoreOptions): PostgresStore {
  checkOptions("postgresStore", options, optionNames);
  const { connectionString, pool, schema = "toolweave", timers = systemClock, key = [] } = options;
  if ((typeof connectionString === "string") === (typeof pool?.connect === "function")) {
    throw invalid("pass connectionString or pool, and not both.");
  }
  if (connectionString !== undefined && !isAddress(connectionString)) {
    throw invalid("connectionString takes the URL of a database: postgres://user@host:5432/name.");
  }
  const { listen = connectionString ?? false } = options;
  if (listen !== false && (typeof listen !== "string" || listen === "")) {
    throw invalid("listen takes an address such as connectionString does, or false.");
  }
  if (typeof schema !== "string" || !/^[a-z_][a-z0-9_]{0,47}$/.test(schema)) {
    throw invalid("schema takes lower-case letters, digits and underscores, 48 at most.");
  }
  const { leaseMs, ...limits } = checkedStoreLimits("postgresStore", options);
  const keys = typeof key === "string" || key instanceof Uint8Array ? [key] : key;
  if (options.key !== undefined && keys.length === 0) {
    throw invalid("key is an empty list; give it a key, or leave it out.");
  }
  const sealer = new Sealer(keys);
  const db = new Database({
    schema,
    timers,
    ...(connectionString === undefined ? {} : { connectionString }),
    ...(pool === undefined ? {} : { pool }),
  });
  const leases = { leaseMs, clock: timers };
  const pendingCalls = new PostgresPendingCalls(db, { ...leases, ...limits.pendingCalls });
  const rateLimits = new PostgresRateLimits(db, leases);
  const tasks = new PostgresTasks(db, sealer, {
    ...leases,
    ...limits.tasks,
    listen: listen === false ? undefined : listen,
  });
  const credentials = new PostgresCredentials(db, sealer, leases);
  const schedules = new PostgresSchedules(db, { ...leases, ...limits.schedules });
  const ledger = new PostgresLedger(db, sealer, leases);
  const replicas = new ReplicaTable(db, leases);
  const close = (): void => {
    const parts = [pendingCalls, rateLimits, tasks, schedules, credentials, ledger, replicas];
    for (const part of parts) part.stop();
    db.close();
  };
  return {
    pendingCalls,
    grants: new PostgresGrants(db),
    rateLimits,
    tasks,
    artifacts: new PostgresArtifacts(db, leaseMs, limits.artifacts),
    ledger,
    replicas,
    artifactIndex: new PostgresArtifactIndex(db, limits.artifacts),
    credentials,
    schedules,
    memory: new PostgresMemory(db, limits.memories),
    lists: postgresLists(db),
    audit: new PostgresAudit(db, options.auditRequired ?? false),
    migrate: async () => {
      await db.prepare();
      // A dump then has the identity of the database that it is of.
      await isRestored(db);
    },
    inspect: () => inspectDatabase(db),
    problems: () => findProblems(db, { hasKey: sealer.hasKey, listener: () => tasks.listening() }),
    prune: (max = 1_000) => db.sweep(max),
    reseal: (resealOptions) => resealAll(db, sealer, resealOptions),
    close,
    [Symbol.dispose]: close,
  };
}

/** URLs of PostgreSQL, and paths of a socket. */
function isAddress(text: string): boolean {
  return /^(?:postgres(?:ql)?:\/\/|socket:|\/)/.test(text);
}

function invalid(text: string): ToolError {
  return new ToolError("invalid_configuration", `postgresStore: ${text}`);
}
