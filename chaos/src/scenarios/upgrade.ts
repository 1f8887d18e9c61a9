import { postgresStore } from "@toolweave/postgres";
import pg from "pg";
import { bundleFormerVersion, hasFormerVersion } from "./former-version.ts";
import { inLongRun, kindsWithoutLedger, waitFor } from "./load-kinds.ts";
import { runLoad } from "./run-load.ts";
import type { Scenario } from "./scenario.ts";
import { withPostgres } from "./with-postgres.ts";

/** U1: a rolling upgrade, and back. */
export const rollingUpgrade: Scenario = {
  id: "U1",
  summary:
    "3 workers of the former version; the tables are migrated under load, then workers of both versions replace each other",
  missing: () =>
    hasFormerVersion() ? undefined : "the history of this clone has no former version.",
  run: (run) =>
    withPostgres(run, {}, async ({ url }) => {
      const former = await bundleFormerVersion();
      /** The slots with the present version. */
      const upgraded = new Set<number>();
      try {
        let versions: readonly number[] = [];
        const result = await runLoad(run, {
          ...{ scenario: "U1", url, kinds: kindsWithoutLedger, hasLedger: false },
          program: (slot, _generation, usual) =>
            upgraded.has(slot) ? usual : { ...usual, program: former.worker },
          async faults({ cluster, random, signal, countRestart, schema }) {
            await waitFor(inLongRun(run, 5_000, 1_000), signal);
            versions = await migrate(url, schema);
            countRestart();
            for (let slot = 0; slot < 3; slot++) {
              upgraded.add(slot);
              await cluster.kill(slot);
              await waitFor(500, signal);
            }
            // A rollback, and the next upgrade.
            while (await waitFor(random.between(500, 1_500), signal)) {
              const slot = Math.floor(random.between(0, 3));
              if (!upgraded.delete(slot)) upgraded.add(slot);
              await cluster.kill(slot);
            }
          },
        });
        const [before = 0, after = 0] = versions;
        const problem = {
          invariant: "upgrade",
          text: `The tables went from version ${before} to ${after}.`,
        };
        return {
          ...result,
          details: { ...result.details, versionBefore: before, versionAfter: after },
          violations: [...result.violations, ...(before === 1 && after > 1 ? [] : [problem])],
        };
      } finally {
        former.remove();
      }
    }),
};

/** Migrates the tables. Returns the versions before and after that. */
async function migrate(url: string, schema: string): Promise<readonly number[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const readVersion = async (): Promise<number> => {
    const { rows } = await client.query<{ readonly value: string }>(
      `SELECT value FROM ${schema}.meta WHERE name = 'schema_version'`,
    );
    return Number(rows[0]?.value ?? 0);
  };
  const store = postgresStore({ connectionString: url, schema });
  try {
    const before = await readVersion();
    await store.migrate();
    return [before, await readVersion()];
  } finally {
    store.close();
    await client.end();
  }
}
