import { settled } from "@toolweave/test-support/fake-clock";
import { describe, expect, test } from "vitest";
import { executorFor, call } from "../support/executor-for.ts";
import { completed, failed } from "../support/outcomes.ts";
import { Controlled } from "./controlled.ts";

describe("a flood of calls", () => {
  test("RE01: of 10,000 at once the maximum runs, the maximum waits, and the rest is refused", async () => {
    const controlled = new Controlled();
    const executor = executorFor([controlled.tool("a"), controlled.tool("b")], {
      limits: { concurrency: { max: 8, perTool: 5, maxWaiting: 1000 } },
    });
    const run = executor.startRun();
    const outcomes = Array.from({ length: 10_000 }, (_, at) =>
      run.execute(call(at % 2 === 0 ? "a" : "b", {}, String(at))),
    );
    await settled();
    expect(controlled.running).toHaveLength(8);
    const refused = await Promise.all(outcomes.slice(1008));
    for (const outcome of refused) {
      const { error } = failed(outcome);
      expect(error.code).toBe("unavailable");
      expect(error.message).toMatch(/^[ab] was not run: 1000 calls wait for their turn already/);
    }
    const rest = Promise.all(outcomes.slice(0, 1008));
    while (controlled.running.length > 0) {
      controlled.end(...controlled.running);
      await settled();
    }
    for (const outcome of await rest) completed(outcome);
    expect(controlled.started).toHaveLength(1008);
  });

  test("leaves room again for later calls", async () => {
    const controlled = new Controlled();
    const executor = executorFor([controlled.tool("a")], {
      limits: { concurrency: { max: 1, maxWaiting: 0 } },
    });
    const first = executor.execute(call("a", {}, "1"));
    await settled();
    expect(failed(await executor.execute(call("a", {}, "2"))).error.code).toBe("unavailable");
    controlled.end("1");
    completed(await first);
    const third = executor.execute(call("a", {}, "3"));
    await settled();
    controlled.end("3");
    completed(await third);
  });

  test("cannot be limited by a value that is not a number", () => {
    for (const maxWaiting of [-1, Number.NaN, "2" as never]) {
      expect(() => executorFor([], { limits: { concurrency: { maxWaiting } } })).toThrow(
        /maxWaiting is .*use 0 or more/,
      );
    }
  });
});
