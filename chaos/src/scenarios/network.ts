import { startPostgresProxy, type PostgresProxy } from "@toolweave/test-support";
import { pgbouncerProgram, startPgbouncer } from "@toolweave/test-support/postgres-server";
import { checkApprovedCallsRan } from "../checks/calls.ts";
import { approvalByAll } from "../operations/kinds.ts";
import type { Random } from "../cluster/random.ts";
import { allKinds, inLongRun, killWorkers, waitFor } from "./load-kinds.ts";
import { runLoad } from "./run-load.ts";
import type { Scenario, ScenarioRun } from "./scenario.ts";
import { withOwnPostgres, withPostgres } from "./with-postgres.ts";

/** Does `work` with a proxy between each worker and the database. */
async function withProxies<Result>(
  count: number,
  url: string,
  seed: number,
  work: (proxies: readonly PostgresProxy[]) => Promise<Result>,
): Promise<Result> {
  const proxies: PostgresProxy[] = [];
  try {
    for (let slot = 0; slot < count; slot++) {
      proxies.push(await startPostgresProxy(url, seed * 100 + slot));
    }
    return await work(proxies);
  } finally {
    for (const proxy of proxies) await proxy.end();
  }
}

function countLostAnswers(proxies: readonly PostgresProxy[]): number {
  return proxies.reduce((sum, { counts }) => sum + counts.lostAnswers, 0);
}

/** One fault of a connection, which lasts until `restore`. Returns its milliseconds. */
function disturb(proxy: PostgresProxy, random: Random, run: ScenarioRun): number {
  const silence = inLongRun(run, 7_000, 3_000);
  const faults: readonly (() => number)[] = [
    () => proxy.resetAll(),
    () => (proxy.silence("both"), random.between(500, silence)),
    () => (proxy.silence("toServer"), random.between(500, silence)),
    () => (proxy.silence("toClient"), random.between(500, silence)),
    () => (proxy.cutAfter(Math.floor(random.between(0, 600)), "toServer"), 300),
    () => (proxy.cutAfter(Math.floor(random.between(0, 600)), "toClient"), 300),
    () => (proxy.loseAnswers(random.between(0.05, 0.3)), random.between(500, 2_000)),
    () => (proxy.delay(random.between(5, 50)), 1_000),
  ];
  return random.pick(faults)();
}

/** N1: the connections of workers to the database fail in every way. */
export const brokenNetwork: Scenario = {
  id: "N1",
  summary:
    "connections to PostgreSQL: reset, silent in one or both directions, cut at any byte, answers of commits lost",
  run: (run) =>
    withPostgres(run, {}, ({ url }) =>
      withProxies(3, url, run.seed, (proxies) =>
        runLoad(run, {
          ...{ scenario: "N1", url, kinds: allKinds },
          workerUrl: (slot) => proxies[slot]?.url ?? url,
          lostStatements: () => countLostAnswers(proxies),
          async faults({ cluster, recorder, random, signal, countRestart }) {
            const disturbAll = async (proxy: PostgresProxy, slot: number): Promise<void> => {
              while (await waitFor(random.between(200, 1_500), signal)) {
                const end = recorder.beginFault("network", cluster.nameAt(slot));
                await waitFor(disturb(proxy, random, run), signal);
                proxy.restore();
                end();
                countRestart();
              }
            };
            await Promise.all(proxies.map(disturbAll));
          },
        }),
      ),
    ),
};

/** B1: a pooler in transaction mode, and killed workers. */
export const pooledConnections: Scenario = {
  id: "B1",
  summary: "all connections through pgbouncer in transaction mode, under the kills of W1",
  missing: () =>
    pgbouncerProgram() === undefined
      ? "pgbouncer is not installed: apt-get install pgbouncer."
      : undefined,
  run: (run) =>
    withOwnPostgres({}, async (server) => {
      const pooler = await startPgbouncer(server);
      try {
        return await runLoad(run, {
          ...{ scenario: "B1", url: server.url, kinds: allKinds },
          workerUrl: () => pooler.url,
          faults: killWorkers,
        });
      } finally {
        await pooler.stop();
      }
    }),
};

/** Approvals at many replicas at once, with lost answers of commits. */
export const approvals: Scenario = {
  id: "approvals",
  summary:
    "10,000 approvals over 4 replicas, 3 people answer each at once, 2 % of the answers of commits are lost",
  run: (run) =>
    withPostgres(run, {}, ({ url }) =>
      withProxies(4, url, run.seed, async (proxies) => {
        const end =
          "seconds" in run.end
            ? { operations: Math.ceil((Math.min(run.end.seconds, 60) / 60) * 10_000), faults: 0 }
            : run.end;
        const result = await runLoad(
          { ...run, end },
          {
            ...{ scenario: "approvals", url, workers: 4, clients: 16 },
            kinds: { approval: approvalByAll },
            check: checkApprovedCallsRan,
            workerUrl: (slot) => proxies[slot]?.url ?? url,
            lostStatements: () => countLostAnswers(proxies),
            async faults({ recorder, signal, cluster }) {
              const ends = proxies.map((proxy, slot) => {
                proxy.loseAnswers(0.02);
                return recorder.beginFault("network", cluster.nameAt(slot));
              });
              await new Promise((resolve) => signal.addEventListener("abort", resolve));
              for (const proxy of proxies) proxy.restore();
              for (const endFault of ends) endFault();
            },
          },
        );
        return { ...result, details: { ranOnce: result.effects } };
      }),
    ),
};
