import { createServer, type Http2Server } from "node:http2";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { createEndpointHandler } from "@restatedev/restate-sdk";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { durableAgent, type DurableAgent, type DurableEngine } from "@toolweave/durable";
import { dbosEngine, type DbosEngine } from "@toolweave/durable/dbos";
import { restateEngine } from "@toolweave/durable/restate";
import { postgresStore, type PostgresStore } from "@toolweave/postgres";
import { key, newOffice, openOffice, type Office } from "./support/office.ts";
import {
  restateProgram,
  startRestate,
  type RestateServer,
} from "@toolweave/test-support/restate-server";

const postgresUrl = inject("postgresUrl");
const done = ["file case", "pay power", "pay rent", "send letter 0", "send letter 1"];
const asks = {
  preset: "autonomous",
  rules: [{ effect: "ask", tools: ["pay", "send"] }],
} as const;

/** An agent on one engine. */
interface OnEngine {
  readonly office: Office;
  readonly agent: DurableAgent;
}

async function approveAll(agent: DurableAgent, id: string): Promise<number> {
  const seen = new Set<string>();
  for (;;) {
    const status = await agent.status(id);
    if (status.status === "ended") return seen.size;
    if (status.status === "interrupted") {
      for (const interruption of status.interruptions) {
        if (seen.has(interruption.id)) continue;
        seen.add(interruption.id);
        await agent.answer(id, interruption.id, [{ type: "approve", by: "Ada" }]);
      }
    } else if (status.status !== "running") throw new Error(JSON.stringify(status));
    await delay(50);
  }
}

async function untilInterrupted(agent: DurableAgent, id: string): Promise<void> {
  while ((await agent.status(id)).status !== "interrupted") await delay(50);
}

/** Tests of every engine. */
function holds(current: () => OnEngine): void {
  test("a run waits for each answer, continues once, and ends with a result", async () => {
    const { agent, office } = current();
    await agent.start("answered", { prompt: "Settle the case." });
    await agent.start("answered", { prompt: "Settle the case." });
    expect(await approveAll(agent, "answered")).toBe(4);
    const result = await agent.result("answered");
    expect(result).toMatchObject({ status: "completed", text: "Done.", usage: { turns: 7 } });
    expect([...office.effects].sort()).toEqual(done);
  });

  test("an answer that is not valid leaves the call waiting", async () => {
    const { agent, office } = current();
    office.effects.length = 0;
    await agent.start("refused", { prompt: "Settle the case." });
    await untilInterrupted(agent, "refused");
    const status = await agent.status("refused");
    const [first] = status.status === "interrupted" ? status.interruptions : [];
    await agent.answer("refused", first?.id ?? "", [{ type: "approve", arguments: { item: 7 } }]);
    expect(await approveAllAgain(agent, "refused")).toBe("ended");
    expect([...office.effects].sort()).toEqual(done);
  });

  test("a run that waits can be cancelled", async () => {
    const { agent, office } = current();
    office.effects.length = 0;
    await agent.start("cancelled", { prompt: "Settle the case." });
    await untilInterrupted(agent, "cancelled");
    await agent.cancel("cancelled");
    await expect(agent.result("cancelled")).rejects.toMatchObject({ code: "cancelled" });
    expect(await agent.status("cancelled")).toEqual({ status: "cancelled" });
    expect(office.effects).toEqual([]);
    await expect(agent.status("other")).rejects.toMatchObject({ code: "not_found" });
  });
}

/** Approves whatever waits, again and again, until the run has ended. */
async function approveAllAgain(agent: DurableAgent, id: string): Promise<string> {
  for (;;) {
    const status = await agent.status(id);
    if (status.status !== "running" && status.status !== "interrupted") return status.status;
    for (const { id: one } of status.status === "interrupted" ? status.interruptions : []) {
      await agent.answer(id, one, [{ type: "approve", by: "Ada" }]).catch(() => {});
    }
    await delay(50);
  }
}

describe.skipIf(postgresUrl === undefined)("an engine", () => {
  const connectionString = postgresUrl ?? "";
  const stores: PostgresStore[] = [];
  const define = (engine: DurableEngine, store: PostgresStore): OnEngine => {
    const office = newOffice();
    const { ledger, pendingCalls } = store;
    const options = openOffice(office, { ledger, pendingCalls }, asks);
    return { office, agent: durableAgent(engine, { name: "director", ...options }) };
  };
  const newStore = (schema: string): PostgresStore => {
    const store = postgresStore({ connectionString, schema, key });
    stores.push(store);
    return store;
  };
  afterAll(() => stores.forEach((store) => store.close()));

  describe("on DBOS", () => {
    let engine: DbosEngine;
    let on: OnEngine;
    const engineOptions = ({ replicas }: PostgresStore) => ({
      databaseUrl: connectionString,
      version: "1",
      replicas,
      leaseMs: 500,
      schema: `engine_dbos_${process.pid}_dbos`,
    });
    beforeAll(async () => {
      const store = newStore(`engine_dbos_${process.pid}`);
      engine = dbosEngine(engineOptions(store));
      on = define(engine, store);
      await engine.launch();
    });
    afterAll(async () => engine?.close());
    holds(() => on);

    test("refuses a second engine in the process", () => {
      const second = engineOptions(stores[0] as PostgresStore);
      expect(() => dbosEngine(second)).toThrow(/DBOS application already/);
    });

    test("refuses an agent that is defined after launch", () => {
      expect(() => define(engine, stores[0] as PostgresStore)).toThrow(/after launch/);
    });

    test("leaves a run that waits to the next process when it is closed", async () => {
      await on.agent.start("closed", { prompt: "Settle the case." });
      await untilInterrupted(on.agent, "closed");
      await engine.close();
      engine = dbosEngine(engineOptions(stores[0] as PostgresStore));
      const next = define(engine, stores[0] as PostgresStore);
      await engine.launch();
      expect(await next.agent.status("closed")).toMatchObject({ status: "interrupted" });
      await approveAll(next.agent, "closed");
      expect(await next.agent.result("closed")).toMatchObject({ status: "completed" });
      expect([...next.office.effects].sort()).toEqual(done);
    });
  });

  describe("on Restate", () => {
    const program = restateProgram();
    let server: RestateServer | undefined;
    let endpoint: Http2Server | undefined;
    let on: OnEngine;
    beforeAll(async () => {
      if (typeof program !== "string") throw program;
      server = await startRestate(program);
      const engine = restateEngine({ ingressUrl: server.ingressUrl });
      on = define(engine, newStore(`engine_restate_${process.pid}`));
      endpoint = createServer(createEndpointHandler({ services: engine.services }));
      endpoint.listen(0, "127.0.0.1");
      await once(endpoint, "listening");
      const { port } = endpoint.address() as AddressInfo;
      await server.register(`http://127.0.0.1:${port}`);
    });
    afterAll(async () => {
      await server?.stop();
      endpoint?.close();
    });
    holds(() => on);
  });
});
