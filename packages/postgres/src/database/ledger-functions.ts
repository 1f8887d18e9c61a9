/**
 * The ledger of durable runs, which version 2 adds: its tables and its writes. Each function is one statement for the
 * client, and one transaction, and may be called again after its answer was lost: it finds its own work by the token.
 *
 * No column that changes with the end of a call has an index, so that PostgreSQL changes the row in its place.
 */
export const ledgerFunctions = (schema: string): string => `
CREATE TABLE ${schema}.ledger (
  run_id text NOT NULL,
  call_id text NOT NULL,
  tool text NOT NULL,
  arguments_hash text NOT NULL,
  -- Made by the claimant.
  token text NOT NULL,
  -- released: the claimant has not started the call. For other tokens there is no such call.
  status text NOT NULL CHECK (status IN ('running', 'suspended', 'ended', 'unknown', 'released')),
  -- Sealed when the store has a key.
  outcome bytea,
  -- Made by the operation that has ended the call: after a lost answer it finds its own work.
  ended_by uuid,
  lease_until float8 NOT NULL,
  expires_at float8 NOT NULL,
  -- expires_at, up to the next full hour.
  sweep_at float8 NOT NULL,
  PRIMARY KEY (run_id, call_id)
) WITH (fillfactor = 60);
CREATE INDEX ledger_to_sweep ON ${schema}.ledger (sweep_at);

-- The highest epoch that has begun a call of a run.
CREATE TABLE ${schema}.ledger_epochs (
  run_id text PRIMARY KEY,
  epoch float8 NOT NULL,
  sweep_at float8 NOT NULL
);
CREATE INDEX ledger_epochs_to_sweep ON ${schema}.ledger_epochs (sweep_at);

CREATE FUNCTION ${schema}.full_hour(p_time float8) RETURNS float8 LANGUAGE sql IMMUTABLE AS
  $$ SELECT ceil(p_time / 3600000) * 3600000 $$;

-- status: as the port has it; expired: running, and its lease has expired. holder: the token of the call's claimant.
CREATE FUNCTION ${schema}.begin_call(p_run text, p_call text, p_tool text, p_arguments text, p_epoch float8,
  p_repeat text, p_token text, p_lease float8, p_life float8,
  OUT status text, OUT outcome bytea, OUT holder text) LANGUAGE plpgsql AS $$
DECLARE
  v_now float8 := ${schema}.now_ms(); v_row record; v_is_new boolean; v_is_locked boolean := false;
BEGIN
  LOOP
    INSERT INTO ${schema}.ledger
        (run_id, call_id, tool, arguments_hash, token, status, lease_until, expires_at, sweep_at)
      VALUES (p_run, p_call, p_tool, p_arguments, p_token, 'running', v_now + p_lease, v_now + p_life,
        ${schema}.full_hour(v_now + p_life))
      ON CONFLICT DO NOTHING;
    v_is_new := FOUND;
    EXIT WHEN v_is_new;
    IF v_is_locked THEN
      SELECT l.tool, l.arguments_hash, l.token, l.status, l.outcome, l.lease_until, l.expires_at INTO v_row
        FROM ${schema}.ledger l WHERE l.run_id = p_run AND l.call_id = p_call FOR UPDATE;
    ELSE
      SELECT l.tool, l.arguments_hash, l.token, l.status, l.outcome, l.lease_until, l.expires_at INTO v_row
        FROM ${schema}.ledger l WHERE l.run_id = p_run AND l.call_id = p_call;
    END IF;
    -- It was removed meanwhile.
    CONTINUE WHEN NOT FOUND;
    status := CASE
      WHEN v_row.expires_at <= v_now THEN NULL
      WHEN v_row.token = p_token AND v_row.status = 'running' THEN 'begun'
      -- This statement arrives after the claim was released.
      WHEN v_row.token = p_token AND v_row.status = 'released' THEN 'unknown'
      WHEN v_row.status = 'released' THEN NULL
      WHEN p_repeat IS DISTINCT FROM 'resume'
        AND (v_row.tool <> p_tool OR v_row.arguments_hash <> p_arguments) THEN 'conflict'
      WHEN v_row.status = 'ended' THEN 'ended'
      WHEN p_repeat = 'resume' THEN NULL
      WHEN v_row.status = 'suspended' THEN 'ended'
      WHEN p_repeat = 'rerun' THEN NULL
      WHEN v_row.status = 'unknown' THEN 'unknown'
      WHEN v_row.lease_until > v_now THEN 'running'
      ELSE 'expired' END;
    EXIT WHEN status IS NOT NULL OR v_is_locked;
    -- It is taken over, if it is still the same when no other process can change it.
    v_is_locked := true;
  END LOOP;
  -- Only now: another process may have begun the call with a higher epoch until here.
  IF p_epoch IS NOT NULL AND EXISTS
      (SELECT FROM ${schema}.ledger_epochs e WHERE e.run_id = p_run AND e.epoch > p_epoch) THEN
    IF v_is_new THEN
      DELETE FROM ${schema}.ledger l WHERE l.run_id = p_run AND l.call_id = p_call;
    END IF;
    status := 'superseded';
    RETURN;
  END IF;
  IF status = 'ended' THEN outcome := v_row.outcome; END IF;
  IF status = 'expired' THEN holder := v_row.token; END IF;
  IF status IS NOT NULL THEN RETURN; END IF;
  status := 'begun';
  IF NOT v_is_new THEN
    UPDATE ${schema}.ledger l SET tool = p_tool, arguments_hash = p_arguments, token = p_token,
      status = 'running', outcome = NULL, ended_by = NULL, lease_until = v_now + p_lease,
      expires_at = v_now + p_life, sweep_at = ${schema}.full_hour(v_now + p_life)
      WHERE l.run_id = p_run AND l.call_id = p_call;
  END IF;
  IF p_epoch IS NOT NULL THEN
    -- Kept for a day longer than the calls, so that it changes once in a day.
    INSERT INTO ${schema}.ledger_epochs AS e VALUES (p_run, p_epoch, v_now + p_life + 86400000)
      ON CONFLICT (run_id) DO UPDATE
      SET epoch = greatest(e.epoch, excluded.epoch), sweep_at = greatest(e.sweep_at, excluded.sweep_at)
      WHERE e.epoch < excluded.epoch OR e.sweep_at < excluded.sweep_at - 86400000;
  END IF;
  -- Last, and without waiting: two calls that remove each other's row do not wait for each other.
  DELETE FROM ${schema}.ledger l WHERE (l.run_id, l.call_id) IN (SELECT s.run_id, s.call_id
    FROM ${schema}.ledger s WHERE s.sweep_at <= v_now ORDER BY s.sweep_at LIMIT 100 FOR UPDATE SKIP LOCKED);
END $$;

CREATE FUNCTION ${schema}.end_call(p_run text, p_call text, p_token text, p_end uuid, p_status text,
  p_outcome bytea, p_life float8) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
  v_row record; v_until float8 := ${schema}.now_ms() + CASE p_status WHEN 'released' THEN 3600000 ELSE p_life END;
BEGIN
  LOOP
    UPDATE ${schema}.ledger SET status = p_status, outcome = p_outcome, ended_by = p_end, lease_until = 0,
      expires_at = v_until, sweep_at = ${schema}.full_hour(v_until)
      WHERE run_id = p_run AND call_id = p_call AND token = p_token AND status IN ('running', 'unknown');
    IF FOUND THEN RETURN true; END IF;
    SELECT token, status, ended_by INTO v_row FROM ${schema}.ledger WHERE run_id = p_run AND call_id = p_call;
    IF FOUND THEN
      -- An earlier attempt of this operation has ended it.
      IF v_row.token <> p_token THEN RETURN false; END IF;
      IF v_row.status NOT IN ('running', 'unknown') THEN
        RETURN v_row.ended_by IS NOT DISTINCT FROM p_end;
      END IF;
    ELSIF p_status <> 'released' THEN
      RETURN false;
    ELSE
      -- The claim may still arrive: it is not valid then.
      INSERT INTO ${schema}.ledger
          (run_id, call_id, tool, arguments_hash, token, status, lease_until, expires_at, sweep_at)
        VALUES (p_run, p_call, '', '', p_token, 'released', 0, v_until, ${schema}.full_hour(v_until))
        ON CONFLICT DO NOTHING;
      IF FOUND THEN RETURN false; END IF;
    END IF;
  END LOOP;
END $$;

-- Renews the leases of the calls that these tokens have.
CREATE FUNCTION ${schema}.renew_calls(p_runs text[], p_calls text[], p_tokens text[], p_lease float8,
  p_life float8) RETURNS void LANGUAGE sql AS $$
  UPDATE ${schema}.ledger l SET lease_until = ${schema}.now_ms() + p_lease,
    expires_at = ${schema}.now_ms() + p_life, sweep_at = ${schema}.full_hour(${schema}.now_ms() + p_life)
  FROM (SELECT c.run_id, c.call_id FROM unnest(p_runs, p_calls, p_tokens) AS h (run_id, call_id, token)
    JOIN ${schema}.ledger c ON c.run_id = h.run_id AND c.call_id = h.call_id AND c.token = h.token
    WHERE c.status = 'running' FOR UPDATE OF c SKIP LOCKED) AS held
  WHERE l.run_id = held.run_id AND l.call_id = held.call_id
$$;
`;
