/** The writes of version 1 for artifacts, schedules, credentials and memories, and the removal of expired rows. */
export const dataFunctions = (schema: string): string => `
-- Only while the lock of the artifacts is held.
CREATE FUNCTION ${schema}.drop_artifacts(p_keys text[]) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE v_count bigint;
BEGIN
  WITH dropped AS (DELETE FROM ${schema}.artifacts WHERE key = ANY (p_keys) RETURNING quota_owner, counted),
  sums AS (SELECT quota_owner, sum(counted) AS bytes, count(*) AS rows FROM dropped GROUP BY quota_owner),
  freed AS (UPDATE ${schema}.artifact_usage u SET bytes = u.bytes - s.bytes FROM sums s
    WHERE u.quota_owner = s.quota_owner RETURNING 1)
  SELECT coalesce(sum(rows), 0) INTO v_count FROM sums;
  DELETE FROM ${schema}.artifact_usage WHERE bytes <= 0;
  RETURN v_count;
END $$;

CREATE FUNCTION ${schema}.begin_artifact(p_key text, p_owner text, p_description text, p_size float8,
  p_counted float8, p_expires float8, p_lease float8, p_token uuid, p_max float8, p_max_owner float8)
RETURNS text LANGUAGE plpgsql AS $$
DECLARE v_now float8; v_token uuid; v_keys text[];
BEGIN
  PERFORM pg_advisory_xact_lock(${schema}.lock_of('artifacts'));
  v_now := ${schema}.now_ms();
  SELECT token INTO v_token FROM ${schema}.artifacts WHERE key = p_key;
  IF FOUND THEN RETURN CASE WHEN v_token = p_token THEN 'begun' ELSE 'taken' END; END IF;
  v_keys := ARRAY(SELECT key FROM ${schema}.artifacts WHERE expires_at <= v_now LIMIT 100)
    || ARRAY(SELECT key FROM ${schema}.artifacts WHERE NOT complete AND lease_until <= v_now LIMIT 100);
  PERFORM ${schema}.drop_artifacts(v_keys);
  WHILE coalesce((SELECT bytes FROM ${schema}.artifact_usage WHERE quota_owner = p_owner), 0)
      + p_counted > p_max_owner LOOP
    v_keys := ARRAY(SELECT key FROM ${schema}.artifacts WHERE quota_owner = p_owner
      AND (expires_at <= v_now OR (NOT complete AND lease_until <= v_now)) LIMIT 100);
    IF ${schema}.drop_artifacts(v_keys) = 0 THEN
      RETURN CASE WHEN p_max_owner < p_max THEN 'owner_full' ELSE 'full' END;
    END IF;
  END LOOP;
  WHILE (SELECT coalesce(sum(bytes), 0) FROM ${schema}.artifact_usage) + p_counted > p_max LOOP
    v_keys := ARRAY(SELECT key FROM ${schema}.artifacts
      WHERE expires_at <= v_now OR (NOT complete AND lease_until <= v_now) LIMIT 100);
    IF ${schema}.drop_artifacts(v_keys) = 0 THEN RETURN 'full'; END IF;
  END LOOP;
  INSERT INTO ${schema}.artifacts (key, quota_owner, description, size, counted, expires_at, lease_until, token)
    VALUES (p_key, p_owner, p_description, p_size, p_counted, p_expires, v_now + p_lease, p_token);
  INSERT INTO ${schema}.artifact_usage AS u VALUES (p_owner, p_counted)
    ON CONFLICT (quota_owner) DO UPDATE SET bytes = u.bytes + excluded.bytes;
  RETURN 'begun';
END $$;

-- False: the artifact was removed meanwhile, because its lease has expired.
CREATE FUNCTION ${schema}.append_artifact(p_key text, p_token uuid, p_lease float8, p_first int,
  p_chunks bytea[], p_is_last boolean) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
  UPDATE ${schema}.artifacts SET lease_until = ${schema}.now_ms() + p_lease
    WHERE key = p_key AND token = p_token AND NOT complete;
  IF NOT FOUND THEN
    RETURN EXISTS (SELECT FROM ${schema}.artifacts WHERE key = p_key AND token = p_token AND complete);
  END IF;
  INSERT INTO ${schema}.artifact_chunks (key, chunk, bytes)
    SELECT p_key, p_first + n - 1, p_chunks[n] FROM generate_subscripts(p_chunks, 1) AS n
    ON CONFLICT DO NOTHING;
  IF p_is_last THEN UPDATE ${schema}.artifacts SET complete = true WHERE key = p_key; END IF;
  RETURN true;
END $$;

CREATE FUNCTION ${schema}.delete_artifact(p_key text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_advisory_xact_lock(${schema}.lock_of('artifacts'));
  PERFORM ${schema}.drop_artifacts(ARRAY[p_key]);
END $$;

CREATE FUNCTION ${schema}.add_schedule(p_id text, p_owner text, p_job text, p_next float8, p_max float8,
  p_token uuid) RETURNS text LANGUAGE plpgsql AS $$
DECLARE v_count bigint; v_answer text := 'added';
BEGIN
  INSERT INTO ${schema}.write_answers (token, at) VALUES (p_token, ${schema}.now_ms())
    ON CONFLICT DO NOTHING;
  IF NOT FOUND THEN RETURN (SELECT answer FROM ${schema}.write_answers WHERE token = p_token); END IF;
  PERFORM pg_advisory_xact_lock(${schema}.lock_of('schedules:' || p_owner));
  SELECT count(*) INTO v_count FROM ${schema}.schedules WHERE owner = p_owner AND next_at IS NOT NULL;
  IF EXISTS (SELECT FROM ${schema}.schedules WHERE id = p_id) THEN
    v_answer := (SELECT CASE WHEN job = p_job THEN 'added' ELSE 'taken' END
      FROM ${schema}.schedules WHERE id = p_id);
  ELSIF v_count >= p_max THEN v_answer := 'full';
  ELSE
    INSERT INTO ${schema}.schedules (id, owner, job, next_at) VALUES (p_id, p_owner, p_job, p_next);
  END IF;
  UPDATE ${schema}.write_answers SET answer = v_answer WHERE token = p_token;
  RETURN v_answer;
END $$;

CREATE FUNCTION ${schema}.remove_schedule(p_owner text, p_id text, p_token uuid) RETURNS boolean
LANGUAGE plpgsql AS $$
DECLARE v_found boolean;
BEGIN
  INSERT INTO ${schema}.write_answers (token, at) VALUES (p_token, ${schema}.now_ms())
    ON CONFLICT DO NOTHING;
  IF NOT FOUND THEN
    RETURN (SELECT answer::boolean FROM ${schema}.write_answers WHERE token = p_token);
  END IF;
  DELETE FROM ${schema}.schedules WHERE owner = p_owner AND id = p_id;
  v_found := FOUND;
  UPDATE ${schema}.write_answers SET answer = v_found::text WHERE token = p_token;
  RETURN v_found;
END $$;

-- The time of the claim; null: another worker has the slot, or the job was removed.
CREATE FUNCTION ${schema}.claim_slot(p_id text, p_slot float8, p_next float8, p_lease float8, p_token uuid)
RETURNS float8 LANGUAGE plpgsql AS $$
DECLARE v_now float8 := ${schema}.now_ms();
BEGIN
  UPDATE ${schema}.schedules SET next_at = p_next, runs = runs + 1 WHERE id = p_id AND next_at = p_slot;
  IF NOT FOUND THEN
    RETURN (SELECT (run::json ->> 'startedAt')::float8 FROM ${schema}.schedule_runs
      WHERE id = p_id AND slot = p_slot AND token = p_token);
  END IF;
  INSERT INTO ${schema}.schedule_runs (id, slot, run, lease_until, token) VALUES (p_id, p_slot,
    json_build_object('slot', p_slot, 'status', 'running', 'startedAt', v_now)::text,
    v_now + p_lease, p_token)
    ON CONFLICT (id, slot) DO UPDATE SET run = excluded.run, lease_until = excluded.lease_until,
      token = excluded.token;
  DELETE FROM ${schema}.schedule_runs WHERE id = p_id AND slot < (SELECT slot FROM ${schema}.schedule_runs
    WHERE id = p_id ORDER BY slot DESC OFFSET 19 LIMIT 1);
  RETURN v_now;
END $$;

-- Without a value, the credential is deleted.
CREATE FUNCTION ${schema}.write_credential(p_name text, p_sealed bytea, p_writer uuid, p_write bigint,
  p_token uuid) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO ${schema}.write_answers (token, at) VALUES (p_token, ${schema}.now_ms())
    ON CONFLICT DO NOTHING;
  IF NOT FOUND THEN RETURN; END IF;
  IF p_sealed IS NULL THEN DELETE FROM ${schema}.credentials WHERE name = p_name; RETURN; END IF;
  INSERT INTO ${schema}.credentials AS c (name, sealed, writer, write)
    VALUES (p_name, p_sealed, p_writer, p_write) ON CONFLICT (name) DO UPDATE
    SET sealed = excluded.sealed, writer = excluded.writer, write = excluded.write
    WHERE c.writer <> excluded.writer OR c.write < excluded.write;
END $$;

${memoryFunction(schema)}
CREATE FUNCTION ${schema}.forget_memory(p_owner text, p_key text, p_trace_ms float8, p_token uuid)
RETURNS text LANGUAGE plpgsql AS $$
DECLARE v_now float8 := ${schema}.now_ms(); v_row record; v_answer text := 'erased';
BEGIN
  INSERT INTO ${schema}.write_answers (token, at) VALUES (p_token, v_now) ON CONFLICT DO NOTHING;
  IF NOT FOUND THEN RETURN (SELECT answer FROM ${schema}.write_answers WHERE token = p_token); END IF;
  SELECT id, forgotten_at INTO v_row FROM ${schema}.memories
    WHERE owner = p_owner AND key = p_key AND expires_at > v_now FOR UPDATE;
  IF NOT FOUND THEN v_answer := 'unknown';
  ELSIF v_row.forgotten_at IS NOT NULL THEN v_answer := 'forgotten';
  ELSE
    UPDATE ${schema}.memories SET entry = '', words = '', model = NULL, vector = NULL,
      forgotten_at = v_now, expires_at = v_now + p_trace_ms WHERE id = v_row.id;
  END IF;
  UPDATE ${schema}.write_answers SET answer = v_answer WHERE token = p_token;
  RETURN v_answer;
END $$;

-- Removes what has expired, if no other process is doing that. The number of removed rows.
CREATE FUNCTION ${schema}.sweep(p_max int) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE v_now float8 := ${schema}.now_ms(); v_rows bigint; v_all bigint := 0;
BEGIN
  IF NOT pg_try_advisory_xact_lock(${schema}.lock_of('sweep')) THEN RETURN 0; END IF;
  DELETE FROM ${schema}.pending_calls WHERE id IN (SELECT id FROM ${schema}.pending_calls
    WHERE status <> 'claimed' AND expires_at <= v_now LIMIT p_max FOR UPDATE SKIP LOCKED);
  GET DIAGNOSTICS v_rows = ROW_COUNT; v_all := v_all + v_rows;
  DELETE FROM ${schema}.rate_reservations WHERE (id, key) IN (SELECT id, key FROM ${schema}.rate_reservations
    WHERE counts_until <= v_now LIMIT p_max FOR UPDATE SKIP LOCKED);
  GET DIAGNOSTICS v_rows = ROW_COUNT; v_all := v_all + v_rows;
  DELETE FROM ${schema}.tasks WHERE id IN (SELECT id FROM ${schema}.tasks
    WHERE expires_at <= v_now LIMIT p_max FOR UPDATE SKIP LOCKED);
  GET DIAGNOSTICS v_rows = ROW_COUNT; v_all := v_all + v_rows;
  DELETE FROM ${schema}.memories WHERE id IN (SELECT id FROM ${schema}.memories
    WHERE expires_at <= v_now LIMIT p_max FOR UPDATE SKIP LOCKED);
  GET DIAGNOSTICS v_rows = ROW_COUNT; v_all := v_all + v_rows;
  DELETE FROM ${schema}.write_answers WHERE token IN (SELECT token FROM ${schema}.write_answers
    WHERE at <= v_now - 3600000 LIMIT p_max FOR UPDATE SKIP LOCKED);
  GET DIAGNOSTICS v_rows = ROW_COUNT; v_all := v_all + v_rows;
  PERFORM pg_advisory_xact_lock(${schema}.lock_of('artifacts'));
  RETURN v_all + ${schema}.drop_artifacts(ARRAY(SELECT key FROM ${schema}.artifacts
    WHERE expires_at <= v_now OR (NOT complete AND lease_until <= v_now) LIMIT p_max));
END $$;
`;

/** The write of a memory. Ids are in the order of the writes. */
export function memoryFunction(schema: string): string {
  return `
-- 'replaced' or 'stored' or 'full'.
CREATE FUNCTION ${schema}.set_memory(p_owner text, p_key text, p_category text, p_entry text,
  p_words text[], p_expires float8, p_model text, p_vector bytea, p_max float8, p_token uuid)
RETURNS text LANGUAGE plpgsql AS $$
DECLARE v_now float8 := ${schema}.now_ms(); v_there boolean; v_answer text;
BEGIN
  INSERT INTO ${schema}.write_answers (token, at) VALUES (p_token, v_now) ON CONFLICT DO NOTHING;
  IF NOT FOUND THEN RETURN (SELECT answer FROM ${schema}.write_answers WHERE token = p_token); END IF;
  PERFORM pg_advisory_xact_lock(${schema}.lock_of('memories:' || p_owner));
  DELETE FROM ${schema}.memories WHERE id IN (SELECT id FROM ${schema}.memories WHERE expires_at <= v_now
    ORDER BY expires_at LIMIT 100 FOR UPDATE SKIP LOCKED);
  v_there := EXISTS (SELECT FROM ${schema}.memories
    WHERE owner = p_owner AND key = p_key AND forgotten_at IS NULL AND expires_at > v_now);
  IF NOT v_there AND (SELECT count(*) FROM ${schema}.memories
      WHERE owner = p_owner AND forgotten_at IS NULL AND expires_at > v_now) >= p_max THEN
    v_answer := 'full';
  ELSE
    INSERT INTO ${schema}.memories
      (owner, key, category, entry, words, stored_at, expires_at, model, vector)
      VALUES (p_owner, p_key, p_category, p_entry, array_to_tsvector(p_words), v_now, p_expires,
        p_model, p_vector)
      ON CONFLICT (owner, key) DO UPDATE SET id = DEFAULT, category = excluded.category, entry = excluded.entry,
        words = excluded.words, stored_at = excluded.stored_at, expires_at = excluded.expires_at,
        model = excluded.model, vector = excluded.vector, forgotten_at = NULL;
    v_answer := CASE WHEN v_there THEN 'replaced' ELSE 'stored' END;
  END IF;
  UPDATE ${schema}.write_answers SET answer = v_answer WHERE token = p_token;
  RETURN v_answer;
END $$;
`;
}
