import { startPostgres, type PostgresServer } from "@toolweave/test-support/postgres-server";
import type { ScenarioRun } from "./scenario.ts";

/**
 * Does `work` with a database: the shared one of the run, or a server of its own that ends afterwards.
 *
 * @param settings of the server of its own. It writes everything to the disk, as one in production does.
 */
export async function withPostgres<Result>(
  { postgresUrl }: ScenarioRun,
  settings: Readonly<Record<string, string>>,
  work: (database: { readonly url: string }) => Promise<Result>,
): Promise<Result> {
  if (postgresUrl !== undefined) return work({ url: postgresUrl });
  return withOwnPostgres(settings, work);
}

/** Does `work` with a server of its own, whose faults reach no other test. */
export async function withOwnPostgres<Result>(
  settings: Readonly<Record<string, string>>,
  work: (server: PostgresServer) => Promise<Result>,
): Promise<Result> {
  const server = await startPostgres(settings);
  try {
    return await work(server);
  } finally {
    await server.stop();
  }
}
