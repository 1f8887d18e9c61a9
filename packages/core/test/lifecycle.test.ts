import { settled } from "@toolweave/test-support/fake-clock";
import { describe, expect, test } from "vitest";
import { errorCodes, type ToolOutcome } from "@toolweave/core";
import { makeDeterministic } from "./simulation/deterministic.ts";
import { documentedExits, exitKey, type Exit } from "./lifecycle/exits.ts";
import { Lab, price } from "./lifecycle/lab.ts";
import { notStarted } from "./lifecycle/not-started.ts";
import { refused } from "./lifecycle/refused.ts";
import type { Scenario } from "./lifecycle/scenarios.ts";
import { started } from "./lifecycle/started.ts";
import { tasks } from "./lifecycle/tasks.ts";
import { call, executorFor, guarded, recorded, tool } from "./support/executor-for.ts";
import { completed, getInterruption } from "./support/outcomes.ts";

const exits = documentedExits();
const byKey = new Map(exits.map((exit) => [exitKey(exit), exit]));
const scenarios = [...refused, ...notStarted, ...tasks, ...started].map((scenario) => ({
  ...scenario,
  name: `${toKey(scenario)}: ${scenario.how}`,
  exit: byKey.get(toKey(scenario)),
}));

function toKey({ stage, exit, event }: Scenario): string {
  const status = exit === "completed" || exit === "interrupted" ? exit : "failed";
  return exitKey({ stage, status, code: status === "failed" ? exit : undefined, event });
}

describe("docs/concepts/lifecycle.md", () => {
  test("lists every exit of a scenario, and none twice", () => {
    const unknown = scenarios.filter(({ exit }) => exit === undefined).map(({ name }) => name);
    expect(unknown).toEqual([]);
    expect(byKey.size).toBe(exits.length);
  });

  test("lists no exit without a scenario", () => {
    const taken = new Set(scenarios.map((scenario) => scenario.exit));
    expect(exits.filter((exit) => !taken.has(exit)).map(exitKey)).toEqual([]);
  });

  test("has every error code", () => {
    const emitted = new Set(exits.flatMap(({ code }) => code ?? []));
    expect([...emitted].sort()).toEqual(Object.keys(errorCodes).sort());
  });
});

describe("a call that exits at", () => {
  makeDeterministic();

  const known = scenarios.filter(({ exit }) => exit !== undefined);
  test.each(known.map((scenario) => [scenario.name, scenario] as const))(
    "%s",
    async (_, scenario) => {
      const exit = scenario.exit as Exit;
      const lab = new Lab(scenario.setup ?? {});
      const outcome = await (scenario.act?.(lab) ?? lab.until(lab.execute()));
      for (let turn = 0; turn < 5; turn++) await settled();
      expect([outcome?.status, readCode(outcome)]).toEqual([exit.status, exit.code]);

      // It has ended once, and nothing is emitted for it afterwards.
      const emitted = lab.emitted.map(({ type }) => type);
      const ends = emitted.filter((type) =>
        /rejected|interrupted|completed|failed|suspended/.test(type),
      );
      expect(ends.filter((type) => type !== "store.failed")).toEqual([exit.event]);
      expect(emitted.filter((type) => type !== "store.failed").at(-1)).toBe(exit.event);
      const hasStarted = emitted.includes("tool.started");
      expect(hasStarted).toBe(/completed|failed|suspended/.test(exit.event));

      // The host's code has seen it up to the stage that it reached.
      const { before, around, after } = lab.seen;
      expect(before.includes("t")).toBe(exit.beforeRan);
      expect(around.includes("t")).toBe(hasStarted);
      expect(after.includes("t")).toBe(exit.afterRan);

      counted(lab, exit);

      // A call that waits for a person can be answered; nothing is left half done.
      const waiting = await lab.store.list();
      const pending = scenario.pending ?? (exit.status === "interrupted" ? 1 : 0);
      expect(waiting.map(({ status }) => status)).toEqual(Array(pending).fill("pending"));

      // The only slot is free, and no timer is left.
      lab.repair();
      if (!lab.isDraining) completed(await lab.until(lab.executor.execute(call("probe"))));
      await lab.clock.advance(20);
      expect(lab.clock.timers).toBe(0);
      let atRest = false;
      void lab.executor.drain().then(() => (atRest = true));
      for (let turn = 0; turn < 3; turn++) await settled();
      expect(atRest).toBe(true);
    },
  );
});

/** The call's use of limits is released, or retained, as the page says. */
function counted(lab: Lab, { limits }: Exit): void {
  expect(["nothing taken", "yes", "its run's", "no"]).toContain(limits);
  const own = limits === "no" ? 1 : 0;
  const { counters } = lab.run;
  expect(counters?.calls).toBe(lab.others() + own);
  expect(counters?.byTool.get("t")?.calls ?? 0).toBe(lab.others("t") + own);
  expect(counters?.spend).toBe((lab.others("t") + own) * price);

  const { granted, committed, released } = lab.rates;
  expect([...committed, ...released].sort()).toEqual(granted.toSorted());
  // Another call of the tool has used a rate of calls, and one of spending.
  const others = lab.others("t") * 2;
  expect(committed.length > others).toBe(limits === "no" || limits === "its run's");
  expect(granted.length === others || limits !== "nothing taken").toBe(true);
}

function readCode(outcome: ToolOutcome | undefined): string | undefined {
  return outcome?.status === "failed" ? outcome.error.code : undefined;
}

test("every event of a call, and of the calls that it makes, names the caller", async () => {
  const executor = executorFor([
    tool("outer", async (_, ctx) => (await ctx.scope.execute(call("inner"))).status),
    tool("inner"),
    guarded(),
  ]);
  const events = recorded(executor);
  const caller = { id: "ada", roles: ["admin"] };
  const options = { caller };
  completed(await executor.execute(call("outer"), options));
  const interruption = getInterruption(await executor.execute(call("pay"), options));
  completed(await executor.resume(interruption, [{ type: "approve", by: "eve" }]));
  await executor.execute(call("made_up"), options);
  expect(events.length).toBeGreaterThan(10);
  for (const event of events) expect(event).toMatchObject({ caller });
});
