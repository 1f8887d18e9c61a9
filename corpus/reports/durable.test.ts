import { durableAgent } from "../../packages/durable/src/index.ts";
import { expect, test } from "vitest";
import { CrashingEngine } from "../../packages/durable/test/support/crashing-engine.ts";
import { newOffice, openOffice, sharedStores } from "../../packages/durable/test/support/office.ts";
import { findIncomplete, pickPresent, readRows, type Report } from "./rows.ts";

/** One reported case: a run of a director who pays two bills, has a clerk send two letters, and files the case. */
interface Row extends Report {
  /** The process ends once, before or after the work of a step: `after call a`. */
  readonly crash?: string;
  /** How often the run is started, at the same time. Default: once. */
  readonly starts?: number;
  /** The effects, sorted. */
  readonly effects?: readonly string[];
  readonly status?: string;
  /** The turns of the models, those of a repeated step included. */
  readonly turns?: number;
}

const cases = await readRows<Row>("durable");

/** Makes the run of a row. Returns what the row expects, as it was observed. */
async function observe(row: Row): Promise<Partial<Row>> {
  let isCrashed = row.crash === undefined;
  const engine = new CrashingEngine((point, name) => {
    if (isCrashed || `${point} ${name}` !== row.crash) return false;
    isCrashed = true;
    return true;
  });
  const office = newOffice();
  const stores = sharedStores();
  const define = () => durableAgent(engine, { name: "director", ...openOffice(office, stores) });
  engine.restart = define;
  const agent = define();
  const starts = Array.from({ length: row.starts ?? 1 }, () =>
    agent.start("case_1", { prompt: "Settle the case." }),
  );
  await Promise.all(starts);
  const { status } = await agent.result("case_1");
  expect(isCrashed).toBe(true);
  const seen: Partial<Row> = {
    effects: office.effects.toSorted(),
    status,
    turns: office.turns.length,
  };
  return pickPresent(
    seen as Row,
    expectations.filter((name) => row[name] !== undefined),
  );
}

const expectations = ["effects", "status", "turns"] as const;

test("each row names its reports, its verdict, its source and what is expected", () => {
  expect(findIncomplete(cases)).toEqual([]);
  expect(
    cases.filter(({ row }) => Object.keys(pickPresent(row, expectations)).length === 0),
  ).toEqual([]);
});

test.each(cases.map((one) => ({ ...one, is: one.row.is })))("$table: $is", async ({ row }) => {
  expect(await observe(row)).toEqual(pickPresent(row, expectations));
});
