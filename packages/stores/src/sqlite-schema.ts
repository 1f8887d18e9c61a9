import type { DatabaseSync } from "node:sqlite";
import { unavailable } from "./store-error.ts";

/** Marks a database as one of this package's, so that no other program's is ever changed. */
const applicationId = 0x74776176;

const version = 1;

const schema = `
  CREATE TABLE pending_calls (
    seq INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    interruption TEXT NOT NULL,
    expires_at REAL NOT NULL,
    status TEXT NOT NULL DEFAULT 'pending' CHECK (status IN ('pending', 'claimed', 'finished')),
    lease_until REAL NOT NULL DEFAULT 0
  ) STRICT;
  CREATE INDEX pending_calls_to_sweep ON pending_calls (expires_at) WHERE status <> 'claimed';

  CREATE TABLE grants (
    seq INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    tool TEXT NOT NULL,
    grant_json TEXT NOT NULL
  ) STRICT;
  CREATE INDEX grants_by_tool ON grants (tool);

  -- lease_until: whoever made a reservation may still use it or give it back; 0: it is used.
  CREATE TABLE rate_reservations (
    id TEXT NOT NULL,
    key TEXT NOT NULL,
    window_ms REAL NOT NULL,
    amount REAL NOT NULL,
    counts_until REAL NOT NULL,
    lease_until REAL NOT NULL,
    PRIMARY KEY (id, key)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX rate_reservations_by_key
    ON rate_reservations (key, counts_until, lease_until, amount);
  CREATE INDEX rate_reservations_to_sweep ON rate_reservations (counts_until);

  PRAGMA application_id = ${applicationId};
  PRAGMA user_version = ${version};
`;

function pragma(db: DatabaseSync, name: string): unknown {
  return db.prepare(`PRAGMA ${name}`).get()?.[name];
}

/** True for a database of this version, false for an empty one. Changes nothing. */
function isCurrent(db: DatabaseSync, path: string): boolean {
  const tables = db.prepare("SELECT count(*) AS count FROM sqlite_schema").get()?.["count"];
  if (tables === 0) return false;
  if (pragma(db, "application_id") !== applicationId) {
    throw unavailable(path, "is another program's database: name another path", {
      retryable: false,
    });
  }
  const found = pragma(db, "user_version");
  if (found !== version) {
    throw unavailable(
      path,
      `was written by a newer @toolweave/stores (its version is ${String(found)}, this one reads ${version}): update the package`,
      { retryable: false },
    );
  }
  return true;
}

/**
 * Makes an empty database a store; one that is a store already stays as it is.
 *
 * @throws ToolError `store_unavailable` for a newer store and for another program's database, which
 * are not changed; SQLite's own error for one that is locked or cannot be written.
 */
export function prepareDatabase(db: DatabaseSync, path: string): void {
  isCurrent(db, path);
  const mode = db.prepare("PRAGMA journal_mode = WAL").get()?.["journal_mode"];
  if (mode !== "wal" && mode !== "memory") {
    throw unavailable(path, "lies on a disk that processes cannot share: use a local one", {
      retryable: false,
    });
  }
  db.exec("PRAGMA synchronous = FULL; BEGIN IMMEDIATE");
  // Looked at again: another process may have made it meanwhile.
  if (!isCurrent(db, path)) db.exec(schema);
  db.exec("COMMIT");
}
