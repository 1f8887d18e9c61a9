import { randomUUID } from "node:crypto";
import { postgresStore, type PostgresStore } from "@toolweave/postgres";
import pg from "pg";
import { startPostgres } from "../../packages/test-support/src/postgres-server.ts";
import { interruption, task } from "./operations.ts";

// The costs of one operation of each store, beside an insert of the same JSON with bare `pg`: the numbers behind
// docs/contributing/capacity.md. Bytes are exact; times are ratios of one run, on one connection.
//
// node bench/postgres/unit-costs.ts [operations]
const count = Number(process.argv[2] ?? 500);
const hour = 3_600_000;
/** About 700 bytes of JSON. */
const body = JSON.stringify({ text: "An invoice of a customer was paid. ".repeat(18), id: "" });
const schema = "costs";

interface UnitCost {
  readonly name: string;
  /** Tables that grow. */
  readonly tables: readonly string[];
  readonly run: (store: PostgresStore, n: number) => Promise<unknown>;
}

const operations: readonly UnitCost[] = [
  {
    name: "pendingCalls: add, claim, finish",
    tables: ["pending_calls"],
    async run({ pendingCalls }, n) {
      const call = interruption(body);
      await pendingCalls.add(call, JSON.stringify(["session", `caller ${n % 100}`]));
      if ((await pendingCalls.claim(call)) !== "claimed") throw new Error("not claimed");
      await pendingCalls.finish(call.id);
    },
  },
  {
    name: "tasks: add, end",
    tables: ["tasks"],
    async run({ tasks }, n) {
      const record = task(`task_${randomUUID()}`, n % 100);
      await tasks.add(record);
      const error = { code: "upstream", message: body } as const;
      await tasks.change(record.id, {
        status: "failed",
        updatedAt: 1,
        expiresAt: Date.now() + hour,
        error,
      });
    },
  },
  {
    name: "ledger: begin, end",
    tables: ["ledger", "ledger_epochs"],
    async run({ ledger }, n) {
      const claim = { runId: `run ${n % 50}`, callId: randomUUID(), token: randomUUID() };
      const call = { ...claim, tool: "pay", specHash: "", argumentsHash: "a".repeat(43), epoch: 1 };
      if ((await ledger.begin(call)).status !== "begun") throw new Error("not begun");
      await ledger.end(claim, { status: "ended", outcome: body });
    },
  },
  {
    name: "rates: reserve, commit",
    tables: [],
    async run({ rateLimits }, n) {
      const key = `key ${n % 100}`;
      const reservation = await rateLimits.reserve([
        { key, amount: 1, limit: 1e9, windowMs: 60_000 },
      ]);
      if (!reservation.granted) throw new Error("refused");
      await rateLimits.commit(reservation.id);
    },
  },
  {
    name: "audit: one record",
    tables: ["audit"],
    run: async ({ audit }, n) =>
      audit.write({ id: randomUUID(), time: Date.now(), tool: "pay", n, body } as never),
  },
  {
    name: "grants.list",
    tables: [],
    run: async ({ grants }) => grants.list("pay"),
  },
];

const server = await startPostgres({ fsync: "on", shared_buffers: "128MB", autovacuum: "off" });
const admin = new pg.Client({ connectionString: server.url });
const pool = new pg.Pool({ connectionString: server.url, max: 1 });
const key = "a key of the benchmark, 32 bytes or more";
const store = postgresStore({ pool, schema, key, listen: false });
try {
  await admin.connect();
  await store.migrate();
  await admin.query("CREATE TABLE raw (id uuid PRIMARY KEY, body text NOT NULL)");
  const insert = () => pool.query("INSERT INTO raw VALUES ($1, $2)", [randomUUID(), body]);
  console.log(`${count} operations each, one connection, JSON of ${body.length} bytes`);
  console.log("operation | commits | WAL bytes | WAL / raw | stored bytes | time / raw");
  for (const operation of operations) {
    // The raw inserts right before: the speed of a disk changes from minute to minute.
    const raw = await measure(["raw"], insert);
    const tables = operation.tables.map((table) => `${schema}.${table}`);
    const cost = await measure(tables, (n) => operation.run(store, n));
    const cells = [
      operation.name,
      cost.commits.toFixed(1),
      cost.wal.toFixed(0),
      (cost.wal / raw.wal).toFixed(2),
      cost.stored.toFixed(0),
      (cost.ms / raw.ms).toFixed(2),
    ];
    if (operation === operations[0]) {
      console.log(
        `raw insert | ${raw.commits.toFixed(1)} | ${raw.wal.toFixed(0)} | 1.00 | ${raw.stored.toFixed(0)} | 1.00`,
      );
    }
    console.log(cells.join(" | "));
  }
} finally {
  store.close();
  await pool.end();
  await admin.end();
  await server.stop();
}

interface Measured {
  readonly commits: number;
  readonly wal: number;
  readonly stored: number;
  readonly ms: number;
}

/** The costs of one operation, as a mean of all. */
async function measure(
  tables: readonly string[],
  run: (n: number) => Promise<unknown>,
): Promise<Measured> {
  await run(0);
  // No page of the operations is written to the log as a whole: that is a cost of checkpoints, not of operations.
  await admin.query("CHECKPOINT");
  for (let n = 1; n <= 50; n++) await run(n);
  const before = await read(tables);
  const start = performance.now();
  for (let n = 1; n <= count; n++) await run(n);
  const ms = (performance.now() - start) / count;
  const after = await read(tables);
  const per = (name: keyof typeof before): number => (after[name] - before[name]) / count;
  return { commits: per("transactions"), wal: per("wal"), stored: per("stored"), ms };
}

async function read(tables: readonly string[]) {
  const size = tables.map((table) => `pg_total_relation_size('${table}')`).join(" + ") || "0";
  const { rows } = await admin.query<{ wal: string; stored: string; xid: string }>(
    `SELECT pg_current_wal_insert_lsn() - '0/0'::pg_lsn AS wal, ${size} AS stored,
       txid_snapshot_xmax(txid_current_snapshot()) AS xid`,
  );
  const [row] = rows;
  return { wal: Number(row?.wal), stored: Number(row?.stored), transactions: Number(row?.xid) };
}
