import type { SharedStore } from "@toolweave/config";
import type { PostgresInspection, PostgresStore } from "@toolweave/postgres";
import { findRemedy } from "./problem-remedies.ts";
import { useDatabase } from "./use-database.ts";

/** A problem of a database, one sentence, and what to do about it. */
export interface Problem {
  readonly problem: string;
  /** Undefined: the sentence has it. */
  readonly remedy: string | undefined;
}

/** The state of a database. */
export interface DatabaseState extends PostgresInspection {
  /** Everything that prevents the store from working, or weakens its guarantees. */
  readonly problems: readonly Problem[];
}

/**
 * Examines a database. No table is created or changed.
 *
 * @throws Interrupt, and ToolError `store_unavailable`
 */
export function inspectDatabase(store: SharedStore, signal: AbortSignal): Promise<DatabaseState> {
  const work = async ({ inspect, problems }: PostgresStore): Promise<DatabaseState> => {
    const state = await inspect();
    const problem = findOutdated(state);
    if (problem !== undefined) return { ...state, problems: [problem] };
    const found = await problems();
    return {
      ...state,
      problems: found.map((text) => ({ problem: text, remedy: findRemedy(text) })),
    };
  };
  return useDatabase(store, work, signal);
}

/** The problem for which the store would have to change the tables, or cannot be used at all. */
function findOutdated(state: PostgresInspection): Problem | undefined {
  const { isReadReplica, tablesVersion, knownTablesVersion, canMigrate } = state;
  if (isReadReplica) {
    const problem =
      "The server is a read replica, which accepts no writes: connect to the primary.";
    return { problem, remedy: undefined };
  }
  if (tablesVersion >= knownTablesVersion) return undefined;
  const problem =
    tablesVersion === 0
      ? "The database has no tables of Toolweave yet."
      : `The tables are of version ${tablesVersion}; this program needs version ${knownTablesVersion}.`;
  const [change, right] =
    tablesVersion === 0
      ? ["creates", "may create a schema"]
      : ["updates", "owns the tables and may create a schema"];
  const remedy = canMigrate
    ? `Run \`toolweave db migrate\`; otherwise the first call ${change} them.`
    : `Run \`toolweave db migrate\` with a user that ${right}: this one may not.`;
  return { problem, remedy };
}
