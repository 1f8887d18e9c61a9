/**
 * The writes of version 4, which do several operations in one transaction. Their arrays have an element for each
 * operation, and are in the order of the rows that these lock. The answers have the same order.
 *
 * What most operations do is one statement for all of them; the others are done by the functions for one operation.
 */
export const groupedFunctions = (schema: string): string => `
CREATE FUNCTION ${schema}.begin_calls(p_runs text[], p_calls text[], p_tools text[], p_arguments text[],
  p_epochs float8[], p_repeats text[], p_tokens text[], p_lease float8, p_life float8)
RETURNS TABLE (status text, outcome bytea, holder text) LANGUAGE plpgsql SET enable_seqscan = off AS $$
DECLARE v_now float8 := ${schema}.now_ms(); v_is_new boolean[];
BEGIN
  -- Calls with an epoch are not added first, so that all rows are locked in one order.
  IF array_remove(p_epochs, NULL) = '{}' AND NOT ${schema}.refuses_claim(NULL, p_lease) THEN
    WITH added AS (INSERT INTO ${schema}.ledger
        (run_id, call_id, tool, arguments_hash, token, status, lease_until, expires_at, sweep_at)
      SELECT c.run, c.call, c.tool, c.arguments, c.token, 'running', v_now + p_lease, v_now + p_life,
        ${schema}.full_hour(v_now + p_life)
      FROM unnest(p_runs, p_calls, p_tools, p_arguments, p_tokens) WITH ORDINALITY
        AS c (run, call, tool, arguments, token, n) ORDER BY c.n
      ON CONFLICT DO NOTHING RETURNING run_id, call_id)
    SELECT array_agg(a.run_id IS NOT NULL ORDER BY c.n) INTO v_is_new
      FROM unnest(p_runs, p_calls) WITH ORDINALITY AS c (run, call, n)
      LEFT JOIN added a ON a.run_id = c.run AND a.call_id = c.call;
  END IF;
  FOR v_at IN 1..cardinality(p_runs) LOOP
    IF v_is_new[v_at] THEN
      status := 'begun'; outcome := NULL; holder := NULL;
    ELSE
      SELECT b.status, b.outcome, b.holder INTO status, outcome, holder FROM ${schema}.begin_call(
        p_runs[v_at], p_calls[v_at], p_tools[v_at], p_arguments[v_at], p_epochs[v_at], p_repeats[v_at],
        p_tokens[v_at], p_lease, p_life) AS b;
    END IF;
    RETURN NEXT;
  END LOOP;
  -- Last, and without waiting: see begin_call.
  IF EXISTS (SELECT FROM ${schema}.ledger s WHERE s.sweep_at <= v_now) THEN
    DELETE FROM ${schema}.ledger l WHERE (l.run_id, l.call_id) IN (SELECT s.run_id, s.call_id
      FROM ${schema}.ledger s WHERE s.sweep_at <= v_now ORDER BY s.sweep_at LIMIT 100 FOR UPDATE SKIP LOCKED);
  END IF;
END $$;

CREATE FUNCTION ${schema}.end_calls(p_runs text[], p_calls text[], p_tokens text[], p_tools text[],
  p_arguments text[], p_ends uuid[], p_statuses text[], p_outcomes bytea[], p_life float8)
RETURNS SETOF boolean LANGUAGE plpgsql SET enable_seqscan = off SET enable_hashjoin = off
SET enable_mergejoin = off AS $$
DECLARE v_now float8 := ${schema}.now_ms(); v_ended bigint[];
BEGIN
  WITH ended AS (UPDATE ${schema}.ledger l SET status = c.status, outcome = c.outcome, ended_by = c.ended,
      lease_until = 0, expires_at = c.until, sweep_at = ${schema}.full_hour(c.until)
    FROM (SELECT u.*, v_now + CASE u.status WHEN 'released' THEN 3600000 ELSE p_life END AS until
      FROM unnest(p_runs, p_calls, p_tokens, p_ends, p_statuses, p_outcomes) WITH ORDINALITY
        AS u (run, call, token, ended, status, outcome, n)) AS c
    WHERE l.run_id = c.run AND l.call_id = c.call AND l.token = c.token
      AND l.status IN ('running', 'unknown') RETURNING c.n)
  SELECT array_agg(n) INTO v_ended FROM ended;
  FOR v_at IN 1..cardinality(p_runs) LOOP
    RETURN NEXT v_at = ANY (v_ended) IS TRUE OR ${schema}.end_call(p_runs[v_at], p_calls[v_at],
      p_tokens[v_at], p_tools[v_at], p_arguments[v_at], p_ends[v_at], p_statuses[v_at],
      p_outcomes[v_at], p_life);
  END LOOP;
END $$;
`;
