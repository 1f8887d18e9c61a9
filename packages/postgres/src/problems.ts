import type { ListenerState } from "./changes/listener.ts";
import type { Database } from "./database/database.ts";
import { isRestored, restoredProblem } from "./database/restored.ts";

interface Setting {
  readonly name: string;
  readonly isSafe: (value: string) => boolean;
  readonly problem: string;
}

const settings: readonly Setting[] = [
  {
    name: "fsync",
    isSafe: (value) => value === "on",
    problem:
      "fsync is off: a crash of the server loses claims, and an approval could be used twice.",
  },
  {
    name: "full_page_writes",
    isSafe: (value) => value === "on",
    problem: "full_page_writes is off: a crash of the server can damage the tables.",
  },
  {
    name: "synchronous_commit",
    isSafe: (value) => value !== "off",
    problem:
      "synchronous_commit is off: a crash of the server loses the last claims, and an approval could be used twice.",
  },
  {
    name: "server_encoding",
    isSafe: (value) => value === "UTF8",
    problem:
      "The encoding of the database is not UTF8: texts with other characters than its own are refused. Create the database with ENCODING 'UTF8'.",
  },
];

/**
 * Reports everything that makes the guarantees of the store weaker than they are documented, one sentence each.
 *
 * @throws ToolError `store_unavailable`
 */
export async function findProblems(
  db: Database,
  {
    hasKey,
    listener,
  }: {
    readonly hasKey: boolean;
    /** Connects for notifications. `undefined`: the host does not want them. */
    readonly listener: () => Promise<ListenerState | undefined>;
  },
): Promise<readonly string[]> {
  await db.prepare();
  const rows = await db.inspect(
    `SELECT name, setting FROM pg_settings WHERE name IN ('fsync', 'full_page_writes', 'synchronous_commit',
       'server_encoding', 'statement_timeout')`,
  );
  const found = new Map(rows.map((row) => [row["name"], String(row["setting"])]));
  const problems = settings
    .filter(({ name, isSafe }) => !isSafe(found.get(name) ?? ""))
    .map(({ problem }) => problem);
  if (found.get("statement_timeout") === "0") {
    problems.push(
      "statement_timeout is 0: set it for the role of this connection, such as ALTER ROLE app SET statement_timeout = '5s'.",
    );
  }
  if (!hasKey) {
    problems.push("The store has no key: credentials are refused, and task results are readable.");
  }
  const state = await listener();
  if (state !== undefined && state !== "listening") {
    problems.push(
      state === "deaf"
        ? "Notifications do not arrive, because there is a pooler in transaction mode: changes of tasks are found by polling. Pass the address of the server as listen, or false."
        : "The server cannot be reached for notifications: changes of tasks are found by polling. Check listen.",
    );
  }
  if (!(await isSameTimeline(db, await readTimeline(db)))) {
    problems.push(
      "The server has been promoted since the store was made. If its replication is asynchronous, claims of the last moments before that may be lost; claims of earlier calls were refused for one lease after it.",
    );
  }
  if (await isRestored(db)) problems.push(restoredProblem(db.schema));
  return problems;
}

/** The timeline of a primary, from the name of its log: the control file has the former one until a checkpoint. */
async function readTimeline(db: Database): Promise<string> {
  const [row] = await db.inspect(
    `SELECT ('x' || left(pg_walfile_name(pg_current_wal_lsn()), 8))::bit(32)::int::text AS id`,
  );
  return row?.["id"] as string;
}

async function isSameTimeline(db: Database, timeline: string): Promise<boolean> {
  await db.run(
    `INSERT INTO ${db.schema}.meta VALUES ('timeline', $1) ON CONFLICT (name) DO NOTHING`,
    [timeline],
  );
  return (
    (await db.value(`SELECT value FROM ${db.schema}.meta WHERE name = 'timeline'`)) === timeline
  );
}
