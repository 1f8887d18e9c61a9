import { expect, test } from "vitest";
import { memoryPendingCalls } from "@toolweave/core/stores";
import { call, executorFor, guarded } from "../support/executor-for.ts";
import { getInterruption } from "../support/outcomes.ts";
import { key } from "../support/pending-call-stores.ts";

test("an interruption names its caller and session, and stays pending", async () => {
  const pendingCalls = memoryPendingCalls();
  const executor = executorFor(guarded(), { pendingCalls, key });
  const caller = { id: "ada", roles: ["buyer"] };
  const run = executor.startRun({ caller, sessionId: "s" });
  const interruption = getInterruption(await run.execute(call("pay")));
  expect(await executor.inspect(interruption)).toEqual({ caller, sessionId: "s" });
  const other = executorFor(guarded(), { pendingCalls, key });
  expect(await other.inspect(interruption)).toEqual({ caller, sessionId: "s" });
  expect((await pendingCalls.get(interruption.id))?.status).toBe("pending");
});

test("a changed interruption, and one of another key, names nothing", async () => {
  const executor = executorFor(guarded(), { key });
  const interruption = getInterruption(await executor.execute(call("pay")));
  expect(await executor.inspect(interruption)).toEqual({});
  const changed = { ...interruption, call: { ...interruption.call, arguments: { all: true } } };
  expect(await executor.inspect(changed)).toBeUndefined();
  expect(await executorFor(guarded()).inspect(interruption)).toBeUndefined();
  for (const value of [null, undefined, 1, {}, { state: 1 }]) {
    expect(await executor.inspect(value as never)).toBeUndefined();
  }
});
