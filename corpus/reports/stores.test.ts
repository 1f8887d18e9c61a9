import { once } from "node:events";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import {
  defineTool,
  ToolExecutor,
  ToolRegistry,
  type Clock,
  type Interruption,
  type JsonObject,
  type ToolOutcome,
} from "@toolweave/core";
import { systemClock } from "@toolweave/core/adapter";
import type { JobSchedule } from "@toolweave/core/stores";
import { tempFolder } from "@toolweave/test-support/temp-folder";
import { expect, test } from "vitest";
import {
  memoryTools,
  scheduleTools,
  scheduleWorker,
  type ScheduleWorker,
} from "../../packages/builtin/src/index.ts";
import { sqliteStore, type SqliteStore } from "../../packages/stores/src/index.ts";
import { findIncomplete, observeContent, pickPresent, readRows, type Report } from "./rows.ts";

/** A call with the name of its tool, perhaps of a caller, or one of the other steps. */
interface Step {
  /** The id of the caller. */
  readonly as?: string;
  /** Another process holds the lock of the file for so many milliseconds. */
  readonly lockedMs?: number;
  /** It is this time (RFC 3339), and the workers run what is due. */
  readonly at?: string;
  /** All processes end, and others begin. */
  readonly restart?: true;
  /** A person answers the call that waits, once for each process. */
  readonly answer?: readonly ("approve" | "reject")[];
  /** In the call that waits, each text is replaced by another one. */
  readonly tamper?: Readonly<Record<string, string>>;
  /** The store has a copy of the last job with this schedule, which an earlier version has accepted. */
  readonly stored?: JobSchedule;
  /** The last job is removed. */
  readonly removeLast?: true;
  /** The calls of `act` that wait continue. */
  readonly end?: true;
  readonly [tool: string]: unknown;
}

/** One reported case. */
interface Row extends Report {
  /** The time at the beginning. Default: 2026-01-01T00:00:00Z. */
  readonly start?: string;
  /** Default: all is allowed. */
  readonly policy?: "supervised";
  /** Default: 2. */
  readonly workers?: number;
  /** The calls and what happens around them. Texts and errors are those of the last call or answer. */
  readonly steps: readonly Step[];
  /** The items of the calls of `act`, in order. */
  readonly effects?: readonly string[];
  /** The times that the last added job names. */
  readonly next?: readonly string[];
}

const cases = await readRows<Row>("stores");

interface SetClock extends Clock {
  time: number;
}

function createClock(time: number): SetClock {
  return {
    ...systemClock,
    time,
    now() {
      return this.time;
    },
  };
}

/** The file, the time and the effects, which are outside of all processes. */
class World {
  readonly path: string = join(tempFolder(), "store.sqlite");
  readonly clock: SetClock;
  readonly effects: string[] = [];
  waiting: Interruption | undefined;
  /** Ends the calls of `act` that wait. */
  end: () => void = () => {};
  isHeld: Promise<void> = Promise.resolve();
  /** Called when a call of `act` waits. */
  onWait: () => void = () => {};

  constructor(start: string) {
    this.clock = createClock(Date.parse(start));
    this.hold();
  }

  /** Calls of `act` wait from now on. */
  hold(): void {
    this.isHeld = new Promise((resolve) => (this.end = resolve));
  }

  changeWaiting(texts: Readonly<Record<string, string>>): void {
    let json = JSON.stringify(this.waiting);
    for (const [from, to] of Object.entries(texts)) json = json.replaceAll(from, to);
    this.waiting = JSON.parse(json) as Interruption;
  }

  note(outcome: ToolOutcome | undefined): void {
    if (outcome?.status === "interrupted") {
      this.waiting = JSON.parse(JSON.stringify(outcome.interruption)) as Interruption;
    }
  }
}

/** A process with the tools, a store and a worker. */
class TestProcess {
  readonly store: SqliteStore;
  readonly executor: ToolExecutor;
  readonly worker: ScheduleWorker;

  constructor(world: World, policy: Row["policy"]) {
    const { clock } = world;
    // The clock jumps, and leases keep the time that remains.
    this.store = sqliteStore({
      path: world.path,
      clock,
      steadyClock: { now: () => Math.round(performance.now()) },
    });
    const { pendingCalls, schedules, memory } = this.store;
    const act = defineTool({
      name: "act",
      description: "Has an effect.",
      input: {
        type: "object",
        properties: { item: { type: "string" }, waits: { type: "boolean" } },
        required: ["item"],
      },
      needsApproval: policy === "supervised",
      execute: async ({ item, waits }) => {
        world.effects.push(item);
        if (waits === true) {
          world.onWait();
          await world.isHeld;
          world.effects.push(`end of ${item}`);
        }
        return `${item} is done`;
      },
    });
    const tools = [act, memoryTools({ store: memory }), scheduleTools({ store: schedules })];
    this.executor = new ToolExecutor({
      registry: new ToolRegistry(tools),
      key: "a key of the tests that has 32 bytes or more",
      policy: policy ?? "autonomous",
      pendingCalls,
      clock,
    });
    this.worker = scheduleWorker({
      executor: this.executor,
      store: schedules,
      clock,
      onRun: (_job, _run, outcome) => world.note(outcome),
    });
  }
}

/** Holds the lock of the file as another process does. Resolves when it is held. */
async function lockFile(path: string, ms: number): Promise<void> {
  const code = `
    const { DatabaseSync } = require("node:sqlite");
    const { parentPort, workerData } = require("node:worker_threads");
    const db = new DatabaseSync(workerData.path);
    db.exec("BEGIN IMMEDIATE");
    parentPort.postMessage("locked");
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, workerData.ms);
    db.exec("COMMIT");
    db.close();`;
  await once(new Worker(code, { eval: true, workerData: { path, ms } }), "message");
}

/** Makes the steps of a row, one after another. */
class Steps {
  readonly #world: World;
  readonly #open: () => readonly TestProcess[];
  #processes: readonly TestProcess[];
  readonly #runs: Promise<unknown>[] = [];
  #calls = 0;
  #lastJob = "";
  last: ToolOutcome | undefined;
  next: readonly string[] | undefined;

  constructor(world: World, { workers = 2, policy }: Row) {
    this.#world = world;
    this.#open = () => Array.from({ length: workers }, () => new TestProcess(world, policy));
    this.#processes = this.#open();
  }

  async take({
    as,
    lockedMs,
    at,
    restart,
    answer,
    tamper,
    stored,
    removeLast,
    end,
    ...calls
  }: Step): Promise<void> {
    const world = this.#world;
    if (lockedMs !== undefined) await lockFile(world.path, lockedMs);
    if (at !== undefined) await this.#runDue(Date.parse(at));
    if (restart === true) {
      this.close();
      this.#processes = this.#open();
    }
    if (tamper !== undefined) world.changeWaiting(tamper);
    if (answer !== undefined) await this.#answer(answer);
    if (stored !== undefined) await this.#copyJob(stored);
    if (removeLast === true) await this.#call("schedule_remove", { id: this.#lastJob }, undefined);
    if (end === true) {
      world.end();
      await Promise.all(this.#runs);
      world.hold();
    }
    for (const [name, args] of Object.entries(calls)) {
      await this.#call(name, args as JsonObject, as);
    }
  }

  close(): void {
    for (const { store } of this.#processes) store.close();
  }

  /** Lets the workers run what is due, until all has ended or a call waits. */
  async #runDue(time: number): Promise<void> {
    this.#world.clock.time = time;
    const isWaiting = new Promise<void>((resolve) => (this.#world.onWait = resolve));
    const run = Promise.all(this.#processes.map(({ worker }) => worker.runDue()));
    this.#runs.push(run);
    await Promise.race([run, isWaiting]);
  }

  async #copyJob(schedule: JobSchedule): Promise<void> {
    const schedules = this.#processes[0]?.store.schedules;
    const [job] = (await schedules?.list(JSON.stringify([null]))) ?? [];
    if (job === undefined) throw new Error("there is no job");
    const { owner, tool, arguments: args, specHash, missed, createdAt } = job;
    const copy = { owner, tool, arguments: args, specHash, missed, createdAt };
    await schedules?.add({ ...copy, id: "job_copy", schedule }, this.#world.clock.now());
  }

  async #answer(answers: NonNullable<Step["answer"]>): Promise<void> {
    const { waiting } = this.#world;
    if (waiting === undefined) throw new Error("no call waits");
    const outcomes = await Promise.all(
      answers.map((type, index) =>
        this.#processes[index]?.executor.resume(structuredClone(waiting), [{ type }]),
      ),
    );
    this.last = outcomes.find((outcome) => outcome?.status === "completed") ?? outcomes[0];
  }

  async #call(name: string, args: JsonObject, id: string | undefined): Promise<void> {
    const call = { id: `call-${++this.#calls}`, name, arguments: args };
    const caller = id === undefined ? {} : { caller: { id } };
    const outcome = await this.#processes[0]?.executor.execute(call, caller);
    this.last = outcome;
    this.#world.note(outcome);
    if (name !== "schedule_add" || outcome?.status !== "completed") return;
    const { id: job, next } = outcome.result.value as {
      readonly id: string;
      readonly next: readonly string[];
    };
    this.#lastJob = job;
    this.next = next.map((time) => time.replace(".000Z", "Z"));
  }
}

/** Makes the steps of a row. Returns what the row expects, as it was observed. */
async function observe(row: Row): Promise<Partial<Row>> {
  const world = new World(row.start ?? "2026-01-01T00:00:00Z");
  const steps = new Steps(world, row);
  try {
    for (const step of row.steps) await steps.take(step);
    const { last, next } = steps;
    return {
      ...(last === undefined ? {} : observeContent(row, last)),
      ...(row.effects === undefined ? {} : { effects: world.effects }),
      ...(row.next === undefined ? {} : { next: next ?? [] }),
    };
  } finally {
    steps.close();
  }
}

function getExpected(row: Row): Partial<Row> {
  return pickPresent(row, ["effects", "next", "text", "lacks", "refuses"]);
}

test("each row names its reports, its verdict, its source and what is expected", () => {
  expect(findIncomplete(cases)).toEqual([]);
  expect(cases.filter(({ row }) => Object.keys(getExpected(row)).length === 0)).toEqual([]);
});

test.each(cases.map((one) => ({ ...one, is: one.row.is })))("$table: $is", async ({ row }) => {
  expect(await observe(row)).toEqual(getExpected(row));
});
