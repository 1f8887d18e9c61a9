import { appendFileSync } from "node:fs";
import { join } from "node:path";
import { DBOSClient } from "@dbos-inc/dbos-sdk";
import * as clients from "@restatedev/restate-sdk-clients";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  postgresPrograms,
  startPostgres,
  unsafePostgres,
  type PostgresServer,
} from "@toolweave/test-support/postgres-server";
import type { RestateHandlers } from "@toolweave/durable/restate";
import {
  duplicatesIn,
  effectsIn,
  killedRun,
  type KilledRun,
  type KilledRunReport,
} from "./support/killed-runs.ts";
import { namespaceProblem, separateMachines, type Machine } from "./support/machines.ts";
import {
  restateProgram,
  startRestate,
  type RestateServer,
} from "@toolweave/test-support/restate-server";

const missing =
  namespaceProblem() ?? (postgresPrograms() === undefined ? "PostgreSQL is missing" : undefined);

/** The kills: each in a call, after its effect. */
const killAt = [2, 4, 6, 7, 9, 11, 14, 16, 19, 21];

describe.skipIf(missing !== undefined)(
  `an agent of 20 turns with 2 sub-agents on 3 machines${missing === undefined ? "" : ` (skipped: ${missing})`}`,
  () => {
    const program = restateProgram();
    let network: ReturnType<typeof separateMachines>;
    let postgres: PostgresServer;
    let restate: RestateServer | undefined;
    let withoutKills: readonly string[];

    beforeAll(async () => {
      network = separateMachines(3);
      postgres = await startPostgres({ ...unsafePostgres, listen_addresses: "*" });
      appendFileSync(join(postgres.data, "pg_hba.conf"), `host all all ${network.subnet} trust\n`);
      process.kill(postgres.pid, "SIGHUP");
      if (typeof program === "string") restate = await startRestate(program);
      withoutKills = effectsIn(await onDbos("agent", []));
    });
    afterAll(async () => {
      await restate?.stop();
      await postgres?.stop();
      await network?.remove();
    });

    const databaseUrl = ({ host }: Pick<Machine, "host">): string =>
      postgres.url.replace("127.0.0.1", host);
    let runs = 0;

    async function onDbos(
      mode: KilledRun["mode"],
      kills: readonly number[],
    ): Promise<KilledRunReport> {
      const schema = `machines_${++runs}`;
      return killedRun({
        engine: "dbos",
        mode,
        script: "long",
        schema,
        machines: network.machines,
        databaseUrl,
        killAt: kills,
        ended: async (id) => {
          const client = await DBOSClient.create({
            systemDatabaseUrl: postgres.url,
            systemDatabaseSchemaName: `${schema}_dbos`,
          });
          try {
            await client.retrieveWorkflow(id).getResult();
          } finally {
            await client.destroy();
          }
        },
      });
    }

    async function onRestate(mode: KilledRun["mode"], server: RestateServer) {
      const ingress = clients.connect({ url: server.ingressUrl });
      const workflow = (id: string) => ingress.workflowClient<RestateHandlers>({ name: mode }, id);
      return killedRun({
        engine: "restate",
        mode,
        script: "long",
        schema: `machines_${++runs}`,
        machines: network.machines,
        databaseUrl,
        killAt,
        restate: server,
        start: async (id) => void (await workflow(id).workflowSubmit({ prompt: "Work." })),
        ended: async (id) => void (await workflow(id).workflowAttach()),
      });
    }

    function report(what: string, { log, kills }: KilledRunReport): void {
      const turns = log.filter(({ kind }) => kind === "turn").length;
      const machines = new Set(log.map(({ machine }) => machine)).size;
      const effects = log.length - turns;
      process.stdout.write(
        `${what}: ${kills} kills, ${machines} machines, ${turns} model turns, ${effects} effects\n`,
      );
    }

    test("has 22 effects without kills", () => {
      expect(withoutKills).toHaveLength(22);
      expect(new Set(withoutKills).size).toBe(22);
    });

    test("has the same effects, each once, when it is killed 10 times on DBOS", async () => {
      const killed = await onDbos("agent", killAt);
      report("DBOS", killed);
      expect(killed.kills).toBe(10);
      expect(effectsIn(killed)).toEqual(withoutKills);
      expect(new Set(killed.log.map(({ machine }) => machine)).size).toBeGreaterThan(1);
    });

    test("has effects twice when it is killed 10 times on bare DBOS", async () => {
      const killed = await onDbos("bare", killAt);
      report("bare DBOS", killed);
      expect(killed.kills).toBe(10);
      expect(duplicatesIn(killed).length).toBeGreaterThan(0);
    });

    test("has the same effects, each once, when it is killed 10 times on Restate", async ({
      skip,
    }) => {
      if (restate === undefined) return skip(String(program));
      const killed = await onRestate("agent", restate);
      report("Restate", killed);
      expect(killed.kills).toBe(10);
      expect(effectsIn(killed)).toEqual(withoutKills);
      expect(new Set(killed.log.map(({ machine }) => machine)).size).toBeGreaterThan(1);
    });

    test("has effects twice when it is killed 10 times on bare Restate", async ({ skip }) => {
      if (restate === undefined) return skip(String(program));
      const killed = await onRestate("bare", restate);
      report("bare Restate", killed);
      expect(killed.kills).toBe(10);
      expect(duplicatesIn(killed).length).toBeGreaterThan(0);
    });
  },
);
