import { closeSync, openSync, statSync } from "node:fs";
import type { DatabaseSync, StatementSync } from "node:sqlite";
import { setTimeout as delay } from "node:timers/promises";
import { ToolError, type Clock } from "@toolweave/core";
import { ClockSteps, systemSteadyClock, type SteadyClock } from "./clock-steps.ts";
import { assertPrivateFile, makePrivateFolder } from "./private-file.ts";
import { prepareDatabase } from "./sqlite-schema.ts";
import { damagedText, isBusy, storeError, unavailable } from "./store-error.ts";

/** The path of a database that lives and dies with its store. */
export const memoryPath = ":memory:";

/** The maximum wait for another process's lock, in milliseconds. */
const patienceMs = 5_000;

/** The maximum pause between two attempts: a write of another process takes about a millisecond. */
const maxPauseMs = 25;

/** One open database: transactions that wait for locks, errors that name the correction, and a clock. */
export class SqliteFile {
  readonly path: string;
  readonly #db: DatabaseSync;
  readonly #identity: string | undefined;
  readonly #clock: Clock | undefined;
  readonly #databaseTime: StatementSync;
  readonly #steps: ClockSteps;
  #closed = false;

  /** @throws ToolError `store_unavailable`; `invalid_configuration` where there is no node:sqlite. */
  constructor(path: string, clock?: Clock, steadyClock?: SteadyClock) {
    this.path = path;
    this.#clock = clock;
    try {
      this.#db = openDatabase(path);
      this.#databaseTime = this.#db.prepare(
        "SELECT round(unixepoch('subsec') * 1000) AS milliseconds",
      );
      // A clock of the host's own is followed as it goes, unless there is a steady one beside it.
      this.#steps = new ClockSteps(
        this.#db,
        steadyClock ?? (clock ? undefined : systemSteadyClock),
      );
      this.#identity = this.#identityOnDisk();
      this.#assertThere();
    } catch (error) {
      throw storeError(path, error);
    }
  }

  /** @throws ToolError `store_unavailable` when the table is not as it should be. */
  prepare(sql: string): StatementSync {
    try {
      return this.#db.prepare(sql);
    } catch (error) {
      throw storeError(this.path, error);
    }
  }

  /** The store's clock, in milliseconds since the epoch. Only within a `read` or a `write`. */
  now(): number {
    if (this.#clock !== undefined) return this.#clock.now();
    return this.#databaseTime.get()?.["milliseconds"] as number;
  }

  /** Does `work`, which only reads. Rejects with `store_unavailable`. */
  read<T>(work: () => T): Promise<T> {
    return this.#whenFree(() => {
      this.#assertThere();
      if (this.#steps.isDue(this.now())) this.#transaction(() => {});
      return work();
    });
  }

  /** Does `work` in one transaction, which is on the disk when this resolves. Rejects with `store_unavailable`. */
  write<T>(work: () => T): Promise<T> {
    return this.#whenFree(() => {
      this.#assertThere();
      const result = this.#transaction(work);
      this.#assertThere();
      return result;
    });
  }

  /** Idempotent. Waiting and later operations fail with `store_unavailable`. */
  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#db.close();
  }

  #transaction<T>(work: () => T): T {
    this.#db.exec("BEGIN IMMEDIATE");
    try {
      this.#steps.settle(this.now());
      const result = work();
      this.#db.exec("COMMIT");
      return result;
    } catch (error) {
      // After some errors, SQLite has rolled back already.
      if (this.#db.isTransaction) this.#db.exec("ROLLBACK");
      throw error;
    }
  }

  /** SQLite's own wait would hold up the whole process, with every deadline in it. */
  async #whenFree<T>(attempt: () => T): Promise<T> {
    const giveUpAt = performance.now() + patienceMs;
    for (let pauseMs = 1; ; pauseMs = Math.min(2 * pauseMs, maxPauseMs)) {
      try {
        return attempt();
      } catch (error) {
        if (!isBusy(error) || performance.now() >= giveUpAt) throw storeError(this.path, error);
      }
      await delay(pauseMs * Math.random());
    }
  }

  /** A file that was deleted while open still accepts writes, which are lost. */
  #assertThere(): void {
    if (this.#closed) throw unavailable(this.path, "is closed", { retryable: false });
    const identity = this.#identityOnDisk();
    if (identity === this.#identity && identity !== "gone") return;
    throw unavailable(
      this.path,
      "was deleted or replaced while it was open: bring the file back, or restart to continue with a new one",
    );
  }

  #identityOnDisk(): string | undefined {
    if (this.path === memoryPath) return undefined;
    const stat = statSync(this.path, { bigint: true, throwIfNoEntry: false });
    return stat === undefined ? "gone" : `${stat.dev}:${stat.ino}`;
  }
}

function openDatabase(path: string): DatabaseSync {
  // Loaded here, so that Node 22 warns only those who use it.
  const sqlite = process.getBuiltinModule?.("node:sqlite");
  if (sqlite === undefined) {
    throw new ToolError(
      "invalid_configuration",
      "sqliteStore needs node:sqlite: run it on Node 22.19 or newer.",
    );
  }
  if (path !== memoryPath) {
    assertPrivateFile(path);
    createPrivate(path);
  }
  const giveUpAt = performance.now() + patienceMs;
  for (;;) {
    const db = new sqlite.DatabaseSync(path);
    try {
      assertIntact(db, path);
      prepareDatabase(db, path);
      return db;
    } catch (error) {
      db.close();
      if (!isBusy(error) || performance.now() >= giveUpAt) throw error;
    }
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, maxPauseMs);
  }
}

/** Larger ones would take long at every start: only their header is checked, and what is read is checked by SQLite. */
const maxCheckedBytes = 16 * 1024 * 1024;

/** A truncated or overwritten file would otherwise be noticed only by the call that needs the missing part. */
function assertIntact(db: DatabaseSync, path: string): void {
  const size = path === memoryPath ? 0 : statSync(path).size;
  if (size === 0) return;
  const pages = db.prepare("PRAGMA page_count").get()?.["page_count"] as number;
  const pageSize = db.prepare("PRAGMA page_size").get()?.["page_size"] as number;
  // Pages that have not been moved out of the -wal are not in the file.
  const waiting = statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0;
  const isCut = waiting === 0 && size < pages * pageSize;
  const isSound =
    size > maxCheckedBytes || db.prepare("PRAGMA quick_check(1)").get()?.["quick_check"] === "ok";
  if (isCut || !isSound) throw unavailable(path, damagedText, { retryable: false });
}

/** SQLite gives its -wal and -shm the mode of the file. */
function createPrivate(path: string): void {
  makePrivateFolder(path);
  try {
    // Never an existing file: closing it would drop the locks that this process has on it.
    closeSync(openSync(path, "wx", 0o600));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  }
}

/**
 * Renews the leases of a file, in one transaction.
 *
 * @param renew writes the new end of one lease.
 */
export function renewInFile(
  file: SqliteFile,
  leaseMs: number,
  renew: (id: string, until: number, now: number) => void,
): (ids: ReadonlySet<string>) => Promise<void> {
  return (ids) =>
    file.write(() => {
      const now = file.now();
      for (const id of ids) renew(id, now + leaseMs, now);
    });
}
