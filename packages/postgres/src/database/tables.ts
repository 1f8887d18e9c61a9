/**
 * The tables of version 1. Times are milliseconds since the epoch. Ids, owners and keys are stored as `toName` encodes
 * them, because a text of PostgreSQL has no character U+0000 and an index entry has a maximum size.
 */
export const tables = (schema: string): string => `
CREATE FUNCTION ${schema}.now_ms() RETURNS float8 LANGUAGE sql VOLATILE AS
  'SELECT floor(extract(epoch FROM clock_timestamp()) * 1000)::float8';

CREATE TABLE ${schema}.pending_calls (
  seq bigint GENERATED ALWAYS AS IDENTITY,
  id text PRIMARY KEY,
  interruption text NOT NULL,
  state_digest bytea NOT NULL,
  quota_owner text NOT NULL,
  expires_at float8 NOT NULL,
  status text NOT NULL DEFAULT 'pending' CHECK (status IN ('pending', 'claimed', 'finished')),
  -- Made by the claimant: after a lost answer it finds out whether the claim is its own.
  claim_token uuid,
  lease_until float8 NOT NULL DEFAULT 0,
  result text,
  result_until float8 NOT NULL DEFAULT 0
);
CREATE INDEX pending_calls_open ON ${schema}.pending_calls (seq) WHERE status <> 'finished';
CREATE INDEX pending_calls_to_sweep ON ${schema}.pending_calls (expires_at) WHERE status <> 'claimed';
CREATE INDEX pending_calls_by_owner ON ${schema}.pending_calls (quota_owner, expires_at)
  WHERE status = 'pending';
CREATE INDEX pending_calls_results ON ${schema}.pending_calls (result_until)
  WHERE result IS NOT NULL;

CREATE TABLE ${schema}.grants (
  seq bigint GENERATED ALWAYS AS IDENTITY,
  id text PRIMARY KEY,
  tool text NOT NULL,
  grant_json text NOT NULL
);
CREATE INDEX grants_by_tool ON ${schema}.grants (tool, seq);

-- lease_until: until then the reservation may be committed or released; 0: it is committed.
CREATE TABLE ${schema}.rate_reservations (
  id uuid NOT NULL,
  key text NOT NULL,
  window_ms float8 NOT NULL,
  amount float8 NOT NULL,
  counts_until float8 NOT NULL,
  lease_until float8 NOT NULL,
  PRIMARY KEY (id, key)
);
CREATE INDEX rate_reservations_by_key ON ${schema}.rate_reservations (key, counts_until)
  INCLUDE (lease_until, amount);
CREATE INDEX rate_reservations_to_sweep ON ${schema}.rate_reservations (counts_until);

CREATE TABLE ${schema}.tasks (
  seq bigint GENERATED ALWAYS AS IDENTITY,
  id text PRIMARY KEY,
  owner text NOT NULL,
  quota_owner text NOT NULL,
  status text NOT NULL,
  -- The record as it was added, and the last change; sealed when the store has a key.
  task bytea NOT NULL,
  change bytea,
  expires_at float8 NOT NULL,
  lease_until float8 NOT NULL,
  -- Made by the process that added it.
  token uuid NOT NULL
);
CREATE INDEX tasks_by_owner ON ${schema}.tasks (owner, seq);
CREATE INDEX tasks_by_quota_owner ON ${schema}.tasks (quota_owner, expires_at);
CREATE INDEX tasks_to_sweep ON ${schema}.tasks (expires_at);

CREATE TABLE ${schema}.artifacts (
  key text PRIMARY KEY,
  quota_owner text NOT NULL,
  description text NOT NULL,
  size float8 NOT NULL,
  -- Bytes that count against the quota.
  counted float8 NOT NULL,
  expires_at float8 NOT NULL,
  complete boolean NOT NULL DEFAULT false,
  lease_until float8 NOT NULL,
  token uuid NOT NULL
);
CREATE INDEX artifacts_by_owner ON ${schema}.artifacts (quota_owner, expires_at);
CREATE INDEX artifacts_to_sweep ON ${schema}.artifacts (expires_at);
CREATE INDEX artifacts_unfinished ON ${schema}.artifacts (lease_until) WHERE NOT complete;
CREATE TABLE ${schema}.artifact_chunks (
  key text NOT NULL REFERENCES ${schema}.artifacts (key) ON DELETE CASCADE,
  chunk int NOT NULL,
  bytes bytea NOT NULL,
  PRIMARY KEY (key, chunk)
);
ALTER TABLE ${schema}.artifact_chunks ALTER COLUMN bytes SET STORAGE EXTERNAL;
CREATE TABLE ${schema}.artifact_usage (quota_owner text PRIMARY KEY, bytes float8 NOT NULL);

-- writer and write: a late statement of a process does not replace a newer value of the same process.
CREATE TABLE ${schema}.credentials (
  name text PRIMARY KEY,
  sealed bytea NOT NULL,
  writer uuid NOT NULL,
  write bigint NOT NULL
);
CREATE TABLE ${schema}.lists (
  key text PRIMARY KEY,
  list text NOT NULL,
  writer uuid NOT NULL,
  write bigint NOT NULL
);

CREATE TABLE ${schema}.audit (
  seq bigint GENERATED ALWAYS AS IDENTITY,
  id uuid PRIMARY KEY,
  time float8 NOT NULL,
  record text NOT NULL
);
CREATE INDEX audit_by_time ON ${schema}.audit (time);

CREATE TABLE ${schema}.schedules (
  seq bigint GENERATED ALWAYS AS IDENTITY,
  id text PRIMARY KEY,
  owner text NOT NULL,
  job text NOT NULL,
  -- The slot that comes next; null once the job has ended.
  next_at float8,
  runs int NOT NULL DEFAULT 0
);
CREATE INDEX schedules_by_owner ON ${schema}.schedules (owner, seq);
CREATE INDEX schedules_due ON ${schema}.schedules (next_at, seq) WHERE next_at IS NOT NULL;
CREATE TABLE ${schema}.schedule_runs (
  id text NOT NULL REFERENCES ${schema}.schedules (id) ON DELETE CASCADE,
  slot float8 NOT NULL,
  run text NOT NULL,
  lease_until float8 NOT NULL,
  token uuid NOT NULL,
  PRIMARY KEY (id, slot)
);

CREATE TABLE ${schema}.memories (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  owner text NOT NULL,
  key text NOT NULL,
  category text NOT NULL,
  -- Empty once it is forgotten.
  entry text NOT NULL,
  words tsvector NOT NULL,
  stored_at float8 NOT NULL,
  expires_at float8 NOT NULL,
  -- The model of the vector, and 32-bit floats.
  model text,
  vector bytea,
  forgotten_at float8,
  UNIQUE (owner, key)
);
CREATE INDEX memories_by_time ON ${schema}.memories (owner, stored_at) WHERE forgotten_at IS NULL;
CREATE INDEX memories_by_words ON ${schema}.memories USING gin (words);
CREATE INDEX memories_to_sweep ON ${schema}.memories (expires_at);

-- The writes that were done lately, with their answers: for a caller that lost the answer, and so that a statement that
-- arrives late is not done again.
CREATE TABLE ${schema}.write_answers (
  token uuid PRIMARY KEY,
  answer text,
  at float8 NOT NULL
);
CREATE INDEX write_answers_to_sweep ON ${schema}.write_answers (at);
`;
