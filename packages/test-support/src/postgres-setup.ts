import type { TestProject } from "vitest/node";
import {
  pgbouncerProgram,
  postgresPrograms,
  startPgbouncer,
  startPostgres,
  unsafePostgres,
  type TestServer,
} from "./postgres-server.ts";

declare module "vitest" {
  export interface ProvidedContext {
    /** Of a server that runs for all tests; absent: there is no PostgreSQL. */
    postgresUrl: string | undefined;
    /** Of a pgbouncer in transaction mode in front of it; absent: a quick run, or there is none. */
    pgbouncerUrl: string | undefined;
  }
}

const started: TestServer[] = [];

/** Ends what `setup` has started. */
export async function teardown(): Promise<void> {
  for (const server of started.toReversed()) await server.stop();
}

/** Starts one PostgreSQL on loopback for the test run, and in a full run a pgbouncer in front of it. */
export async function setup(project: TestProject): Promise<void> {
  if (postgresPrograms() === undefined) {
    if (process.env["CI"]) throw new Error("PostgreSQL is missing: apt-get install postgresql.");
    process.stderr.write("The tests of PostgreSQL are skipped: it is not installed.\n");
    return;
  }
  try {
    const server = await startPostgres(unsafePostgres);
    started.push(server);
    project.provide("postgresUrl", server.url);
    if (project.config.env["TOOLWEAVE_FULL"] !== "1" || pgbouncerProgram() === undefined) return;
    const pooler = await startPgbouncer(server);
    started.push(pooler);
    project.provide("pgbouncerUrl", pooler.url);
  } catch (error) {
    await teardown();
    throw error;
  }
}
