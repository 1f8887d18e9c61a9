import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { postgresStore } from "@toolweave/postgres";
import { sqliteStore } from "@toolweave/stores";
import { startPostgres } from "../../packages/test-support/src/postgres-server.ts";
import { installedVersion, median, printTable } from "../lib/table.ts";
import { startDbos, startRestate, stepsPerRun, type Engine } from "./engines.ts";
import { fill, operations, type Operation, type Stores } from "./operations.ts";
import { openPool, rate, rawInserts } from "./rate.ts";
import { startWatchers } from "./watchers.ts";

// How often a store does its operations, beside inserts of the same JSON with bare `pg` (README.md):
//
// node bench/postgres/throughput.ts [--rounds 7] [--ms 250] [--save] [--only ledger] [--no-engines]
const { values } = parseArgs({
  options: {
    rounds: { type: "string", default: "7" },
    ms: { type: "string", default: "250" },
    only: { type: "string", default: "" },
    save: { type: "boolean" },
    engines: { type: "boolean", default: true },
  },
  allowNegative: true,
});
const [rounds, ms] = [Number(values.rounds), Number(values.ms)];
const key = "a key of the benchmark, 32 bytes or more";
const lanes = [1, 32] as const;

const rows = new Map<string, string[]>();
const rawRates: number[][] = [[], []];
const server = await startPostgres({ fsync: "on", shared_buffers: "128MB" });
const folder = mkdtempSync(join(tmpdir(), "toolweave-bench-"));
try {
  for (const [index, count] of lanes.entries()) {
    const raw = await rawInserts(server.url, count);
    const others = await startOthers(count);
    /** The ratio to raw inserts right before, as the median of the rounds. */
    const ratio = async (work: (n: number) => Promise<unknown>, factor = 1): Promise<number> => {
      // Plans, and compiled code.
      await rate(work, count, ms);
      const ratios: number[] = [];
      for (let round = 0; round < rounds; round++) {
        const base = await rate(raw.insert, count, ms);
        rawRates[index]?.push(base);
        ratios.push((factor * (await rate(work, count, ms))) / base);
      }
      return median(ratios);
    };
    for (const operation of operations) {
      if (!operation.name.includes(values.only)) continue;
      for (const [name, stores] of others.stores) {
        const isGoal = name === "";
        if (!isGoal && operation.goals[0] === undefined) continue;
        const found = await ratio((n) => operation.run(stores, n));
        report(index, `${operation.name}${name}`, found, isGoal ? operation.goals : undefined);
      }
    }
    if (count > 1 && "rates".includes(values.only)) await compareProcesses(ratio, index);
    if ("watchers".includes(values.only)) await compareWatched(others.postgres, index, count);
    if (values.engines && "engines".includes(values.only)) {
      const engines = [startDbos(server.url, count), startRestate()];
      for (const engine of engines) await measureEngine(await engine, ratio, index);
    }
    await others.end();
    await raw.end();
  }
} finally {
  await server.stop();
  rmSync(folder, { recursive: true, force: true });
}
printTable("postgres", {
  title: "Stores in PostgreSQL",
  page: "bench/postgres/README.md",
  meaning: `How often an operation is done in a second, divided by the number of inserts of the same JSON (700 bytes) with bare \`pg\` right before, at 1 and at 32 connections; in brackets the goal. The median of ${rounds} rounds. The PostgreSQL of the run has fsync on; there were ${median(rawRates[0] ?? []).toFixed(0)} and ${median(rawRates[1] ?? []).toFixed(0)} inserts a second.`,
  versions: Object.fromEntries(
    ["pg", "@dbos-inc/dbos-sdk", "@restatedev/restate-server"].map((name) => [
      name,
      installedVersion("postgres", name),
    ]),
  ),
  columns: ["operation", "1 connection", "32 connections"],
  rows: [...rows].map(([name, cells]) => [name, cells[0] ?? "–", cells[1] ?? "–"]),
});
process.exit(0);

function report(index: number, name: string, found: number, goals?: Operation["goals"]): void {
  const goal = goals?.[index];
  const cell = `${found.toFixed(2)}${goal === undefined ? "" : ` (${goal.toFixed(2)})`}`;
  note(index, name, cell);
}

function note(index: number, name: string, cell: string): void {
  const cells = rows.get(name) ?? [];
  cells[index] = cell;
  rows.set(name, cells);
  process.stderr.write(`${lanes[index]} connections, ${name}: ${cell}\n`);
}

/** A store in PostgreSQL with so many connections, and one in SQLite. */
async function startOthers(connections: number) {
  const pool = openPool(server.url, connections);
  const postgres = postgresStore({
    pool,
    key,
    maxPendingCallsPerOwner: 1e6,
    maxTasksPerOwner: 1e6,
  });
  const sqlite = sqliteStore({
    path: join(folder, `${connections}.sqlite`),
    maxPendingCallsPerOwner: 1e6,
    maxTasksPerOwner: 1e6,
  });
  const stores: readonly (readonly [string, Stores])[] = [
    ["", postgres],
    [" (SQLite)", sqlite],
  ];
  for (const [, one] of stores) await fill(one).catch(ignoreTaken);
  const end = async (): Promise<void> => {
    postgres.close();
    sqlite.close();
    await pool.end();
  };
  return { postgres, stores, end };
}

/** The task of the reads is there already. */
function ignoreTaken(error: unknown): void {
  if (!String(error).includes("stored already")) throw error;
}

type Ratio = (work: (n: number) => Promise<unknown>, factor?: number) => Promise<number>;

/** One rate that four stores share, each with a quarter of the connections. */
async function compareProcesses(ratio: Ratio, index: number): Promise<void> {
  const pools = Array.from({ length: 4 }, () => openPool(server.url, 8));
  const stores = pools.map((pool) => postgresStore({ pool }));
  const operation = operations.find(({ name }) => name.includes("one key"));
  const found = await ratio((n) => operation!.run(stores[n % 4] as Stores, n));
  report(index, "rates: reserve, commit, one key, 4 stores", found, [undefined, 0.3]);
  for (const store of stores) store.close();
  for (const pool of pools) await pool.end();
}

/** With 100 waits of another store, beside without them; and the time until a wait ends. */
async function compareWatched(postgres: Stores, index: number, count: number): Promise<void> {
  const operation = operations.find(({ name }) => name === "tasks: add, end") as Operation;
  const work = (n: number) => operation.run(postgres, n);
  const watchers = await startWatchers(server.url, key, postgres);
  const ratios: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const without = await rate(work, count, ms);
    await watchers.start(100);
    ratios.push((await rate(work, count, ms)) / without);
    watchers.stop();
  }
  report(index, "tasks with 100 waits, to without", median(ratios), [0.9, 0.9]);
  const idle = await watchers.delays(100);
  note(index, "end of a task until a wait ends, ms: median, p95 (150)", toDelays(idle));
  const busy = rate(work, count, 2_000);
  const underLoad = await watchers.delays(40);
  await busy;
  note(index, "the same while tasks are added and ended", toDelays(underLoad));
  watchers.end();
}

function toDelays(delays: readonly number[]): string {
  const sorted = delays.toSorted((a, b) => a - b);
  const p95 = sorted[Math.ceil(sorted.length * 0.95) - 1] ?? Number.NaN;
  return `${median(delays).toFixed(0)}, ${p95.toFixed(0)}`;
}

async function measureEngine(engine: Engine, ratio: Ratio, index: number): Promise<void> {
  try {
    const name = `a step of a run with ${stepsPerRun} steps (${engine.name})`;
    report(index, name, await ratio(engine.run, stepsPerRun));
  } finally {
    await engine.end();
  }
}
