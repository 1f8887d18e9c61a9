import { defineTool, type Clock, type ToolExecutor } from "@toolweave/core";
import { systemClock } from "@toolweave/core/adapter";
import type { ScheduledRun } from "@toolweave/core/stores";
import { sqliteStore } from "@toolweave/stores";
import { tempFolder } from "@toolweave/test-support/temp-folder";
import { join } from "node:path";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { scheduleTools, scheduleWorker } from "../../src/index.ts";
import { openTools } from "../support/open-tools.ts";

const start = Date.parse("2026-01-01T00:00:00Z");
const minuteMs = 60_000;

/** A clock that a test sets. */
interface SetClock extends Clock {
  time: number;
}

function createClock(): SetClock {
  return {
    ...systemClock,
    time: start,
    now() {
      return this.time;
    },
  };
}

/** A tool whose calls wait until the test ends them. */
class Slow {
  begun = 0;
  ended = 0;
  /** The largest number of calls at the same time. */
  most = 0;
  end: () => void = () => {};
  readonly #isEnded = new Promise<void>((resolve) => (this.end = resolve));
  readonly tool = defineTool({
    name: "slow",
    description: "Wait.",
    input: { type: "object", properties: {} },
    execute: async () => {
      this.begun += 1;
      this.most = Math.max(this.most, this.begun - this.ended);
      await this.#isEnded;
      this.ended += 1;
      return "ended";
    },
  });
}

interface OpenOptions {
  readonly policy?: "autonomous" | "supervised";
  readonly path?: string;
}

function open({ path = ":memory:", ...options }: OpenOptions = {}) {
  const clock = createClock();
  const slow = new Slow();
  const { schedules, close } = sqliteStore({ path, clock });
  onTestFinished(close);
  const calls: object[] = [];
  const note = defineTool({
    name: "note",
    description: "Note a text.",
    input: { type: "object", properties: { text: { type: "string" } }, required: ["text"] },
    needsApproval: ({ text }) => text === "delicate",
    execute: ({ text }, { caller, callId }) => {
      if (text === "fail") throw new Error("It failed.");
      calls.push({ text, at: clock.time - start, caller: caller?.id, callId });
      return "noted";
    },
  });
  const tools = openTools([note, slow.tool, scheduleTools({ store: schedules })], {
    ...options,
    clock,
  });
  const runs: ScheduledRun[] = [];
  const workerFor = (executor: ToolExecutor) =>
    scheduleWorker({
      executor,
      store: schedules,
      clock,
      pollMs: 1,
      onRun: (_, run) => runs.push(run),
    });
  const worker = workerFor(tools.executor);
  const runAt = (ms: number): Promise<number> => {
    clock.time = start + ms;
    return worker.runDue();
  };
  return { ...tools, clock, schedules, calls, runs, slow, worker, workerFor, runAt };
}

const add = { tool: "note", arguments: { text: "hello" } };

describe("a scheduled call", () => {
  test("is made once at its time, for the caller who has added it", async () => {
    const { callText, calls, runAt, runs } = open();
    expect(await callText("schedule_add", { ...add, after_s: 90 }, { id: "ada" })).toMatch(
      /^Scheduled as job_\w{16}\. It runs at:\n- 2026-01-01T00:01:30Z$/,
    );
    expect(await runAt(89_999)).toBe(0);
    expect(await runAt(90_000)).toBe(1);
    expect(await runAt(90_001)).toBe(0);
    expect(calls).toMatchObject([{ text: "hello", at: 90_000, caller: "ada" }]);
    expect(runs).toMatchObject([{ status: "completed", slot: start + 90_000 }]);
  });

  test("is made again and again, up to the number of runs", async () => {
    const { callText, calls, runAt } = open();
    await callText("schedule_add", { ...add, every_s: 60, max_runs: 3 });
    for (let minute = 1; minute <= 6; minute++) await runAt(minute * minuteMs);
    expect(calls).toMatchObject([1, 2, 3].map((minute) => ({ at: minute * minuteMs })));
    expect(await callText("schedule_list", {})).toContain("has ended; 3 runs; last completed");
  });

  test("follows the local time of a zone", async () => {
    const { callText } = open();
    const text = await callText("schedule_add", {
      ...add,
      cron: "30 9 * * 1-5",
      time_zone: "Europe/Berlin",
    });
    expect(text).toContain(
      "- 2026-01-01 09:30:00 Europe/Berlin (2026-01-01T08:30:00Z)\n- 2026-01-02",
    );
    expect(text).toContain("- 2026-01-05");
  });

  test("that was missed is made once, late, or not at all", async () => {
    const { callText, calls, runAt, runs } = open();
    await callText("schedule_add", { ...add, every_s: 60, missed: "once" });
    await callText("schedule_add", { ...add, every_s: 60, missed: "skip" });
    // No worker was there for ten minutes.
    expect(await runAt(10.5 * minuteMs)).toBe(2);
    expect(calls.length).toBe(1);
    expect(runs.map(({ status }) => status).toSorted()).toEqual(["completed", "skipped"]);
    expect(await runAt(11 * minuteMs)).toBe(2);
    expect(calls.length).toBe(3);
  });

  test("is not repeated when the clock is set back", async () => {
    const { callText, calls, runAt } = open();
    await callText("schedule_add", { ...add, every_s: 60 });
    await runAt(5 * minuteMs);
    await runAt(1 * minuteMs);
    await runAt(5 * minuteMs);
    expect(calls.length).toBe(1);
    await runAt(6 * minuteMs);
    expect(calls.length).toBe(2);
  });

  test("is made by one of several workers", async () => {
    const { callText, calls, clock, executor, worker, workerFor } = open();
    for (let job = 0; job < 5; job++) await callText("schedule_add", { ...add, after_s: 60 });
    clock.time += minuteMs;
    const workers = [worker, workerFor(executor), workerFor(executor)];
    const counts = await Promise.all(workers.map((one) => one.runDue()));
    expect(counts.reduce((sum, count) => sum + count)).toBe(5);
    expect(calls.length).toBe(5);
  });

  test("whose schedule is not valid any more fails and ends, and delays no other one", async () => {
    const { callText, calls, runAt, runs, schedules } = open();
    await callText("schedule_add", { ...add, after_s: 60 });
    const [job] = await schedules.list(JSON.stringify([null]));
    if (job === undefined) throw new Error("There is no job.");
    const schedule = { cron: "* * * * *", timeZone: "Mars/X" };
    await schedules.add({ ...job, id: "job_x", schedule }, start);
    expect(await runAt(minuteMs)).toBe(2);
    expect(calls.length).toBe(1);
    expect(runs.find(({ status }) => status === "failed")?.detail).toContain("no time zone");
    expect(await callText("schedule_list", {})).toContain("job_x: note");
    expect(await runAt(2 * minuteMs)).toBe(0);
  });

  test("that fails says why, and the next one is made", async () => {
    const { callText, runAt, runs } = open();
    await callText("schedule_add", { tool: "note", arguments: { text: "fail" }, every_s: 60 });
    await callText("schedule_add", { tool: "note", arguments: {}, every_s: 60 });
    await runAt(minuteMs);
    await runAt(2 * minuteMs);
    // Jobs of the same moment run at once, and end in any order.
    expect(runs.map(({ detail }) => detail?.split(":")[0]).toSorted()).toEqual([
      "execution_failed",
      "execution_failed",
      "invalid_arguments",
      "invalid_arguments",
    ]);
  });

  test("for which the policy asks waits for a person, although it was approved to be scheduled", async () => {
    const { executor, runAt, runs, calls } = open({ policy: "supervised" });
    const outcome = await executor.execute({
      id: "1",
      name: "schedule_add",
      arguments: { tool: "note", arguments: { text: "delicate" }, after_s: 60 },
    });
    if (outcome.status !== "interrupted") throw new Error("It did not ask.");
    expect(outcome.interruption.requests).toMatchObject([
      {
        permission: {
          kind: "custom.schedule",
          target: "note",
          summary: "Call note in 60 s",
          details: { arguments: { text: "delicate" } },
        },
      },
    ]);
    const added = await executor.resume(outcome.interruption, [{ type: "approve" }]);
    expect(added.ok).toBe(true);
    await runAt(minuteMs);
    expect(calls).toEqual([]);
    expect(runs).toMatchObject([
      { status: "interrupted", detail: expect.stringContaining("It waits for a person") },
    ]);
  });

  test("is not made by another tool of that name", async () => {
    const { callText, calls, clock, schedules, runs, workerFor } = open();
    await callText("schedule_add", { ...add, after_s: 60 });
    clock.time += minuteMs;
    const other = defineTool({
      name: "note",
      description: "Delete everything.",
      input: { type: "object" },
      execute: () => void calls.push({ text: "wrong" }),
    });
    const { executor } = openTools([other, scheduleTools({ store: schedules })]);
    await workerFor(executor).runDue();
    expect(calls).toEqual([]);
    expect(runs).toMatchObject([
      { status: "failed", detail: expect.stringContaining("has changed since the job was added") },
    ]);
  });

  test("that takes long delays no other one", async () => {
    const { callText, calls, clock, slow, worker } = open();
    await callText("schedule_add", { tool: "slow", after_s: 60 });
    await callText("schedule_add", { ...add, after_s: 120, missed: "skip" });
    worker.start();
    clock.time = start + minuteMs;
    await vi.waitFor(() => expect(slow.begun).toBe(1));
    clock.time = start + 2 * minuteMs;
    await vi.waitFor(() => expect(calls.length).toBe(1));
    expect(slow.ended).toBe(0);
    slow.end();
    await worker.stop();
    expect(slow.ended).toBe(1);
  });

  test("does not overlap with itself, whichever worker is free", async () => {
    const { callText, clock, executor, runAt, slow, workerFor } = open();
    await callText("schedule_add", { tool: "slow", every_s: 60 });
    const first = runAt(minuteMs);
    await vi.waitFor(() => expect(slow.begun).toBe(1));
    clock.time = start + 3 * minuteMs;
    expect(await workerFor(executor).runDue()).toBe(0);
    slow.end();
    expect(await first).toBe(1);
    expect(await workerFor(executor).runDue()).toBe(1);
    expect(slow.begun).toBe(2);
  });

  test("is made with all that are due, 20 at the same time", async () => {
    const { callText, runAt, slow } = open();
    for (let job = 0; job < 45; job++)
      await callText("schedule_add", { tool: "slow", after_s: 60 });
    const count = runAt(minuteMs);
    await vi.waitFor(() => expect(slow.begun).toBe(20));
    slow.end();
    expect(await count).toBe(45);
    expect(slow.ended).toBe(45);
    expect(slow.most).toBe(20);
  });

  test("that a process has left unfinished is reported, and not made again", async () => {
    const path = join(tempFolder(), "jobs.sqlite");
    const { callText, calls, clock, runAt, schedules } = open({ path });
    const before = await callText("schedule_add", { ...add, every_s: 60 });
    const id = /job_\w+/.exec(before)?.[0] ?? "";
    // Another process takes the slot, and is killed.
    const other = sqliteStore({ path, clock });
    expect(await other.schedules.claim(id, start + minuteMs, start + 2 * minuteMs)).toBe(true);
    expect(await schedules.claim(id, start + minuteMs, start + 2 * minuteMs)).toBe(false);
    other.close();
    expect(await runAt(minuteMs)).toBe(0);
    clock.time = start + 1.9 * minuteMs;
    expect(await callText("schedule_list", {})).toContain("last unfinished");
    await runAt(2 * minuteMs);
    expect(calls.length).toBe(1);
  });
});

describe("the schedule of a caller", () => {
  test("is not seen or changed by another one", async () => {
    const { callText } = open();
    const added = await callText(
      "schedule_add",
      { ...add, name: "daily", every_s: 60 },
      { id: "ada" },
    );
    const id = /job_\w+/.exec(added)?.[0] ?? "";
    expect(await callText("schedule_list", {}, { id: "grace" })).toBe("Nothing is scheduled.");
    expect(await callText("schedule_remove", { id }, { id: "grace" })).toBe(
      `There is no job ${id}.`,
    );
    expect(await callText("schedule_list", {}, { id: "ada" })).toBe(
      `- ${id} daily: note {"text":"hello"}; next 2026-01-01T00:01:00Z; 0 runs`,
    );
    expect(await callText("schedule_remove", { id }, { id: "ada" })).toBe(`Removed ${id}.`);
    expect(await callText("schedule_list", {}, { id: "ada" })).toBe("Nothing is scheduled.");
  });

  test("has at most 100 jobs", async () => {
    const { callText } = open();
    for (let job = 0; job < 100; job++) await callText("schedule_add", { ...add, after_s: 60 });
    expect(await callText("schedule_add", { ...add, after_s: 60 })).toMatch(/^limit_exceeded: /);
    expect(await callText("schedule_add", { ...add, after_s: 60 }, { id: "ada" })).toMatch(
      /^Sched/,
    );
  });

  test.each([
    [{ ...add }, "Give exactly one of cron, at, after_s and every_s; there are 0."],
    [{ ...add, after_s: 1, every_s: 60 }, "there are 2"],
    [{ ...add, at: "tomorrow" }, "at is no time of RFC 3339"],
    [{ ...add, at: "2026-01-02T09:00:00" }, "with its offset"],
    [{ ...add, at: "2099-02-30T09:00:00Z" }, "that exists"],
    [{ ...add, at: "2099-01-02T24:30:00Z" }, "that exists"],
    [{ ...add, at: "2099-01-02" }, "that exists"],
    [{ ...add, at: "2020-01-01T00:00:00Z" }, "no time that is still to come"],
    [{ ...add, cron: "x" }, "is no schedule"],
    [{ tool: "missing", after_s: 1 }, "There is no tool missing to schedule."],
    [{ tool: " ", after_s: 1 }, "tool"],
    [{ tool: "schedule_add", after_s: 1 }, "cannot change the schedule"],
  ])("refuses %j", async (args, message) => {
    const { callText } = open();
    const text = await callText("schedule_add", args);
    expect(text).toMatch(/^invalid_arguments: /);
    expect(text).toContain(message);
  });
});
