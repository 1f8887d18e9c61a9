import { closeSync, openSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";

/** The store's first schema: files with it exist, so this never changes. */
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

  -- lease_until: until then the reservation may be committed or released; 0: it is committed.
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

  PRAGMA application_id = 1953980790;
  PRAGMA user_version = 1;
`;

/** A store of version 1, open, in a file that this creates. */
export function version1(path: string): DatabaseSync {
  closeSync(openSync(path, "wx", 0o600));
  const db = new DatabaseSync(path);
  db.exec("PRAGMA journal_mode = WAL; BEGIN");
  db.exec(schema);
  db.exec("COMMIT");
  return db;
}
