import { allKinds, killWorkers, waitFor } from "./load-kinds.ts";
import { runLoad } from "./run-load.ts";
import type { Scenario } from "./scenario.ts";
import { withPostgres } from "./with-postgres.ts";

/** W1: workers are killed. */
export const killedWorkers: Scenario = {
  id: "W1",
  summary: "kill -9 of one of 3 workers every 0.5 to 1 s",
  run: (run) =>
    withPostgres(run, {}, ({ url }) =>
      runLoad(run, { scenario: "W1", url, kinds: allKinds, faults: killWorkers }),
    ),
};

/** W2: workers are stopped for longer than their lease, and continue when others have taken over. */
export const stoppedWorkers: Scenario = {
  id: "W2",
  summary: "SIGSTOP of one of 3 workers for 2.5 to 4 s, longer than its lease of 2 s, then SIGCONT",
  run: (run) =>
    withPostgres(run, {}, ({ url }) =>
      runLoad(run, {
        ...{ scenario: "W2", url, kinds: allKinds },
        // Clients repeat a request while the stopped worker still has it.
        replyMs: 1_200,
        async faults({ cluster, random, signal, countRestart }) {
          while (await waitFor(random.between(200, 500), signal)) {
            const ms = Math.floor(random.between(2_500, 4_000));
            await cluster.stop(Math.floor(random.between(0, 3)), ms);
            countRestart();
          }
        },
      }),
    ),
};
