/** The rows of artifacts whose bytes are elsewhere, and their writes. They share the quotas of the other artifacts. */
export const artifactObjects = (schema: string): string => `
CREATE TABLE ${schema}.artifact_objects (
  key text PRIMARY KEY,
  quota_owner text NOT NULL,
  description text NOT NULL,
  size float8 NOT NULL,
  -- Bytes that count against the quotas.
  counted float8 NOT NULL,
  expires_at float8 NOT NULL,
  place text NOT NULL,
  state text NOT NULL CHECK (state IN ('writing', 'ready', 'deleting')),
  -- The write has not ended: its bytes may still arrive, so that they are deleted twice.
  interrupted boolean NOT NULL DEFAULT false,
  -- From when on the bytes may be deleted: the expiry of a ready one, the end of the lease of another one.
  due_at float8 NOT NULL,
  token uuid NOT NULL
);
CREATE INDEX artifact_objects_due ON ${schema}.artifact_objects (due_at);

CREATE FUNCTION ${schema}.reserve_object(p_key text, p_owner text, p_description text, p_size float8,
  p_counted float8, p_expires float8, p_place text, p_lease float8, p_token uuid, p_max float8,
  p_max_owner float8) RETURNS text LANGUAGE plpgsql AS $$
DECLARE v_token uuid;
BEGIN
  PERFORM pg_advisory_xact_lock(${schema}.lock_of('artifacts'));
  SELECT token INTO v_token FROM ${schema}.artifact_objects WHERE key = p_key;
  IF FOUND THEN RETURN CASE WHEN v_token = p_token THEN 'reserved' ELSE 'taken' END; END IF;
  IF coalesce((SELECT bytes FROM ${schema}.artifact_usage WHERE quota_owner = p_owner), 0)
      + p_counted > p_max_owner THEN
    RETURN CASE WHEN p_max_owner < p_max THEN 'owner_full' ELSE 'full' END;
  END IF;
  IF (SELECT coalesce(sum(bytes), 0) FROM ${schema}.artifact_usage) + p_counted > p_max THEN
    RETURN 'full';
  END IF;
  INSERT INTO ${schema}.artifact_objects
    (key, quota_owner, description, size, counted, expires_at, place, state, due_at, token)
    VALUES (p_key, p_owner, p_description, p_size, p_counted, p_expires, p_place, 'writing',
      ${schema}.now_ms() + p_lease, p_token);
  INSERT INTO ${schema}.artifact_usage AS u VALUES (p_owner, p_counted)
    ON CONFLICT (quota_owner) DO UPDATE SET bytes = u.bytes + excluded.bytes;
  RETURN 'reserved';
END $$;

-- False: the row was taken for removal.
CREATE FUNCTION ${schema}.complete_object(p_key text, p_token uuid, p_place text) RETURNS boolean
LANGUAGE plpgsql AS $$
BEGIN
  UPDATE ${schema}.artifact_objects SET state = 'ready', place = p_place, due_at = expires_at
    WHERE key = p_key AND token = p_token AND state = 'writing';
  RETURN FOUND OR EXISTS (SELECT FROM ${schema}.artifact_objects
    WHERE key = p_key AND token = p_token AND state = 'ready');
END $$;

-- Takes rows for removal: one by its key and perhaps the token of its writer, or those that are due. A caller that lost
-- the answer gets the same rows again.
CREATE FUNCTION ${schema}.take_objects(p_key text, p_writer uuid, p_max int, p_lease float8, p_token uuid)
RETURNS TABLE (taken_key text, taken_place text) LANGUAGE plpgsql AS $$
DECLARE v_now float8 := ${schema}.now_ms(); v_keys text[];
BEGIN
  IF p_key IS NULL THEN
    v_keys := ARRAY(SELECT key FROM ${schema}.artifact_objects WHERE due_at <= v_now
      ORDER BY due_at LIMIT p_max FOR UPDATE SKIP LOCKED);
  ELSE
    v_keys := ARRAY[p_key];
  END IF;
  IF NOT EXISTS (SELECT FROM ${schema}.artifact_objects
      WHERE token = p_token AND (p_key IS NULL OR key = p_key)) THEN
    UPDATE ${schema}.artifact_objects SET state = 'deleting', token = p_token,
      due_at = v_now + p_lease, interrupted = interrupted OR state = 'writing'
      WHERE key = ANY (v_keys) AND (state <> 'deleting' OR due_at <= v_now)
        AND (p_writer IS NULL OR token = p_writer);
  END IF;
  RETURN QUERY SELECT key, place FROM ${schema}.artifact_objects
    WHERE token = p_token AND (p_key IS NULL OR key = p_key);
END $$;

CREATE FUNCTION ${schema}.remove_object(p_key text, p_token uuid, p_lease float8) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE v_row record;
BEGIN
  PERFORM pg_advisory_xact_lock(${schema}.lock_of('artifacts'));
  SELECT quota_owner, counted, interrupted INTO v_row FROM ${schema}.artifact_objects
    WHERE key = p_key AND token = p_token AND state = 'deleting' FOR UPDATE;
  IF NOT FOUND THEN RETURN; END IF;
  UPDATE ${schema}.artifact_usage SET bytes = bytes - v_row.counted
    WHERE quota_owner = v_row.quota_owner;
  DELETE FROM ${schema}.artifact_usage WHERE quota_owner = v_row.quota_owner AND bytes <= 0;
  IF v_row.interrupted THEN
    UPDATE ${schema}.artifact_objects SET interrupted = false, counted = 0,
      due_at = ${schema}.now_ms() + p_lease, token = gen_random_uuid() WHERE key = p_key;
  ELSE
    DELETE FROM ${schema}.artifact_objects WHERE key = p_key;
  END IF;
END $$;
`;
