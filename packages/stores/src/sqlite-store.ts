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
import { checkedStoreLimits, storeLimitNames, type StoreLimitOptions } from "./store-limits.ts";

/** Where a store is, and by which clock it goes. */
export interface SqliteStoreOptions extends StoreLimitOptions {
  /**
   * The file, made with mode 0600; a folder that is missing is made with mode 0700. It must lie on a
   * local disk. `:memory:` for one that lives no longer than the store.
   */
  readonly path: string;
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
  /** At most 10,000 of all owners together. */
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
  ...storeLimitNames,
  "path",
  "clock",
  "steadyClock",
] satisfies readonly (keyof SqliteStoreOptions)[];

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
  const { path, clock, steadyClock } = given;
  if (typeof path !== "string" || path === "") {
    throw new ToolError(
      "invalid_configuration",
      `sqliteStore needs a path: sqliteStore("approvals.sqlite").`,
    );
  }
  const { leaseMs, ...limits } = checkedStoreLimits("sqliteStore", given);
  const file = new SqliteFile(path === memoryPath ? path : resolve(path), clock, steadyClock);
  const leases = { leaseMs, clock };
  try {
    const pendingCalls = new SqlitePendingCalls(file, { ...leases, ...limits.pendingCalls });
    const rateLimits = new SqliteRateLimits(file, leases);
    const schedules = new SqliteSchedules(file, { ...leases, ...limits.schedules });
    const tasks = new SqliteTasks(file, { ...leases, ...limits.tasks });
    const credentials = new SqliteCredentials(file, leases);
    const ledger = new SqliteLedger(file, leases);
    const close = (): void => {
      const parts = [pendingCalls, rateLimits, tasks, schedules, ledger, credentials];
      for (const part of parts) part.stop();
      file.close();
    };
    return {
      pendingCalls,
      grants: new SqliteGrants(file),
      rateLimits,
      artifacts: new SqliteArtifacts(file, leaseMs, limits.artifacts),
      artifactIndex: new SqliteArtifactIndex(file, limits.artifacts),
      tasks,
      ledger,
      schedules,
      memory: new SqliteMemory(file, limits.memories),
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
