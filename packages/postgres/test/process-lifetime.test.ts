import { once } from "node:events";
import { inFullRun, startPostgresProxy, type PostgresProxy } from "@toolweave/test-support";
import { runProgram } from "@toolweave/test-support/run-program";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, inject, onTestFinished, test } from "vitest";

const url = inject("postgresUrl");
const schema = `lifetime_${process.pid}`;

/** One operation of each kind: the only thing that its process waits for. */
const operations: Readonly<Record<string, string>> = {
  problems: "store.problems()",
  migrate: "store.migrate()",
  inspect: "store.inspect()",
  prune: "store.prune()",
  reseal: "store.reseal()",
  pendingCalls: "store.pendingCalls.add(testInterruption(id))",
  grants: "store.grants.list()",
  rateLimits: "store.rateLimits.reserve([])",
  "tasks.add": "store.tasks.add(testTask(id))",
  "tasks.change": "store.tasks.change(id, { status: 'cancelled', updatedAt: 1, expiresAt: 9e12 })",
  "tasks.get": "store.tasks.get(id)",
  "tasks.watch": "store.tasks.watch(id, AbortSignal.timeout(500))",
  ledger: "store.ledger.end({ runId: id, callId: id, token: id }, { status: 'released' })",
  artifacts: "store.artifacts.put(artifact, data)",
  artifactIndex: "store.artifactIndex.get(artifact.key)",
  credentials: "store.credentials.exclusive({ source: id, scheme: id }, async () => {})",
  schedules: "store.schedules.list(id)",
  memory: "store.memory.find(id, { text: 'tea', limit: 1 })",
  lists: "store.lists.get(id)",
  replicas: "store.replicas.join(id)",
  audit: "store.audit.read({ limit: 1 })",
};

/** A program that does these operations one after another, and closes nothing. */
function doing(names: readonly string[], options: string): string {
  return `
    import { testArtifact, testInterruption, testTask } from "@toolweave/conformance/test-records";
    import { postgresStore } from "@toolweave/postgres";
    const id = crypto.randomUUID();
    const { artifact, data } = testArtifact(id, 10);
    const store = postgresStore({ schema: "${schema}", key: "k".repeat(32), ${options} });
    ${names.map((name) => `await ${operations[name]}; console.log("${name}");`).join("\n")}
  `;
}

describe.skipIf(url === undefined)("a process with the stores", () => {
  let proxy: PostgresProxy;
  /** Notifications arrive later than the answers of statements. */
  let notifications: PostgresProxy;
  beforeAll(async () => {
    proxy = await startPostgresProxy(url ?? "");
    proxy.delay(5);
    notifications = await startPostgresProxy(url ?? "");
    notifications.delay(50);
  });
  afterAll(async () => {
    await Promise.all([proxy.end(), notifications.end()]);
    const admin = new pg.Client({ connectionString: url });
    await admin.connect();
    await admin.query(`DROP SCHEMA IF EXISTS ${schema} CASCADE`);
    await admin.end();
  });

  const all = Object.keys(operations);
  /** Alone, with connections that are not used yet, and after all others, with those that are idle. */
  const orders: readonly (readonly string[])[] = [
    all,
    ...inFullRun(all, ["problems", "tasks.watch"]).map((name) => [name]),
    ...Array.from({ length: inFullRun(50, 1) }, () => ["problems"]),
  ];

  test("stays alive until each operation has ended, and then ends by itself", async () => {
    const ends = [];
    const { url: connectionString } = proxy;
    const options = JSON.stringify({ connectionString, listen: notifications.url }).slice(1, -1);
    for (const names of orders) {
      const program = doing(names, options);
      ends.push(await runProgram(program, import.meta.dirname));
    }
    expect(ends).toEqual(
      orders.map((names) => ({ code: 0, errors: "", output: `${names.join("\n")}\n` })),
    );
  });

  test("a change is notified by a process that ends after it", async () => {
    const listener = new pg.Client({ connectionString: url });
    await listener.connect();
    onTestFinished(() => listener.end());
    await listener.query(`LISTEN "toolweave:${schema}"`);
    const notified = once(listener, "notification");
    const names = ["tasks.add", "tasks.change"];
    const program = doing(names, `connectionString: ${JSON.stringify(url)}, listen: false`);
    expect(await runProgram(program, import.meta.dirname)).toMatchObject({ code: 0 });
    await notified;
  });
});

test("an operation whose pool gives no connection keeps its process alive until its deadline", async () => {
  // More than are under way at once: the others wait for their turn.
  const { code, output } = await runProgram(
    `
      import { postgresStore } from "@toolweave/postgres";
      const timers = { setTimeout: (act, ms) => setTimeout(act, ms / 50), clearTimeout };
      const pool = { connect: () => new Promise(() => {}) };
      const store = postgresStore({ pool, timers });
      const reads = Array.from({ length: 10 }, (_, id) => store.tasks.get(String(id)));
      for (const { reason } of await Promise.allSettled(reads)) console.log(reason.code);
    `,
    import.meta.dirname,
  );
  expect({ code, output }).toEqual({ code: 0, output: "store_unavailable\n".repeat(10) });
});
