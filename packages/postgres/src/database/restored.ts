import type { Database } from "./database.ts";

/**
 * Whether the tables were made in another database than this one: they were restored from a dump. The first call stores
 * the identity of the database.
 *
 * @throws ToolError `store_unavailable`
 */
export async function isRestored(db: Database): Promise<boolean> {
  const [row] = await db.inspect(
    "SELECT oid::text AS id FROM pg_database WHERE datname = current_database()",
  );
  const system = await readSystem(db);
  const identity = { database: String(row?.["id"]), ...(system === undefined ? {} : { system }) };
  let isSame = true;
  for (const [name, value] of Object.entries(identity)) {
    await db.run(`INSERT INTO ${db.schema}.meta VALUES ($1, $2) ON CONFLICT (name) DO NOTHING`, [
      name,
      value,
    ]);
    const stored = await db.value(`SELECT value FROM ${db.schema}.meta WHERE name = $1`, [name]);
    if (stored !== value) isSame = false;
  }
  return !isSame;
}

/** The identifier of the server's data. Undefined: the role may not read it. */
async function readSystem(db: Database): Promise<string | undefined> {
  try {
    const [row] = await db.inspect("SELECT system_identifier::text AS id FROM pg_control_system()");
    return row?.["id"] as string | undefined;
  } catch {
    return undefined;
  }
}

/** The problem of a database that was restored, and how a person confirms that it is solved. */
export const restoredProblem = (schema: string): string =>
  `The store was restored from a dump, or moved to another database. Claims that were made after the dump are forgotten: an approval could be used again, and a call of a durable run could start again. See "Backup and restore" in docs/guides/scale-out.md; then DELETE FROM ${schema}.meta WHERE name IN ('database', 'system').`;
