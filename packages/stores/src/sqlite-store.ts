import { resolve } from "node:path";
import { ToolError, type Clock, type Grant } from "@toolweave/core";
import type {
  ArtifactIndex,
  ArtifactStore,
  CallLedger,
  CredentialStore,
  GrantStore,
  MemoryStore,
  PendingCallStore,
  RateLimitStore,
  ScheduleStore,
  TaskStore,
} from "@toolweave/core/stores";
import { checkOptions } from "@toolweave/core/adapter";
import type { SteadyClock } from "./clock-steps.ts";
import { checkedCount, checkedQuota } from "./described-artifact.ts";
import { SqliteArtifactIndex } from "./sqlite-artifact-index.ts";
import { SqliteArtifacts } from "./sqlite-artifacts.ts";
import { memoryPath, SqliteFile } from "./sqlite-file.ts";
import { SqliteCredentials } from "./sqlite-credentials.ts";
import { SqliteLedger } from "./sqlite-ledger.ts";
import { SqliteMemory } from "./sqlite-memory.ts";
import { SqlitePendingCalls } from "./sqlite-pending-calls.ts";
import { SqliteRateLimits } from "./sqlite-rate-limits.ts";
import { SqliteSchedules } from "./sqlite-schedules.ts";
import { SqliteTasks } from "./sqlite-tasks.ts";

/** Where a store is, and by which clock it goes. */
export interface SqliteStoreOptions {
  /**
   * The file, made with mode 0600; a folder that is missing is made with mode 0700. It must lie on a
   * local disk. `:memory:` for one that lives no longer than the store.
   */
  readonly path: string;
  /**
   * Milliseconds after which the claims of an ended process are reported as `unfinished`, and its tasks as `lost`, and
   * its reservations begin to expire. Renewed three times as often. Default: 30,000.
   */
  readonly leaseMs?: number;
  /** Bytes of all artifacts together. Default: 1,073,741,824 (1 GiB). */
  readonly maxArtifactBytes?: number;
  /**
   * Bytes of the artifacts of one owner (`quotaOwner` of `@toolweave/core`: a caller over all its sessions), so that
   * one cannot use up the space of all; beyond it, `limit_exceeded`. Default: a quarter of `maxArtifactBytes`.
   */
  readonly maxArtifactBytesPerOwner?: number;
  /** Calls of one owner that wait for a person; beyond, `limit_exceeded`. Default: 2,500. */
  readonly maxPendingCallsPerOwner?: number;
  /**
   * Tasks of one owner. Those that have ended make room, the first to end first; when none has, `limit_exceeded`.
   * Default: 2,500, of 10,000 of all.
   */
  readonly maxTasksPerOwner?: number;
  /** Memories of one owner, a caller with one agent; beyond, `limit_exceeded`. Default: 10,000. */
  readonly maxMemoriesPerOwner?: number;
  /** Scheduled jobs of one owner; beyond, `limit_exceeded`. Default: 100. */
  readonly maxSchedulesPerOwner?: number;
  /** Default: the database's. All who share the file must go by the same one. */
  readonly clock?: Clock;
  /**
   * Milliseconds that only advance, at the pace of `clock`, and are the same in every process of the machine. When
   * `clock` goes more than a second ahead of it or falls behind, because it was set, leases keep their remaining time.
   * Default: the machine's time since its start; with a `clock` none.
   */
  readonly steadyClock?: SteadyClock;
}

/** Stores in one SQLite file that any number of processes of one machine may share. */
export interface SqliteStore {
  readonly pendingCalls: PendingCallStore;
  readonly grants: GrantStore;
  readonly rateLimits: RateLimitStore;
  readonly artifacts: ArtifactStore;
  /** For artifacts whose bytes are elsewhere (`@toolweave/s3`). They count against the same quotas. */
  readonly artifactIndex: ArtifactIndex;
  readonly tasks: TaskStore;
  /** The calls of durable runs, each for 7 days after its last change. Not encrypted. */
  readonly ledger: CallLedger;
  /** The memory of agents. Words are found by a full-text index. Not encrypted. */
  readonly memory: MemoryStore;
  /** Calls that are made later. Not encrypted. */
  readonly schedules: ScheduleStore;
  /** Not encrypted. */
  readonly credentials: CredentialStore;
  /**
   * Drops no data; once their lease has expired, open claims are reported as `unfinished` and unfinished tasks as
   * `lost`. Idempotent.
   */
  close(): void;
  [Symbol.dispose](): void;
}

const optionNames: readonly string[] = [
  "path",
  "leaseMs",
  "maxArtifactBytes",
  "maxArtifactBytesPerOwner",
  "maxPendingCallsPerOwner",
  "maxTasksPerOwner",
  "maxMemoriesPerOwner",
  "maxSchedulesPerOwner",
  "clock",
  "steadyClock",
] satisfies readonly (keyof SqliteStoreOptions)[];

const maxTimerMs = 2_147_483_647;

/**
 * Opens the stores in an SQLite file, or makes them. An added record is on the disk before `add` resolves. A write
 * waits up to 5 seconds for other processes.
 *
 * If the file is locked, full, read-only, damaged, deleted or closed, operations fail with a `ToolError`
 * `store_unavailable` that names it. Operations that had resolved are not lost.
 *
 * @throws ToolError `store_unavailable` when the file cannot be opened, is of a newer version, or is no store;
 * `invalid_configuration` for invalid options.
 */
export function sqliteStore(options: string | SqliteStoreOptions): SqliteStore {
  // Without types nothing at all may be given.
  const given = typeof options === "object" && options !== null ? options : { path: options };
  checkOptions("sqliteStore", given, optionNames);
  const { path, leaseMs = 30_000, clock, steadyClock } = given;
  if (typeof path !== "string" || path === "") {
    throw new ToolError(
      "invalid_configuration",
      `sqliteStore needs a path: sqliteStore("approvals.sqlite").`,
    );
  }
  if (!(leaseMs > 0 && leaseMs <= maxTimerMs)) {
    throw new ToolError(
      "invalid_configuration",
      `sqliteStore: leaseMs is ${leaseMs}; use 1 to ${maxTimerMs}, in milliseconds.`,
    );
  }
  const maxArtifactBytes = checkedQuota("sqliteStore: maxArtifactBytes", given.maxArtifactBytes);
  const maxArtifactBytesPerOwner = checkedQuota(
    "sqliteStore: maxArtifactBytesPerOwner",
    given.maxArtifactBytesPerOwner ?? maxArtifactBytes / 4,
  );
  const maxPendingCallsPerOwner = checkedCount(
    "sqliteStore: maxPendingCallsPerOwner",
    given.maxPendingCallsPerOwner,
  );
  const maxPerOwner = checkedCount(
    "sqliteStore: maxMemoriesPerOwner",
    given.maxMemoriesPerOwner ?? 10_000,
  );
  const maxSchedulesPerOwner = checkedCount(
    "sqliteStore: maxSchedulesPerOwner",
    given.maxSchedulesPerOwner ?? 100,
  );
  const maxTasksPerOwner = checkedCount("sqliteStore: maxTasksPerOwner", given.maxTasksPerOwner);
  const file = new SqliteFile(path === memoryPath ? path : resolve(path), clock, steadyClock);
  const leases = { leaseMs, clock };
  try {
    const pendingCalls = new SqlitePendingCalls(file, { ...leases, maxPendingCallsPerOwner });
    const rateLimits = new SqliteRateLimits(file, leases);
    const schedules = new SqliteSchedules(file, { ...leases, maxPerOwner: maxSchedulesPerOwner });
    const tasks = new SqliteTasks(file, { ...leases, maxTasksPerOwner });
    const credentials = new SqliteCredentials(file, leases);
    const ledger = new SqliteLedger(file, leases);
    const close = (): void => {
      pendingCalls.stop();
      rateLimits.stop();
      tasks.stop();
      schedules.stop();
      ledger.stop();
      credentials.stop();
      file.close();
    };
    const quotas = { maxArtifactBytes, maxArtifactBytesPerOwner };
    return {
      pendingCalls,
      grants: new SqliteGrants(file),
      rateLimits,
      artifacts: new SqliteArtifacts(file, { leaseMs, ...quotas }),
      artifactIndex: new SqliteArtifactIndex(file, quotas),
      tasks,
      ledger,
      schedules,
      memory: new SqliteMemory(file, { maxPerOwner }),
      credentials,
      close,
      [Symbol.dispose]: close,
    };
  } catch (error) {
    file.close();
    throw error;
  }
}

/** Grants in a table, in the order in which they were given. */
class SqliteGrants implements GrantStore {
  readonly #file: SqliteFile;
  readonly #select;
  readonly #insert;
  readonly #all;
  readonly #ofTool;
  readonly #delete;

  constructor(file: SqliteFile) {
    this.#file = file;
    this.#select = file.prepare("SELECT grant_json FROM grants WHERE id = ?");
    this.#insert = file.prepare("INSERT INTO grants (id, tool, grant_json) VALUES (?, ?, ?)");
    this.#all = file.prepare("SELECT grant_json FROM grants ORDER BY seq");
    this.#ofTool = file.prepare("SELECT grant_json FROM grants WHERE tool = ? ORDER BY seq");
    this.#delete = file.prepare("DELETE FROM grants WHERE id = ?");
  }

  async add(grant: Grant): Promise<void> {
    const json = JSON.stringify(grant);
    await this.#file.write(() => {
      const row = this.#select.get(grant.id);
      if (row === undefined) this.#insert.run(grant.id, grant.tool, json);
      else if (row["grant_json"] !== json) {
        throw new ToolError(
          "internal",
          `The grant "${grant.id}" is kept already and says something else: give each an id of its own.`,
        );
      }
    });
  }

  list(tool?: string): Promise<readonly Grant[]> {
    return this.#file.read(() => {
      const rows = tool === undefined ? this.#all.all() : this.#ofTool.all(tool);
      return rows.map((row) => JSON.parse(row["grant_json"] as string) as Grant);
    });
  }

  revoke(id: string): Promise<boolean> {
    return this.#file.write(() => Number(this.#delete.run(id).changes) === 1);
  }
}
