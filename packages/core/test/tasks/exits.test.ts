import { settled } from "@toolweave/test-support/fake-clock";
import { describe, expect, test } from "vitest";
import { makeDeterministic } from "../simulation/deterministic.ts";
import { Lab } from "../lifecycle/lab.ts";
import { started } from "../lifecycle/started.ts";
import { getTaskId } from "./task-for.ts";

/** The state of a task after this exit of its call. */
const ends: Readonly<Record<string, string>> = {
  completed: "completed",
  interrupted: "input_required",
  cancelled: "cancelled",
};

// The exits in which nothing has to be done to the call while it runs.
const alone = started.filter(({ act }) => act === undefined);

describe("a task whose call exits at", () => {
  makeDeterministic();

  test.each(alone.map((one) => [`${one.stage}: ${one.exit}: ${one.how}`, one] as const))(
    "%s",
    async (_, { exit, event, setup = {} }) => {
      const definition = { ...setup.definition, execution: "task" } as const;
      const lab = new Lab({ ...setup, definition });
      const id = getTaskId(await lab.execute());
      const outcome = await lab.until(lab.executor.tasks.result(id) as never);
      for (let turn = 0; turn < 5; turn++) await settled();

      const code = outcome.status === "failed" ? outcome.error.code : outcome.status;
      expect(code).toBe(exit);
      const status = ends[exit] ?? "failed";
      expect(await lab.executor.tasks.status(id)).toMatchObject({ status });

      const emitted = lab.emitted.map(({ type }) => type).filter((type) => type !== "store.failed");
      expect(emitted.slice(0, 4)).toEqual([
        "tool.requested",
        "tool.authorized",
        "task.created",
        "tool.started",
      ]);
      expect(emitted.slice(-2)).toEqual([event, `task.${status}`]);
      const callEnds = emitted.filter((type) => /^tool\.(completed|failed|suspended)$/.test(type));
      expect(callEnds).toEqual([event]);

      expect(lab.run.counters?.calls).toBe(1);
      const { granted, committed, released } = lab.rates;
      expect([...committed, ...released].sort()).toEqual(granted.toSorted());
      expect(lab.clock.timers).toBe(0);
      await lab.executor.drain();
    },
  );
});
