import type { DatabaseSync } from "node:sqlite";
import { toIndexedWords, toOwnerWord } from "./memory-words.ts";
import { unavailable } from "./store-error.ts";

/** Marks a database as one of this package's, so that no other program's is ever changed. */
const applicationId = 0x74776176;

/** The statements that make each version from the one before it: the first one from an empty database. */
const steps: readonly (string | ((db: DatabaseSync) => void))[] = [
  `
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
  `,
  `
  CREATE TABLE artifacts (
    seq INTEGER PRIMARY KEY,
    key TEXT NOT NULL UNIQUE,
    artifact TEXT NOT NULL,
    size INTEGER NOT NULL,
    expires_at REAL NOT NULL,
    complete INTEGER NOT NULL,
    -- Of one that is being written: how long its writer counts as being there.
    lease_until REAL NOT NULL
  ) STRICT;
  CREATE INDEX artifacts_to_sweep ON artifacts (expires_at);
  CREATE INDEX artifacts_cut_off ON artifacts (lease_until) WHERE complete = 0;

  CREATE TABLE artifact_chunks (
    artifact INTEGER NOT NULL REFERENCES artifacts (seq),
    chunk INTEGER NOT NULL,
    bytes BLOB NOT NULL,
    UNIQUE (artifact, chunk)
  ) STRICT;
  CREATE TRIGGER artifact_chunks_go BEFORE DELETE ON artifacts BEGIN
    DELETE FROM artifact_chunks WHERE artifact = old.seq;
  END;

  CREATE TABLE tasks (
    seq INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    owner TEXT NOT NULL,
    status TEXT NOT NULL
      CHECK (status IN ('working', 'input_required', 'completed', 'failed', 'cancelled')),
    task TEXT NOT NULL,
    expires_at REAL NOT NULL,
    lease_until REAL NOT NULL
  ) STRICT;
  CREATE INDEX tasks_by_owner ON tasks (owner, seq);
  CREATE INDEX tasks_to_sweep ON tasks (expires_at);
  CREATE INDEX tasks_ended ON tasks (expires_at)
    WHERE status NOT IN ('working', 'input_required');

  -- What all artifacts take, and all tasks, so that no query has to add it up.
  CREATE TABLE space (artifacts INTEGER NOT NULL, tasks INTEGER NOT NULL) STRICT;
  INSERT INTO space VALUES (0, 0);
  CREATE TRIGGER artifact_added AFTER INSERT ON artifacts BEGIN
    UPDATE space SET artifacts = artifacts + new.size + length(new.artifact);
  END;
  CREATE TRIGGER artifact_removed AFTER DELETE ON artifacts BEGIN
    UPDATE space SET artifacts = artifacts - old.size - length(old.artifact);
  END;
  CREATE TRIGGER task_added AFTER INSERT ON tasks BEGIN
    UPDATE space SET tasks = tasks + length(new.task);
  END;
  CREATE TRIGGER task_changed AFTER UPDATE OF task ON tasks BEGIN
    UPDATE space SET tasks = tasks - length(old.task) + length(new.task);
  END;
  CREATE TRIGGER task_removed AFTER DELETE ON tasks BEGIN
    UPDATE space SET tasks = tasks - length(old.task);
  END;
  `,
  `
  CREATE TABLE credentials (
    name TEXT PRIMARY KEY,
    credential TEXT NOT NULL
  ) STRICT, WITHOUT ROWID;
  `,
  `
  -- The time of day and the steady time of this machine at one moment: see ClockSteps.
  CREATE TABLE clock (one INTEGER PRIMARY KEY CHECK (one = 1), wall REAL NOT NULL, steady REAL NOT NULL)
    STRICT;
  `,
  `
  -- quota_owner: whose quota a row counts against; empty for rows of earlier versions.
  ALTER TABLE pending_calls ADD COLUMN quota_owner TEXT NOT NULL DEFAULT '';
  CREATE INDEX pending_calls_by_quota_owner ON pending_calls (quota_owner, expires_at)
    WHERE status = 'pending';

  ALTER TABLE tasks ADD COLUMN quota_owner TEXT NOT NULL DEFAULT '';
  ALTER TABLE tasks ADD COLUMN size INTEGER NOT NULL DEFAULT 0;
  CREATE INDEX tasks_by_quota_owner ON tasks (quota_owner, expires_at, size);

  ALTER TABLE artifacts ADD COLUMN quota_owner TEXT NOT NULL DEFAULT '';
  CREATE INDEX artifacts_by_quota_owner ON artifacts (quota_owner, expires_at);
  CREATE TABLE artifact_owners (
    quota_owner TEXT PRIMARY KEY,
    bytes INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
  INSERT INTO artifact_owners
    SELECT '', sum(size + length(artifact)) FROM artifacts HAVING count(*) > 0;
  CREATE TRIGGER artifact_counted AFTER INSERT ON artifacts BEGIN
    INSERT INTO artifact_owners VALUES (new.quota_owner, new.size + length(new.artifact))
      ON CONFLICT (quota_owner) DO UPDATE SET bytes = bytes + excluded.bytes;
  END;
  CREATE TRIGGER artifact_uncounted AFTER DELETE ON artifacts BEGIN
    UPDATE artifact_owners SET bytes = bytes - old.size - length(old.artifact)
      WHERE quota_owner = old.quota_owner;
    DELETE FROM artifact_owners WHERE quota_owner = old.quota_owner AND bytes <= 0;
  END;
  `,
  `
  -- What came of a finished call, sealed, for a retry of the answer; until when it is given out.
  ALTER TABLE pending_calls ADD COLUMN result TEXT;
  ALTER TABLE pending_calls ADD COLUMN result_until REAL NOT NULL DEFAULT 0;
  CREATE INDEX pending_calls_results ON pending_calls (result_until) WHERE result IS NOT NULL;
  `,
  `
  CREATE TABLE memories (
    id INTEGER PRIMARY KEY,
    owner TEXT NOT NULL,
    key TEXT NOT NULL,
    category TEXT NOT NULL,
    -- Empty once it is forgotten.
    content TEXT NOT NULL,
    stored_at REAL NOT NULL,
    expires_at REAL NOT NULL,
    origin TEXT,
    -- The model of the vector, and 32-bit floats.
    model TEXT,
    vector BLOB,
    forgotten_at REAL,
    UNIQUE (owner, key)
  ) STRICT;
  CREATE INDEX memories_by_time ON memories (owner, stored_at) WHERE forgotten_at IS NULL;
  CREATE INDEX memories_to_sweep ON memories (expires_at);
  -- The number of entries of each owner that are not forgotten.
  CREATE TABLE memory_owners (owner TEXT PRIMARY KEY, entries INTEGER NOT NULL) STRICT, WITHOUT ROWID;
  CREATE TRIGGER memory_added AFTER INSERT ON memories BEGIN
    INSERT INTO memory_owners VALUES (new.owner, 1)
      ON CONFLICT (owner) DO UPDATE SET entries = entries + 1;
  END;
  CREATE TRIGGER memory_changed AFTER UPDATE OF forgotten_at ON memories BEGIN
    UPDATE memory_owners
      SET entries = entries + (new.forgotten_at IS NULL) - (old.forgotten_at IS NULL)
      WHERE owner = new.owner;
  END;
  CREATE TRIGGER memory_removed AFTER DELETE ON memories BEGIN
    UPDATE memory_owners SET entries = entries - (old.forgotten_at IS NULL) WHERE owner = old.owner;
    DELETE FROM memory_owners WHERE owner = old.owner
      AND NOT EXISTS (SELECT 1 FROM memories WHERE owner = old.owner);
  END;
  -- The words of each entry, without the text: the owner is a word of its own.
  CREATE VIRTUAL TABLE memory_words USING fts5 (
    owner, words, content = '', contentless_delete = 1, tokenize = 'unicode61 remove_diacritics 2'
  );
  INSERT INTO memory_words (memory_words, rank) VALUES ('rank', 'bm25(0.0, 1.0)');
  `,
  `
  CREATE TABLE schedules (
    seq INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    owner TEXT NOT NULL,
    job TEXT NOT NULL,
    -- The slot that comes next; NULL once the job has ended.
    next_at REAL,
    runs INTEGER NOT NULL DEFAULT 0
  ) STRICT;
  CREATE INDEX schedules_by_owner ON schedules (owner, seq);
  CREATE INDEX schedules_due ON schedules (next_at) WHERE next_at IS NOT NULL;

  CREATE TABLE schedule_runs (
    id TEXT NOT NULL REFERENCES schedules (id) ON DELETE CASCADE,
    slot REAL NOT NULL,
    run TEXT NOT NULL,
    -- Of one that is running: how long its worker counts as being there.
    lease_until REAL NOT NULL,
    PRIMARY KEY (id, slot)
  ) STRICT, WITHOUT ROWID;
  `,
  `
  CREATE TABLE ledger (
    run_id TEXT NOT NULL,
    call_id TEXT NOT NULL,
    tool TEXT NOT NULL,
    spec_hash TEXT NOT NULL,
    arguments_hash TEXT NOT NULL,
    -- Of the process that has begun the call.
    token TEXT NOT NULL,
    status TEXT NOT NULL CHECK (status IN ('running', 'suspended', 'ended', 'unknown')),
    outcome TEXT NOT NULL,
    lease_until REAL NOT NULL,
    expires_at REAL NOT NULL,
    PRIMARY KEY (run_id, call_id)
  ) STRICT;
  CREATE INDEX ledger_running ON ledger (token) WHERE status = 'running';
  CREATE INDEX ledger_to_sweep ON ledger (expires_at);

  -- The highest epoch that has begun a call of a run. Apart from the calls: one that is released leaves no row.
  CREATE TABLE ledger_epochs (
    run_id TEXT PRIMARY KEY,
    epoch INTEGER NOT NULL,
    expires_at REAL NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX ledger_epochs_to_sweep ON ledger_epochs (expires_at);

  -- The process that makes a new credential in place of another one, and how long it counts as being there.
  CREATE TABLE credential_locks (
    name TEXT PRIMARY KEY,
    token TEXT NOT NULL,
    lease_until REAL NOT NULL
  ) STRICT, WITHOUT ROWID;

  -- The person who asked the process of a task to cancel it.
  ALTER TABLE tasks ADD COLUMN cancel_requested_by TEXT;
  `,
  `
  -- Artifacts whose bytes are elsewhere.
  CREATE TABLE artifact_objects (
    seq INTEGER PRIMARY KEY,
    key TEXT NOT NULL UNIQUE,
    quota_owner TEXT NOT NULL,
    artifact TEXT NOT NULL,
    size INTEGER NOT NULL,
    -- Bytes that count against the quotas.
    counted INTEGER NOT NULL,
    expires_at REAL NOT NULL,
    place TEXT NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('writing', 'ready', 'deleting')),
    -- The write has not ended: its bytes may still arrive, so that they are deleted twice.
    interrupted INTEGER NOT NULL DEFAULT 0,
    -- From when on the bytes may be deleted: the expiry of a ready one, the end of the lease of another one.
    due_at REAL NOT NULL,
    token TEXT NOT NULL
  ) STRICT;
  CREATE INDEX artifact_objects_due ON artifact_objects (due_at);
  CREATE TRIGGER artifact_object_added AFTER INSERT ON artifact_objects BEGIN
    UPDATE space SET artifacts = artifacts + new.counted;
    INSERT INTO artifact_owners VALUES (new.quota_owner, new.counted)
      ON CONFLICT (quota_owner) DO UPDATE SET bytes = bytes + excluded.bytes;
  END;
  -- Before a row is removed, it is set to count for 0 bytes.
  CREATE TRIGGER artifact_object_uncounted AFTER UPDATE OF counted ON artifact_objects BEGIN
    UPDATE space SET artifacts = artifacts - old.counted + new.counted;
    UPDATE artifact_owners SET bytes = bytes - old.counted + new.counted
      WHERE quota_owner = old.quota_owner;
    DELETE FROM artifact_owners WHERE quota_owner = old.quota_owner AND bytes <= 0;
  END;
  `,
  `
  DROP TABLE memory_words;
  -- The words of each entry as toIndexedWords makes them, without the text: the owner is a word of its own.
  CREATE VIRTUAL TABLE memory_words USING fts5 (
    owner, words, content = '', contentless_delete = 1, detail = column, tokenize = 'ascii'
  );
  `,
  indexMemories,
  "INSERT INTO memory_words (memory_words) VALUES ('delete-all');",
  indexMemories,
];

const version = steps.length;

/** Makes the index of the words of all memories again. */
function indexMemories(db: DatabaseSync): void {
  const rows = db.prepare(
    "SELECT id, owner, key, content FROM memories WHERE forgotten_at IS NULL",
  );
  const add = db.prepare("INSERT INTO memory_words (rowid, owner, words) VALUES (?, ?, ?)");
  for (const { id, owner, key, content } of rows.iterate()) {
    const words = toIndexedWords(`${String(key)} ${String(content)}`).join(" ");
    add.run(id as number, toOwnerWord(owner as string), words);
  }
}

function pragma(db: DatabaseSync, name: string): unknown {
  return db.prepare(`PRAGMA ${name}`).get()?.[name];
}

/** The version of the store in a database, 0 for an empty one. Changes nothing. */
function readVersion(db: DatabaseSync, path: string): number {
  const tables = db.prepare("SELECT count(*) AS count FROM sqlite_schema").get()?.["count"];
  if (tables === 0) return 0;
  const found = pragma(db, "user_version");
  if (pragma(db, "application_id") !== applicationId || typeof found !== "number" || found < 1) {
    throw unavailable(path, "is another program's database: name another path", {
      retryable: false,
    });
  }
  if (found > version) {
    throw unavailable(
      path,
      `was written by a newer @toolweave/stores (its version is ${found}, this one reads ${version}): update the package`,
      { retryable: false },
    );
  }
  return found;
}

/**
 * Makes a store of an empty database, and one of this version of an older one, which keeps what it
 * has; one of this version stays as it is, and no lock is taken.
 *
 * @throws ToolError `store_unavailable` for a newer store and for another program's database, which
 * are not changed; SQLite's own error for one that is locked or cannot be written.
 */
export function prepareDatabase(db: DatabaseSync, path: string): void {
  const found = readVersion(db, path);
  const mode = db.prepare("PRAGMA journal_mode = WAL").get()?.["journal_mode"];
  if (mode !== "wal" && mode !== "memory") {
    throw unavailable(path, "lies on a disk that processes cannot share: use a local one", {
      retryable: false,
    });
  }
  db.exec("PRAGMA synchronous = FULL");
  // Other processes may write without end.
  if (found === version) return;
  db.exec("BEGIN IMMEDIATE");
  // Read again: another process may have made or changed it meanwhile.
  const missing = steps.slice(readVersion(db, path));
  if (missing.length > 0) {
    for (const step of missing) {
      if (typeof step === "string") db.exec(step);
      else step(db);
    }
    db.exec(`PRAGMA application_id = ${applicationId}; PRAGMA user_version = ${version}`);
  }
  db.exec("COMMIT");
}
