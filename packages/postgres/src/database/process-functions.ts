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

-- After a promotion, true for the lease of the caller that notices it: an asynchronous replica may have forgotten claims,
-- and their processes renew them meanwhile. p_call: the number of a pending call; those that were added after the
-- promotion are not refused. The row has the timeline, the end, and the number of the last call before the promotion.
CREATE FUNCTION ${schema}.refuses_claim(p_call bigint, p_lease float8) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
  v_now float8 := ${schema}.now_ms(); v_seen text[]; v_state text; v_timeline text;
BEGIN
  SELECT string_to_array(value, ' ') INTO v_seen FROM ${schema}.meta WHERE name = 'promotion';
  IF NOT FOUND THEN RETURN false; END IF;
  v_timeline := left(pg_walfile_name(pg_current_wal_insert_lsn()), 8);
  IF v_seen[1] <> v_timeline THEN
    v_state := v_timeline || CASE WHEN current_setting('synchronous_standby_names') <> ''
      THEN ' 0 0'
      ELSE ' ' || (v_now + p_lease) || ' ' || coalesce(pg_sequence_last_value(
        pg_get_serial_sequence('${schema}.pending_calls', 'seq')::regclass), 0) END;
    -- The first process that notices it decides.
    UPDATE ${schema}.meta SET value = v_state WHERE name = 'promotion' AND left(value, 8) <> v_timeline;
    SELECT string_to_array(value, ' ') INTO v_seen FROM ${schema}.meta WHERE name = 'promotion';
  END IF;
  RETURN v_seen[2]::float8 > v_now AND (p_call IS NULL OR p_call <= v_seen[3]::bigint);
END $$;

-- Renews the leases of the calls that are claimed by one process, and their claims if a promotion has lost them.
CREATE FUNCTION ${schema}.renew_pending_calls(p_ids text[], p_lease float8) RETURNS void LANGUAGE plpgsql AS $$
DECLARE v_is_promoted boolean := ${schema}.refuses_claim(0, p_lease);
BEGIN
  UPDATE ${schema}.pending_calls SET status = 'claimed', lease_until = ${schema}.now_ms() + p_lease
    WHERE id IN (SELECT id FROM ${schema}.pending_calls WHERE id = ANY (p_ids)
      AND (status = 'claimed' OR (v_is_promoted AND status = 'pending')) FOR UPDATE SKIP LOCKED);
END $$;

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

DO $$ BEGIN
  INSERT INTO ${schema}.meta VALUES
    ('promotion', left(pg_walfile_name(pg_current_wal_insert_lsn()), 8) || ' 0 0') ON CONFLICT DO NOTHING;
EXCEPTION WHEN OTHERS THEN
  -- A server with storage of another kind has no timeline.
END $$;

-- In JSON; null: no other process has asked for that.
ALTER TABLE ${schema}.tasks ADD COLUMN cancel_requested_by text;
`;
