/** A part of the functions that add calls: removes up to 100 expired ones, and as many expired results. */
export const removeExpiredCalls = (
  schema: string,
): string => `  IF EXISTS (SELECT FROM ${schema}.pending_calls WHERE status <> 'claimed' AND expires_at <= v_now) THEN
    DELETE FROM ${schema}.pending_calls WHERE id IN (SELECT id FROM ${schema}.pending_calls
      WHERE status <> 'claimed' AND expires_at <= v_now ORDER BY expires_at LIMIT 100
      FOR UPDATE SKIP LOCKED);
  END IF;
  IF EXISTS (SELECT FROM ${schema}.pending_calls WHERE result IS NOT NULL AND result_until <= v_now) THEN
    UPDATE ${schema}.pending_calls SET result = NULL WHERE id IN (SELECT id FROM ${schema}.pending_calls
      WHERE result IS NOT NULL AND result_until <= v_now LIMIT 100 FOR UPDATE SKIP LOCKED);
  END IF;
`;

/**
 * The writes for pending calls, grants, rates and tasks. Each function is one statement for the client, and one
 * transaction. In a function every statement sees what was committed before it, which the parts of one statement do not.
 *
 * Where `enable_seqscan` is off, a plan that was made while a table was empty would otherwise read all of the table until
 * its next statistics.
 *
 * A function may be called again with the same token, or with the same record, after its answer was lost: it finds its
 * own work and answers the same.
 */
export const callFunctions = (schema: string): string => `
-- The lock of a name, for this schema.
CREATE FUNCTION ${schema}.lock_of(p_name text) RETURNS bigint LANGUAGE sql IMMUTABLE AS
  $$ SELECT hashtextextended('${schema}:' || p_name, 0) $$;

-- Takes the lock of an owner's quota: shared while no number of simultaneous writers can reach the limit.
CREATE FUNCTION ${schema}.lock_quota(p_name text, p_count bigint, p_max float8) RETURNS boolean
LANGUAGE plpgsql AS $$
DECLARE v_near boolean := p_count + current_setting('max_connections')::int >= p_max;
BEGIN
  IF v_near THEN PERFORM pg_advisory_xact_lock(${schema}.lock_of(p_name));
  ELSE PERFORM pg_advisory_xact_lock_shared(${schema}.lock_of(p_name)); END IF;
  RETURN v_near;
END $$;

CREATE FUNCTION ${schema}.add_pending_call(p_id text, p_interruption text, p_digest bytea, p_owner text,
  p_expires float8, p_max float8) RETURNS text LANGUAGE plpgsql SET enable_seqscan = off AS $$
DECLARE v_now float8 := ${schema}.now_ms(); v_digest bytea; v_count bigint; v_alone boolean;
BEGIN
${removeExpiredCalls(schema)}  SELECT state_digest INTO v_digest FROM ${schema}.pending_calls WHERE id = p_id;
  IF NOT FOUND THEN
    SELECT count(*) INTO v_count FROM ${schema}.pending_calls
      WHERE quota_owner = p_owner AND status = 'pending' AND expires_at > v_now;
    v_alone := ${schema}.lock_quota('pending:' || p_owner, v_count, p_max);
    SELECT count(*) INTO v_count FROM ${schema}.pending_calls
      WHERE quota_owner = p_owner AND status = 'pending' AND expires_at > v_now;
    IF NOT v_alone AND v_count + current_setting('max_connections')::int >= p_max THEN
      RETURN 'again';
    END IF;
    IF v_count < p_max THEN
      INSERT INTO ${schema}.pending_calls (id, interruption, state_digest, quota_owner, expires_at)
        VALUES (p_id, p_interruption, p_digest, p_owner, p_expires) ON CONFLICT (id) DO NOTHING;
      IF FOUND THEN RETURN 'added'; END IF;
    END IF;
    -- Another attempt may have added it meanwhile.
    SELECT state_digest INTO v_digest FROM ${schema}.pending_calls WHERE id = p_id;
    IF NOT FOUND THEN RETURN 'full'; END IF;
  END IF;
  RETURN CASE WHEN v_digest = p_digest THEN 'added' ELSE 'taken' END;
END $$;

CREATE FUNCTION ${schema}.claim_pending_call(p_id text, p_digest bytea, p_expires float8, p_token uuid,
  p_lease float8) RETURNS text LANGUAGE plpgsql AS $$
DECLARE v_now float8; v_row record; v_call bigint;
BEGIN
  SELECT seq INTO v_call FROM ${schema}.pending_calls
    WHERE id = p_id AND state_digest = p_digest AND status = 'pending';
  IF FOUND AND ${schema}.refuses_claim(v_call, p_lease) THEN RETURN 'refused'; END IF;
  UPDATE ${schema}.pending_calls
    SET status = 'claimed', claim_token = p_token, lease_until = ${schema}.now_ms() + p_lease
    WHERE id = p_id AND state_digest = p_digest AND status = 'pending'
      AND expires_at > ${schema}.now_ms();
  IF FOUND THEN RETURN 'claimed'; END IF;
  v_now := ${schema}.now_ms();
  SELECT status, state_digest, claim_token, lease_until INTO v_row
    FROM ${schema}.pending_calls WHERE id = p_id;
  IF NOT FOUND THEN RETURN CASE WHEN p_expires <= v_now THEN 'expired' ELSE 'unknown' END; END IF;
  IF v_row.state_digest <> p_digest THEN RETURN 'unknown'; END IF;
  IF v_row.status = 'finished' THEN RETURN 'finished'; END IF;
  IF v_row.status = 'pending' THEN RETURN 'expired'; END IF;
  IF v_row.claim_token = p_token THEN RETURN 'claimed'; END IF;
  RETURN CASE WHEN v_row.lease_until > v_now THEN 'running' ELSE 'unfinished' END;
END $$;

CREATE FUNCTION ${schema}.finish_pending_call(p_id text, p_result text, p_age float8) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
  UPDATE ${schema}.pending_calls SET status = 'finished', result = coalesce(p_result, result),
    result_until = CASE WHEN p_result IS NULL THEN result_until ELSE ${schema}.now_ms() + p_age END
    WHERE id = p_id;
  IF p_result IS NULL THEN RETURN; END IF;
  UPDATE ${schema}.pending_calls SET result = NULL WHERE id IN (SELECT id FROM ${schema}.pending_calls
    WHERE result IS NOT NULL ORDER BY result_until DESC OFFSET 256 FOR UPDATE SKIP LOCKED);
END $$;

-- A statement that arrives late, after its repetition was done, must not undo what was done since: a grant that was
-- revoked would be there again.
CREATE FUNCTION ${schema}.add_grant(p_id text, p_tool text, p_grant text, p_token uuid) RETURNS boolean
LANGUAGE plpgsql AS $$
DECLARE v_same boolean;
BEGIN
  INSERT INTO ${schema}.write_answers (token, at) VALUES (p_token, ${schema}.now_ms())
    ON CONFLICT DO NOTHING;
  IF NOT FOUND THEN
    RETURN (SELECT answer::boolean FROM ${schema}.write_answers WHERE token = p_token);
  END IF;
  INSERT INTO ${schema}.grants (id, tool, grant_json) VALUES (p_id, p_tool, p_grant)
    ON CONFLICT (id) DO NOTHING;
  v_same := FOUND OR (SELECT grant_json = p_grant FROM ${schema}.grants WHERE id = p_id);
  UPDATE ${schema}.write_answers SET answer = v_same::text WHERE token = p_token;
  RETURN v_same;
END $$;

CREATE FUNCTION ${schema}.revoke_grant(p_id text, p_token uuid) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE v_found boolean;
BEGIN
  -- Waits for an earlier attempt that is still running.
  INSERT INTO ${schema}.write_answers (token, at) VALUES (p_token, ${schema}.now_ms())
    ON CONFLICT DO NOTHING;
  IF NOT FOUND THEN
    RETURN (SELECT answer::boolean FROM ${schema}.write_answers WHERE token = p_token);
  END IF;
  DELETE FROM ${schema}.grants WHERE id = p_id;
  v_found := FOUND;
  UPDATE ${schema}.write_answers SET answer = v_found::text WHERE token = p_token;
  RETURN v_found;
END $$;

-- Requests of one set of keys, in order: amounts and limits have an entry for each request and key. A row for each
-- request: the index of the key that refuses it and the wait, or null.
CREATE FUNCTION ${schema}.reserve_rates(p_keys text[], p_windows float8[], p_ids uuid[],
  p_amounts float8[], p_limits float8[], p_lease float8)
RETURNS TABLE (refused_by int, wait float8) LANGUAGE plpgsql SET enable_seqscan = off AS $$
DECLARE
  v_now float8; v_used float8[]; v_keys int := cardinality(p_keys); v_key int; v_at int;
  v_amount float8; v_limit float8; v_wait float8;
BEGIN
  PERFORM pg_advisory_xact_lock(${schema}.lock_of('rate:' || key)) FROM
    (SELECT key FROM unnest(p_keys) AS key ORDER BY ${schema}.lock_of('rate:' || key)) AS sorted;
  v_now := ${schema}.now_ms();
  -- A commit that is under way holds its rows: this waits for it, so that it counts, or is refused.
  DELETE FROM ${schema}.rate_reservations
    WHERE key = ANY (p_keys) AND counts_until <= v_now AND lease_until > 0;
  IF EXISTS (SELECT FROM ${schema}.rate_reservations r WHERE r.counts_until <= v_now) THEN
    DELETE FROM ${schema}.rate_reservations WHERE (id, key) IN
      (SELECT r.id, r.key FROM ${schema}.rate_reservations r WHERE r.counts_until <= v_now
       ORDER BY r.counts_until LIMIT 100 + cardinality(p_ids) * v_keys FOR UPDATE SKIP LOCKED);
  END IF;
  FOR v_key IN 1..v_keys LOOP
    v_used[v_key] := (SELECT coalesce(sum(r.amount), 0) FROM ${schema}.rate_reservations r
      WHERE r.key = p_keys[v_key] AND r.counts_until > v_now);
  END LOOP;
  FOR v_request IN 1..cardinality(p_ids) LOOP
    refused_by := NULL; wait := NULL;
    IF NOT EXISTS (SELECT FROM ${schema}.rate_reservations r WHERE r.id = p_ids[v_request]) THEN
      FOR v_key IN 1..v_keys LOOP
        v_at := (v_request - 1) * v_keys + v_key;
        v_amount := p_amounts[v_at];
        v_limit := p_limits[v_at] * (1 + 1e-12::float8);
        IF v_used[v_key] + v_amount > v_limit THEN
          IF v_amount > v_limit THEN v_wait := 'Infinity';
          ELSE
            -- The rest is reserved: if it were used now, it would be free after the window.
            SELECT f.counts_until - v_now INTO v_wait FROM
              (SELECT r.counts_until, sum(r.amount) OVER (ORDER BY r.counts_until, r.id) AS freed
               FROM ${schema}.rate_reservations r
               WHERE r.key = p_keys[v_key] AND r.counts_until > v_now AND r.lease_until <= v_now) AS f
              WHERE v_used[v_key] - f.freed + v_amount <= v_limit ORDER BY f.freed LIMIT 1;
            v_wait := coalesce(v_wait, p_windows[v_key]);
          END IF;
          IF v_wait > coalesce(wait, 0) THEN refused_by := v_key; wait := v_wait; END IF;
        END IF;
      END LOOP;
      IF refused_by IS NULL THEN
        FOR v_key IN 1..v_keys LOOP
          v_amount := p_amounts[(v_request - 1) * v_keys + v_key];
          INSERT INTO ${schema}.rate_reservations (id, key, window_ms, amount, counts_until, lease_until)
            VALUES (p_ids[v_request], p_keys[v_key], p_windows[v_key], v_amount,
              greatest(v_now + p_windows[v_key], v_now + p_lease), v_now + p_lease);
          v_used[v_key] := v_used[v_key] + v_amount;
        END LOOP;
      END IF;
    END IF;
    RETURN NEXT;
  END LOOP;
END $$;

-- The number of rows of the reservation that count as committed.
CREATE FUNCTION ${schema}.commit_rate(p_id uuid) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE v_rows bigint;
BEGIN
  UPDATE ${schema}.rate_reservations SET lease_until = 0,
    counts_until = CASE WHEN lease_until = 0 THEN counts_until ELSE ${schema}.now_ms() + window_ms END
    WHERE id = p_id AND counts_until > ${schema}.now_ms();
  GET DIAGNOSTICS v_rows = ROW_COUNT;
  RETURN v_rows;
END $$;

CREATE FUNCTION ${schema}.add_task(p_id text, p_owner text, p_quota text, p_status text, p_task bytea,
  p_expires float8, p_lease float8, p_token uuid, p_max float8) RETURNS text LANGUAGE plpgsql
SET enable_seqscan = off AS $$
DECLARE v_now float8 := ${schema}.now_ms(); v_token uuid; v_count bigint; v_alone boolean;
BEGIN
  IF EXISTS (SELECT FROM ${schema}.tasks WHERE expires_at <= v_now) THEN
    DELETE FROM ${schema}.tasks WHERE id IN (SELECT id FROM ${schema}.tasks WHERE expires_at <= v_now
      ORDER BY expires_at LIMIT 100 FOR UPDATE SKIP LOCKED);
  END IF;
  SELECT token INTO v_token FROM ${schema}.tasks WHERE id = p_id;
  IF NOT FOUND THEN
    SELECT count(*) INTO v_count FROM ${schema}.tasks WHERE quota_owner = p_quota AND expires_at > v_now;
    v_alone := ${schema}.lock_quota('tasks:' || p_quota, v_count, p_max);
    SELECT count(*) INTO v_count FROM ${schema}.tasks WHERE quota_owner = p_quota AND expires_at > v_now;
    IF NOT v_alone AND v_count + current_setting('max_connections')::int >= p_max THEN
      RETURN 'again';
    END IF;
    IF v_count >= p_max THEN
      WITH dropped AS (DELETE FROM ${schema}.tasks WHERE id IN (SELECT id FROM ${schema}.tasks
          WHERE quota_owner = p_quota AND status NOT IN ('working', 'input_required')
            AND expires_at > v_now ORDER BY expires_at, seq LIMIT v_count + 1 - p_max::bigint) RETURNING 1)
        SELECT v_count - count(*) INTO v_count FROM dropped;
    END IF;
    IF v_count < p_max THEN
      INSERT INTO ${schema}.tasks (id, owner, quota_owner, status, task, expires_at, lease_until, token)
        VALUES (p_id, p_owner, p_quota, p_status, p_task, p_expires,
          CASE p_status WHEN 'working' THEN v_now + p_lease ELSE 0 END, p_token)
        ON CONFLICT (id) DO NOTHING;
      IF FOUND THEN RETURN 'added'; END IF;
    END IF;
    SELECT token INTO v_token FROM ${schema}.tasks WHERE id = p_id;
    IF NOT FOUND THEN RETURN 'full'; END IF;
  END IF;
  RETURN CASE WHEN v_token = p_token THEN 'added' ELSE 'taken' END;
END $$;

CREATE FUNCTION ${schema}.change_task(p_id text, p_status text, p_change bytea, p_expires float8,
  p_lease float8, p_is_held boolean, p_token uuid) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO ${schema}.write_answers (token, answer, at) VALUES (p_token, 'true', ${schema}.now_ms())
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
  IF FOUND THEN RETURN true; END IF;
  UPDATE ${schema}.write_answers SET answer = 'false' WHERE token = p_token;
  RETURN false;
END $$;
`;
