import { setTimeout as delay } from "node:timers/promises";
import { postgresStore } from "@toolweave/postgres";
import { ReplicatedPostgres } from "../cluster/replicated-postgres.ts";
import { groupBy, type Violation } from "../history/history.ts";
import { workerKey } from "../worker/messages.ts";
import { allKinds, inLongRun, waitFor } from "./load-kinds.ts";
import { runLoad } from "./run-load.ts";
import type { Scenario, ScenarioResult, ScenarioRun } from "./scenario.ts";

/** F1: the primary is killed, and a standby that has every commit is promoted. */
export const synchronousFailover: Scenario = {
  id: "F1",
  summary: "the primary is killed every 5 s and its standby promoted; replication is synchronous",
  run: (run) => failOver("F1", run, true),
};

/** F2: the same with a standby that does not have the last commits. */
export const asynchronousFailover: Scenario = {
  id: "F2",
  summary:
    "the same with asynchronous replication that has stopped before: commits are lost, and the store reports the promotion",
  async run(run) {
    const result = await failOver("F2", run, false);
    const { violations } = result;
    // Lost commits break invariants, as it is documented. They are counted here, and not reported as violations.
    const isExpected = ({ invariant }: Violation): boolean => invariant.startsWith("I");
    const broken = [...groupBy(violations.filter(isExpected), ({ invariant }) => invariant)];
    return {
      ...result,
      violations: violations.filter((violation) => !isExpected(violation)),
      details: {
        ...result.details,
        ...Object.fromEntries(
          broken.map(([invariant, found]) => [`broken ${invariant}`, found.length]),
        ),
      },
    };
  },
};

async function failOver(
  scenario: string,
  run: ScenarioRun,
  isSynchronous: boolean,
): Promise<ScenarioResult> {
  const database = await ReplicatedPostgres.start(isSynchronous);
  const { url } = database;
  try {
    const problems: string[] = [];
    const result = await runLoad(run, {
      ...{ scenario, url, kinds: allKinds },
      // The store remembers the timeline of the server.
      prepare: async (schema) => void (await readProblems(url, schema)),
      async faults({ recorder, schema, signal, countRestart }) {
        while (await waitFor(inLongRun(run, 5_000, 1_000), signal)) {
          const end = recorder.beginFault("restart");
          if (!isSynchronous) {
            await database.disconnectStandby();
            await delay(500);
          }
          await database.failOver();
          problems.push(...(await readProblems(url, schema)));
          // Commits may wait for the new standby for longer than a lease.
          await database.addStandby();
          end();
          countRestart();
        }
      },
    });
    const isReported = problems.some((text) => text.includes("has been promoted"));
    const unreported = { invariant: "promotion", text: "The store does not report the promotion." };
    return isReported ? result : { ...result, violations: [...result.violations, unreported] };
  } finally {
    await database.end();
  }
}

async function readProblems(url: string, schema: string): Promise<readonly string[]> {
  const store = postgresStore({ connectionString: url, schema, key: workerKey });
  try {
    return await store.problems();
  } finally {
    store.close();
  }
}
