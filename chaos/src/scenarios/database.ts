import { stopFor } from "../cluster/child-processes.ts";
import { allKinds, inLongRun, waitFor } from "./load-kinds.ts";
import { runLoad } from "./run-load.ts";
import type { Scenario } from "./scenario.ts";
import { withOwnPostgres } from "./with-postgres.ts";

/** P1: the database crashes and recovers. */
export const crashedDatabase: Scenario = {
  id: "P1",
  summary: "PostgreSQL is restarted every 4 s: immediate shutdown, or kill -9 of the postmaster",
  run: (run) =>
    // With fsync, as in production.
    withOwnPostgres({}, (server) =>
      runLoad(run, {
        ...{ scenario: "P1", url: server.url, kinds: allKinds },
        async faults({ recorder, random, signal, countRestart }) {
          while (await waitFor(inLongRun(run, 4_000, 1_000), signal)) {
            const end = recorder.beginFault("restart");
            await server.restart(random.pick(["SIGQUIT", "SIGKILL"]));
            end();
            countRestart();
          }
        },
      }),
    ),
};

/** P2: the database does not answer for longer than every deadline. */
export const stoppedDatabase: Scenario = {
  id: "P2",
  summary: "SIGSTOP of PostgreSQL for 10 s, longer than the deadline of a statement, then SIGCONT",
  run: (run) =>
    withOwnPostgres({}, (server) =>
      runLoad(run, {
        ...{ scenario: "P2", url: server.url, kinds: allKinds },
        async faults({ recorder, signal, countRestart }) {
          while (await waitFor(inLongRun(run, 4_000, 500), signal)) {
            const end = recorder.beginFault("stop");
            await stopFor(server.pid, inLongRun(run, 10_000, 6_000));
            end();
            countRestart();
          }
        },
      }),
    ),
};
