import { DBOSClient } from "@dbos-inc/dbos-sdk";
import * as clients from "@restatedev/restate-sdk-clients";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import type { RestateHandlers } from "@toolweave/durable/restate";
import {
  duplicatesIn,
  effectsIn,
  killedRun,
  type KilledRun,
  type KilledRunReport,
} from "./support/killed-runs.ts";
import { localMachines } from "./support/machines.ts";
import {
  restateProgram,
  startRestate,
  type RestateServer,
} from "@toolweave/test-support/restate-server";

const postgresUrl = inject("postgresUrl");

describe.skipIf(postgresUrl === undefined)("a process that is killed in a call", () => {
  const databaseUrl = postgresUrl ?? "";
  const program = restateProgram();
  let restate: RestateServer | undefined;

  beforeAll(async () => {
    if (typeof program === "string") restate = await startRestate(program);
  });
  afterAll(async () => restate?.stop());

  const base = {
    script: "short",
    machines: localMachines(2),
    databaseUrl: () => databaseUrl,
    killAt: [1],
  } as const;

  async function onDbos(mode: KilledRun["mode"]): Promise<KilledRunReport> {
    const schema = `kill_${mode}_${process.pid}`;
    return killedRun({ ...base, engine: "dbos", mode, schema, ended: dbosEnded(schema) });
  }

  function dbosEnded(schema: string): (id: string) => Promise<void> {
    return async (id) => {
      const client = await DBOSClient.create({
        systemDatabaseUrl: databaseUrl,
        systemDatabaseSchemaName: `${schema}_dbos`,
      });
      try {
        await client.retrieveWorkflow(id).getResult();
      } finally {
        await client.destroy();
      }
    };
  }

  test("leaves one effect with the ledger, and two with bare DBOS", async () => {
    const agent = await onDbos("agent");
    expect(agent.kills).toBe(1);
    expect(effectsIn(agent)).toEqual(["PAY"]);
    const bare = await onDbos("bare");
    expect(bare.kills).toBe(1);
    expect(effectsIn(bare)).toEqual(["PAY", "PAY"]);
    expect(duplicatesIn(bare)).toEqual(["PAY"]);
  });

  test("makes no second effect when it was paused and another process has taken over", async () => {
    const schema = `paused_${process.pid}`;
    const paused = await killedRun({
      ...base,
      engine: "dbos",
      mode: "agent",
      script: "long",
      killAt: [3],
      pauses: true,
      schema,
      ended: dbosEnded(schema),
    });
    expect(paused.kills).toBe(1);
    expect(effectsIn(paused)).toHaveLength(22);
    expect(duplicatesIn(paused)).toEqual([]);
  });

  test("leaves one effect with the ledger, and two with bare Restate", async ({ skip }) => {
    if (restate === undefined) return skip(String(program));
    const server = restate;
    const ingress = clients.connect({ url: server.ingressUrl });
    for (const [mode, effects] of [
      ["agent", ["PAY"]],
      ["bare", ["PAY", "PAY"]],
    ] as const) {
      const workflow = (id: string) => ingress.workflowClient<RestateHandlers>({ name: mode }, id);
      const report = await killedRun({
        ...base,
        engine: "restate",
        mode,
        schema: `kill_restate_${mode}_${process.pid}`,
        restate: server,
        start: async (id) => void (await workflow(id).workflowSubmit({ prompt: "Work." })),
        ended: async (id) => void (await workflow(id).workflowAttach()),
      });
      expect(report.kills).toBe(1);
      expect(effectsIn(report)).toEqual(effects);
    }
  });
});
