import { describe, expect, test } from "vitest";
import { call, executorFor, guarded, tool } from "../support/executor-for.ts";
import { readCode, completed, getInterruption } from "../support/outcomes.ts";
import { key } from "../support/pending-call-stores.ts";

const yes = [{ type: "approve" }] as const;

/** The value after it was stored somewhere and read again. */
function carried<T>(value: T): T {
  return JSON.parse(JSON.stringify(value)) as T;
}

describe("the process that made the call", () => {
  test("resumes it in the existing run, with its values and its signal", async () => {
    const seen: unknown[] = [];
    const executor = executorFor(
      tool("pay", (_, { injected }) => void seen.push(injected), { needsApproval: true }),
      { key },
    );
    const injected = { db: Symbol("live") };
    const controller = new AbortController();
    const run = executor.startRun({ injected, signal: controller.signal });
    const first = carried(getInterruption(await run.execute(call("pay"))));
    completed(await executor.resume(first, yes, { injected: "other" }));
    expect(seen).toEqual([injected]);
    const second = carried(getInterruption(await run.execute(call("pay"))));
    controller.abort();
    expect(readCode(await executor.resume(second, yes))).toBe("cancelled");
  });

  test("resumes it in an equivalent new run if the first has ended, but not if it was cancelled", async () => {
    const seen: unknown[] = [];
    const executor = executorFor(
      tool("pay", (_, { runId, caller, injected }) => void seen.push({ runId, caller, injected }), {
        needsApproval: true,
      }),
    );
    const options = { id: "r", caller: { id: "ada" }, injected: "first" };
    const ended = executor.startRun(options);
    const first = getInterruption(await ended.execute(call("pay")));
    await ended[Symbol.asyncDispose]();
    completed(await executor.resume(first, yes, { injected: "second" }));
    expect(seen).toEqual([{ runId: "r", caller: { id: "ada" }, injected: "second" }]);
    const cancelled = executor.startRun(options);
    const second = getInterruption(await cancelled.execute(call("pay")));
    cancelled.cancel();
    expect(readCode(await executor.resume(second, yes))).toBe("cancelled");
  });

  test("counts it against the limits of that run", async () => {
    const executor = executorFor(guarded(), { key });
    const run = executor.startRun({ limits: { calls: 1 } });
    const [a, b] = [await run.execute(call("pay")), await run.execute(call("pay"))];
    completed(await executor.resume(carried(getInterruption(a)), yes));
    expect(readCode(await executor.resume(carried(getInterruption(b)), yes))).toBe(
      "limit_exceeded",
    );
  });
});
