/**
 * The parts of version 2 for processes that know of each other: replicas, locks on credentials, and requests to cancel a
 * task; and the removal of its expired rows.
 */
export const processFunctions = (schema: string): string => `
CREATE TABLE ${schema}.replicas (
  name text PRIMARY KEY,
  -- As it was joined, in JSON.
  id text NOT NULL,
  -- Of the process that has joined last.
  token uuid NOT NULL,
  lease_until float8 NOT NULL
);
CREATE INDEX replicas_to_sweep ON ${schema}.replicas (lease_until);

-- The process that makes a new credential in place of another one, and how long it counts as being there.
CREATE TABLE ${schema}.credential_locks (
  name text PRIMARY KEY,
  token uuid NOT NULL,
  lease_until float8 NOT NULL
);

CREATE FUNCTION ${schema}.lock_credential(p_name text, p_token uuid, p_lease float8) RETURNS boolean
LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO ${schema}.credential_locks AS l VALUES (p_name, p_token, ${schema}.now_ms() + p_lease)
    ON CONFLICT (name) DO UPDATE SET token = excluded.token, lease_until = excluded.lease_until
    WHERE l.lease_until <= ${schema}.now_ms() OR l.token = excluded.token;
  RETURN FOUND;
END $$;

-- It may be called again; an expired row is removed by one process at a time, as those of version 1 are.
CREATE FUNCTION ${schema}.sweep_version_2(p_max int) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE v_now float8 := ${schema}.now_ms(); v_rows bigint; v_all bigint := 0;
BEGIN
  IF NOT pg_try_advisory_xact_lock(${schema}.lock_of('sweep')) THEN RETURN 0; END IF;
  DELETE FROM ${schema}.ledger WHERE (run_id, call_id) IN (SELECT run_id, call_id FROM ${schema}.ledger
    WHERE sweep_at <= v_now LIMIT p_max FOR UPDATE SKIP LOCKED);
  GET DIAGNOSTICS v_rows = ROW_COUNT; v_all := v_all + v_rows;
  DELETE FROM ${schema}.ledger_epochs WHERE run_id IN (SELECT run_id FROM ${schema}.ledger_epochs
    WHERE sweep_at <= v_now LIMIT p_max FOR UPDATE SKIP LOCKED);
  GET DIAGNOSTICS v_rows = ROW_COUNT; v_all := v_all + v_rows;
  DELETE FROM ${schema}.credential_locks WHERE name IN (SELECT name FROM ${schema}.credential_locks
    WHERE lease_until <= v_now LIMIT p_max FOR UPDATE SKIP LOCKED);
  GET DIAGNOSTICS v_rows = ROW_COUNT; v_all := v_all + v_rows;
  -- For 7 days others can still see that it has ended.
  DELETE FROM ${schema}.replicas WHERE name IN (SELECT name FROM ${schema}.replicas
    WHERE lease_until <= v_now - 604800000 LIMIT p_max FOR UPDATE SKIP LOCKED);
  GET DIAGNOSTICS v_rows = ROW_COUNT;
  RETURN v_all + v_rows;
END $$;

-- In JSON; null: no other process has asked for that.
ALTER TABLE ${schema}.tasks ADD COLUMN cancel_requested_by text;
`;
