import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { promisify } from "node:util";
import type { AuditRecord } from "@toolweave/core/stores";
import { postgresStore } from "@toolweave/postgres";
import { postgresPrograms } from "@toolweave/test-support/postgres-server";
import pg from "pg";
import type { TimedAgentEvent } from "../history/agent-events.ts";
import type { Effect, Tables } from "../history/history.ts";
import { workerKey } from "../worker/messages.ts";

/** The audit and the tables of a schema, after all workers have ended. */
export interface StoredState {
  readonly audit: readonly AuditRecord[];
  readonly tables: Tables;
}

/** Reads what the workers have left, once their leases have expired and expired rows are removed. */
export async function readStoredState(
  url: string,
  schema: string,
  leaseMs: number,
): Promise<StoredState> {
  await delay(leaseMs * 1.2);
  const store = postgresStore({ connectionString: url, schema, key: workerKey });
  await store.prune(100_000);
  store.close();
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const list = async (text: string): Promise<readonly string[]> => {
      const { rows } = await client.query<{ readonly text: string }>(text);
      return rows.map((row) => row.text);
    };
    const now = `${schema}.now_ms()`;
    const unfinished = await list(`
      SELECT 'The approval ' || id || ' is claimed by a process that has ended, with a lease.' AS text
        FROM ${schema}.pending_calls WHERE status = 'claimed' AND lease_until > ${now}
      UNION ALL SELECT 'The task ' || id || ' is run by a process that has ended, with a lease.'
        FROM ${schema}.tasks WHERE status = 'working' AND lease_until > ${now}
      UNION ALL SELECT 'The call ' || run_id || '/' || call_id || ' is run by a process that has ended, with a lease.'
        FROM ${schema}.ledger WHERE status = 'running' AND lease_until > ${now}`);
    const artifacts = await list(`
      SELECT 'The artifact ' || key || ' is incomplete, and was not removed.' AS text
        FROM ${schema}.artifacts WHERE NOT complete
      UNION ALL SELECT 'The artifact ' || a.key || ' has ' || sum(length(bytes)) || ' bytes of ' || a.size || '.'
        FROM ${schema}.artifacts a JOIN ${schema}.artifact_chunks c ON c.key = a.key WHERE a.complete
        GROUP BY a.key, a.size HAVING sum(length(bytes)) <> a.size`);
    const miscounted = await readMiscounted(client, schema);
    const audit = await list(`SELECT record AS text FROM ${schema}.audit ORDER BY seq`);
    return {
      audit: audit.map((record) => JSON.parse(record) as AuditRecord),
      tables: {
        unfinished,
        artifacts: [...artifacts, ...miscounted],
        dump: await dumpSchema(url, schema),
      },
    };
  } finally {
    await client.end();
  }
}

/** Owners whose bytes of artifacts, in the database and elsewhere, are counted wrongly: one sentence each. */
export async function readMiscounted(
  client: pg.Client,
  schema: string,
): Promise<readonly string[]> {
  const { rows } = await client.query<{ readonly text: string }>(`
    SELECT 'The owner ' || coalesce(u.quota_owner, s.quota_owner) || ' has ' || coalesce(s.bytes, 0)
        || ' bytes of artifacts, and ' || coalesce(u.bytes, 0) || ' are counted.' AS text
      FROM ${schema}.artifact_usage u FULL JOIN (
        SELECT quota_owner, sum(counted) AS bytes FROM (
          SELECT quota_owner, counted FROM ${schema}.artifacts
          UNION ALL SELECT quota_owner, counted FROM ${schema}.artifact_objects) a
        GROUP BY quota_owner) s ON s.quota_owner = u.quota_owner
      WHERE coalesce(u.bytes, 0) <> coalesce(s.bytes, 0)`);
  return rows.map((row) => row.text);
}

/** Without the bytes of artifacts, which are those of the checks. */
async function dumpSchema(url: string, schema: string): Promise<string> {
  const { stdout } = await promisify(execFile)(
    join(postgresPrograms() ?? "", "pg_dump"),
    [url, "--data-only", `--schema=${schema}`, `--exclude-table-data=${schema}.artifact_chunks`],
    { maxBuffer: 2 ** 30 },
  );
  return stdout;
}

/** The effects, and the events of agents, in the file of the effect log. */
export function readEffectLog(path: string): {
  readonly effects: readonly Effect[];
  readonly events: readonly TimedAgentEvent[];
} {
  const entries = readFileSync(path, "utf8")
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as Effect | TimedAgentEvent);
  const isEvent = (entry: Effect | TimedAgentEvent): entry is TimedAgentEvent => "event" in entry;
  return {
    effects: entries.filter((entry): entry is Effect => !isEvent(entry)),
    events: entries.filter(isEvent),
  };
}
