import { callFunctions, removeExpiredCalls } from "./call-functions.ts";

/** Plans that are the same for any number of operations, and lock rows in the order of the arrays. */
const inOrder = `LANGUAGE plpgsql SET enable_seqscan = off SET enable_hashjoin = off
SET enable_mergejoin = off SET plan_cache_mode = force_generic_plan`;

/**
 * The writes of version 4, which do several operations in one transaction. Their arrays have an element for each
 * operation, in the order of the rows that these lock. They return the numbers of the operations that they have done,
 * from 1, and change nothing for the others: each of these is then done by the function for one operation, which finds
 * out why.
 */
export const groupedFunctions = (schema: string): string => `
CREATE FUNCTION ${schema}.begin_calls(p_runs text[], p_calls text[], p_tools text[], p_arguments text[],
  p_epochs float8[], p_tokens text[], p_lease float8, p_life float8) RETURNS SETOF bigint ${inOrder} AS $$
DECLARE v_now float8 := ${schema}.now_ms(); v_begun bigint[]; v_late bigint[];
BEGIN
  IF ${schema}.refuses_claim(NULL, p_lease) THEN RETURN; END IF;
  WITH added AS (INSERT INTO ${schema}.ledger
      (run_id, call_id, tool, arguments_hash, token, status, lease_until, expires_at, sweep_at)
    SELECT c.run, c.call, c.tool, c.arguments, c.token, 'running', v_now + p_lease, v_now + p_life,
      ${schema}.full_hour(v_now + p_life)
    FROM unnest(p_runs, p_calls, p_tools, p_arguments, p_tokens) WITH ORDINALITY
      AS c (run, call, tool, arguments, token, n) ORDER BY c.n
    ON CONFLICT DO NOTHING RETURNING run_id, call_id)
  SELECT array_agg(c.n) INTO v_begun FROM added a
    JOIN unnest(p_runs, p_calls) WITH ORDINALITY AS c (run, call, n)
    ON c.run = a.run_id AND c.call = a.call_id;
  -- Only now: see begin_call.
  IF array_remove(p_epochs, NULL) <> '{}' THEN
    WITH late AS (DELETE FROM ${schema}.ledger l USING unnest(p_runs, p_calls, p_epochs) WITH ORDINALITY
        AS c (run, call, epoch, n), ${schema}.ledger_epochs e
      WHERE c.n = ANY (v_begun) AND e.run_id = c.run AND e.epoch > c.epoch
        AND l.run_id = c.run AND l.call_id = c.call RETURNING c.n)
    SELECT coalesce(array_agg(n), '{}') INTO v_late FROM late;
    v_begun := ARRAY(SELECT n FROM unnest(v_begun) AS n WHERE n <> ALL (v_late));
    INSERT INTO ${schema}.ledger_epochs AS e
      SELECT c.run, max(c.epoch), v_now + p_life + 86400000
      FROM unnest(p_runs, p_epochs) WITH ORDINALITY AS c (run, epoch, n)
      WHERE c.n = ANY (v_begun) AND c.epoch IS NOT NULL GROUP BY c.run ORDER BY min(c.n)
      ON CONFLICT (run_id) DO UPDATE
      SET epoch = greatest(e.epoch, excluded.epoch), sweep_at = greatest(e.sweep_at, excluded.sweep_at)
      WHERE e.epoch < excluded.epoch OR e.sweep_at < excluded.sweep_at - 86400000;
  END IF;
  -- Last, and without waiting: see begin_call.
  IF EXISTS (SELECT FROM ${schema}.ledger s WHERE s.sweep_at <= v_now) THEN
    DELETE FROM ${schema}.ledger l WHERE (l.run_id, l.call_id) IN (SELECT s.run_id, s.call_id
      FROM ${schema}.ledger s WHERE s.sweep_at <= v_now ORDER BY s.sweep_at LIMIT 100 FOR UPDATE SKIP LOCKED);
  END IF;
  RETURN QUERY SELECT unnest(v_begun);
END $$;

CREATE FUNCTION ${schema}.end_calls(p_runs text[], p_calls text[], p_tokens text[], p_ends uuid[],
  p_statuses text[], p_outcomes bytea[], p_life float8) RETURNS SETOF bigint ${inOrder} AS $$
DECLARE v_now float8 := ${schema}.now_ms();
BEGIN
  RETURN QUERY UPDATE ${schema}.ledger l SET status = c.status, outcome = c.outcome, ended_by = c.ended,
      lease_until = 0, expires_at = c.until, sweep_at = ${schema}.full_hour(c.until)
    FROM (SELECT u.*, v_now + CASE u.status WHEN 'released' THEN 3600000 ELSE p_life END AS until
      FROM unnest(p_runs, p_calls, p_tokens, p_ends, p_statuses, p_outcomes) WITH ORDINALITY
        AS u (run, call, token, ended, status, outcome, n)) AS c
    WHERE l.run_id = c.run AND l.call_id = c.call AND l.token = c.token
      AND l.status IN ('running', 'unknown') RETURNING c.n;
END $$;

-- Takes the locks of the quotas of some owners, in one order for all processes: a shared one, like lock_quota, for an
-- owner with one operation. The locks of the result are shared.
CREATE FUNCTION ${schema}.lock_quotas(p_kind text, p_owners text[], p_counts bigint[], p_max float8)
RETURNS text[] LANGUAGE plpgsql AS $$
DECLARE v_owner record; v_shared text[] := '{}';
BEGIN
  FOR v_owner IN SELECT o.name, count(*) AS rows, max(o.used) AS used
    FROM unnest(p_owners, p_counts) AS o (name, used) GROUP BY o.name
    ORDER BY ${schema}.lock_of(p_kind || o.name) LOOP
    IF v_owner.rows > 1 THEN
      PERFORM pg_advisory_xact_lock(${schema}.lock_of(p_kind || v_owner.name));
    ELSIF NOT ${schema}.lock_quota(p_kind || v_owner.name, v_owner.used, p_max) THEN
      v_shared := v_shared || v_owner.name;
    END IF;
  END LOOP;
  RETURN v_shared;
END $$;

CREATE FUNCTION ${schema}.add_pending_calls(p_ids text[], p_interruptions text[], p_digests bytea[],
  p_owners text[], p_expires float8[], p_max float8) RETURNS SETOF bigint ${inOrder} AS $$
DECLARE v_now float8 := ${schema}.now_ms(); v_shared text[];
BEGIN
  v_shared := ${schema}.lock_quotas('pending:', p_owners, ARRAY(SELECT (SELECT count(*)
    FROM ${schema}.pending_calls WHERE quota_owner = o.name AND status = 'pending' AND expires_at > v_now)
    FROM unnest(p_owners) WITH ORDINALITY AS o (name, n) ORDER BY o.n), p_max);
  RETURN QUERY WITH added AS (INSERT INTO ${schema}.pending_calls
      (id, interruption, state_digest, quota_owner, expires_at)
    SELECT c.id, c.interruption, c.digest, c.owner, c.expires
    FROM (SELECT *, row_number() OVER (PARTITION BY u.owner ORDER BY u.n) AS place
      FROM unnest(p_ids, p_interruptions, p_digests, p_owners, p_expires) WITH ORDINALITY
        AS u (id, interruption, digest, owner, expires, n)) AS c
    WHERE c.place + (SELECT count(*) FROM ${schema}.pending_calls
        WHERE quota_owner = c.owner AND status = 'pending' AND expires_at > v_now)
      + CASE WHEN c.owner = ANY (v_shared) THEN current_setting('max_connections')::int ELSE 0 END <= p_max
    ORDER BY c.n ON CONFLICT (id) DO NOTHING RETURNING id)
  SELECT c.n FROM added a JOIN unnest(p_ids) WITH ORDINALITY AS c (id, n) USING (id);
${removeExpiredCalls(schema)}END $$;

CREATE FUNCTION ${schema}.claim_pending_calls(p_ids text[], p_digests bytea[], p_tokens uuid[],
  p_lease float8) RETURNS SETOF bigint ${inOrder} AS $$
BEGIN
  IF ${schema}.refuses_claim(0, p_lease) THEN RETURN; END IF;
  RETURN QUERY UPDATE ${schema}.pending_calls p
    SET status = 'claimed', claim_token = c.token, lease_until = ${schema}.now_ms() + p_lease
    FROM unnest(p_ids, p_digests, p_tokens) WITH ORDINALITY AS c (id, digest, token, n)
    WHERE p.id = c.id AND p.state_digest = c.digest AND p.status = 'pending'
      AND p.expires_at > ${schema}.now_ms() RETURNING c.n;
END $$;

-- Those without a result.
CREATE FUNCTION ${schema}.finish_pending_calls(p_ids text[]) RETURNS SETOF bigint ${inOrder} AS $$
BEGIN
  RETURN QUERY UPDATE ${schema}.pending_calls p SET status = 'finished'
    FROM unnest(p_ids) WITH ORDINALITY AS c (id, n) WHERE p.id = c.id RETURNING c.n;
END $$;

-- Like reserve_rates for several sets of keys; the elements are arrays.
CREATE FUNCTION ${schema}.reserve_rate_sets(p_keys text[], p_windows text[], p_ids text[],
  p_amounts text[], p_limits text[], p_lease float8)
RETURNS TABLE (n bigint, refused_by int, wait float8) LANGUAGE plpgsql SET enable_seqscan = off AS $$
DECLARE v_now float8; v_keys text[];
BEGIN
  -- First all that waits for other transactions, so that none of them waits for rows that this one removes after it.
  v_keys := ARRAY(SELECT key FROM unnest(p_keys) AS keys, unnest(keys::text[]) AS key);
  PERFORM pg_advisory_xact_lock(id) FROM (SELECT DISTINCT ${schema}.lock_of('rate:' || key) AS id
    FROM unnest(v_keys) AS key ORDER BY id) AS sorted;
  v_now := ${schema}.now_ms();
  DELETE FROM ${schema}.rate_reservations
    WHERE key = ANY (v_keys) AND counts_until <= v_now AND lease_until > 0;
  FOR v_at IN 1..cardinality(p_keys) LOOP
    RETURN QUERY SELECT v_at::bigint, r.refused_by, r.wait FROM ${schema}.reserve_rates(p_keys[v_at]::text[],
      p_windows[v_at]::float8[], p_ids[v_at]::uuid[], p_amounts[v_at]::float8[], p_limits[v_at]::float8[],
      p_lease) AS r;
  END LOOP;
END $$;

-- The numbers of rows of the reservations that count as committed.
CREATE FUNCTION ${schema}.commit_rates(p_ids uuid[]) RETURNS TABLE (n bigint, rows bigint) ${inOrder} AS $$
BEGIN
  RETURN QUERY WITH committed AS (UPDATE ${schema}.rate_reservations r SET lease_until = 0,
      counts_until = CASE WHEN r.lease_until = 0 THEN r.counts_until
        ELSE ${schema}.now_ms() + r.window_ms END
    FROM unnest(p_ids) WITH ORDINALITY AS c (id, n)
    WHERE r.id = c.id AND r.counts_until > ${schema}.now_ms() RETURNING c.n)
  SELECT c.n, count(*) FROM committed c GROUP BY c.n;
END $$;

CREATE FUNCTION ${schema}.add_tasks(p_ids text[], p_owners text[], p_quotas text[], p_statuses text[],
  p_tasks bytea[], p_expires float8[], p_tokens uuid[], p_lease float8, p_max float8)
RETURNS SETOF bigint ${inOrder} AS $$
DECLARE v_now float8 := ${schema}.now_ms(); v_shared text[];
BEGIN
  v_shared := ${schema}.lock_quotas('tasks:', p_quotas, ARRAY(SELECT (SELECT count(*)
    FROM ${schema}.tasks WHERE quota_owner = o.name AND expires_at > v_now)
    FROM unnest(p_quotas) WITH ORDINALITY AS o (name, n) ORDER BY o.n), p_max);
  RETURN QUERY WITH added AS (INSERT INTO ${schema}.tasks
      (id, owner, quota_owner, status, task, expires_at, lease_until, token)
    SELECT c.id, c.owner, c.quota, c.status, c.task, c.expires,
      CASE c.status WHEN 'working' THEN v_now + p_lease ELSE 0 END, c.token
    FROM (SELECT *, row_number() OVER (PARTITION BY u.quota ORDER BY u.n) AS place
      FROM unnest(p_ids, p_owners, p_quotas, p_statuses, p_tasks, p_expires, p_tokens) WITH ORDINALITY
        AS u (id, owner, quota, status, task, expires, token, n)) AS c
    WHERE c.place + (SELECT count(*) FROM ${schema}.tasks WHERE quota_owner = c.quota AND expires_at > v_now)
      + CASE WHEN c.quota = ANY (v_shared) THEN current_setting('max_connections')::int ELSE 0 END <= p_max
    ORDER BY c.n ON CONFLICT (id) DO NOTHING RETURNING id)
  SELECT c.n FROM added a JOIN unnest(p_ids) WITH ORDINALITY AS c (id, n) USING (id);
  IF EXISTS (SELECT FROM ${schema}.tasks WHERE expires_at <= v_now) THEN
    DELETE FROM ${schema}.tasks WHERE id IN (SELECT id FROM ${schema}.tasks WHERE expires_at <= v_now
      ORDER BY expires_at LIMIT 100 FOR UPDATE SKIP LOCKED);
  END IF;
END $$;

CREATE FUNCTION ${schema}.change_tasks(p_ids text[], p_statuses text[], p_changes bytea[],
  p_expires float8[], p_are_held boolean[], p_tokens uuid[], p_lease float8)
RETURNS SETOF bigint ${inOrder} AS $$
DECLARE v_new uuid[]; v_changed bigint[]; v_now float8 := ${schema}.now_ms();
BEGIN
  -- A token that is there already was written by the function for one operation.
  WITH added AS (INSERT INTO ${schema}.write_answers (token, answer, at)
    SELECT token, 'true', v_now FROM unnest(p_tokens) AS token ON CONFLICT DO NOTHING RETURNING token)
  SELECT array_agg(token) INTO v_new FROM added;
  WITH changed AS (UPDATE ${schema}.tasks t SET status = c.status, change = c.change,
      expires_at = c.expires, cancel_requested_by = NULL,
      lease_until = CASE c.status WHEN 'working' THEN ${schema}.now_ms() + p_lease ELSE 0 END
    FROM unnest(p_ids, p_statuses, p_changes, p_expires, p_are_held, p_tokens) WITH ORDINALITY
      AS c (id, status, change, expires, is_held, token, n)
    WHERE t.id = c.id AND c.token = ANY (v_new) AND t.expires_at > ${schema}.now_ms()
      AND t.status IN ('working', 'input_required')
      AND (c.is_held OR t.status <> 'working' OR c.status <> 'working') RETURNING c.n)
  SELECT coalesce(array_agg(n), '{}') INTO v_changed FROM changed;
  IF cardinality(v_changed) < cardinality(v_new) THEN
    DELETE FROM ${schema}.write_answers WHERE token IN (SELECT c.token
      FROM unnest(p_tokens) WITH ORDINALITY AS c (token, n)
      WHERE c.token = ANY (v_new) AND c.n <> ALL (v_changed));
  END IF;
  RETURN QUERY SELECT unnest(v_changed);
END $$;

${replaced(callFunctions(schema), "change_task")}
`;

/** The present text of one function, in place of that of an earlier version. */
function replaced(functions: string, name: string): string {
  const text = functions.split(/^(?=CREATE FUNCTION)/m).find((one) => one.includes(`.${name}(`));
  return (text ?? "").replace(/^CREATE FUNCTION/, "CREATE OR REPLACE FUNCTION");
}
