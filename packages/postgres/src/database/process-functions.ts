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

-- For callers of version 1 it does the same. A task that continues was not asked to be cancelled.
CREATE OR REPLACE FUNCTION ${schema}.change_task(p_id text, p_status text, p_change bytea, p_expires float8,
  p_lease float8, p_is_held boolean, p_token uuid) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE v_changed boolean;
BEGIN
  INSERT INTO ${schema}.write_answers (token, at) VALUES (p_token, ${schema}.now_ms())
    ON CONFLICT DO NOTHING;
  IF NOT FOUND THEN
    RETURN (SELECT answer::boolean FROM ${schema}.write_answers WHERE token = p_token);
  END IF;
  -- A task that another process runs, or ran when it ended, is not handed over.
  UPDATE ${schema}.tasks SET status = p_status, change = p_change, expires_at = p_expires,
    lease_until = CASE p_status WHEN 'working' THEN ${schema}.now_ms() + p_lease ELSE 0 END,
    cancel_requested_by = NULL
    WHERE id = p_id AND expires_at > ${schema}.now_ms() AND status IN ('working', 'input_required')
      AND (p_is_held OR status <> 'working' OR p_status <> 'working');
  v_changed := FOUND;
  UPDATE ${schema}.write_answers SET answer = v_changed::text WHERE token = p_token;
  RETURN v_changed;
END $$;

-- Last: until the end of this step, tasks wait for it. In JSON; null: no other process has asked for that.
ALTER TABLE ${schema}.tasks ADD COLUMN cancel_requested_by text;
`;
