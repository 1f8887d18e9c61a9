import { DBOS } from "@dbos-inc/dbos-sdk";
import { startBalancer } from "@toolweave/test-support/balancer";
import { freePort } from "@toolweave/test-support/postgres-server";
import { hasRedis, startRedis } from "@toolweave/test-support/redis-server";
import { restateProgram, startRestate } from "@toolweave/test-support/restate-server";
import { checkAgentResults } from "../checks/agents.ts";
import { agentRun } from "../operations/kinds.ts";
import { agentName, type EngineSettings } from "../worker/messages.ts";
import type { HandOver } from "../history/hand-overs.ts";
import { killWorkers } from "./load-kinds.ts";
import { runLoad, type LoadPlan } from "./run-load.ts";
import type { Scenario, ScenarioResult, ScenarioRun } from "./scenario.ts";
import { watchStalledJobs } from "./stalled-jobs.ts";
import { withPostgres } from "./with-postgres.ts";

const summary = (engine: string): string =>
  `durable agents on ${engine}, with kill -9 of one of 3 workers every 0.5 to 1 s`;

/** D1 on DBOS. */
export const agentsOnDbos: Scenario = {
  id: "D1-dbos",
  summary: summary("DBOS"),
  run: (run) => runAgents(run, "D1-dbos", () => ({ name: "dbos" }), { prepare: makeDbosTables }),
};

/** D1 on Restate: its server calls the workers through one address. */
export const agentsOnRestate: Scenario = {
  id: "D1-restate",
  summary: summary("Restate"),
  missing() {
    const program = restateProgram();
    return typeof program === "string" ? undefined : program.message;
  },
  async run(run) {
    const program = restateProgram();
    if (typeof program !== "string") throw program;
    const ports = [await freePort(), await freePort(), await freePort()];
    const balancer = await startBalancer(ports.map((port) => ({ address: "127.0.0.1", port })));
    try {
      const server = await startRestate(program);
      const { ingressUrl } = server;
      try {
        return await runAgents(
          run,
          "D1-restate",
          (slot) => ({ name: "restate", ingressUrl, port: ports[slot] ?? 0 }),
          { ready: () => server.register(`http://127.0.0.1:${balancer.port}`) },
        );
      } finally {
        await server.stop();
      }
    } finally {
      await balancer.stop();
    }
  },
};

/** D1 on the engine of the example for BullMQ. */
export const agentsOnBullmq: Scenario = {
  id: "D1-bullmq",
  summary: summary("BullMQ"),
  missing: () =>
    hasRedis() ? undefined : "redis-server is not installed: apt-get install redis-server.",
  async run(run) {
    const redis = await startRedis();
    try {
      const stalled = await watchStalledJobs(agentName, redis.port);
      try {
        return await runAgents(run, "D1-bullmq", () => ({ name: "bullmq", redisUrl: redis.url }), {
          handOvers: () => stalled.read(),
        });
      } finally {
        await stalled.close();
      }
    } finally {
      await redis.stop();
    }
  },
};

/** Makes the tables of DBOS, which several workers must not do at the same time. */
export async function makeDbosTables(url: string, schema: string): Promise<void> {
  await DBOS.migrate(url, { schemaName: `${schema}_dbos` });
}

/** The load of agents on an engine. */
export function agentLoad(
  engine: (slot: number) => EngineSettings,
): Omit<LoadPlan, "scenario" | "url"> {
  return {
    kinds: { agentRun },
    ...{ worker: "worker/agent-worker.ts", leaseMs: 1_000 },
    program: (slot, _generation, usual) => ({
      ...usual,
      settings: { ...usual.settings, engine: engine(slot) },
    }),
    // A reply comes at the end of a run.
    replyMs: 60_000,
    faults: killWorkers,
    check: checkAgentResults,
    details: ({ budgets }) => ({
      recoveries: budgets.reduce((sum, { recoveries }) => sum + recoveries, 0),
      turns: budgets.reduce((sum, { used }) => sum + used, 0),
    }),
  };
}

function runAgents(
  run: ScenarioRun,
  scenario: string,
  engine: (slot: number) => EngineSettings,
  {
    prepare,
    ready,
    handOvers,
  }: {
    readonly prepare?: (url: string, schema: string) => Promise<void>;
    readonly ready?: () => Promise<void>;
    readonly handOvers?: () => Promise<readonly HandOver[]>;
  } = {},
): Promise<ScenarioResult> {
  return withPostgres(run, {}, ({ url }) =>
    runLoad(run, {
      ...{ scenario, url },
      ...agentLoad(engine),
      prepare: async (schema) => prepare?.(url, schema),
      ...(ready === undefined ? {} : { ready }),
      ...(handOvers === undefined ? {} : { handOvers }),
    }),
  );
}
