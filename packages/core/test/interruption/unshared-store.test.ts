import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { memoryPendingCalls } from "@toolweave/core/stores";
import { call, executorFor, guarded } from "../support/executor-for.ts";
import { completed, getInterruption } from "../support/outcomes.ts";

const key = "0123456789abcdef0123456789abcdef";
const yes = [{ type: "approve" }] as const;
const warn = vi.spyOn(process, "emitWarning");

beforeEach(() => {
  warn.mockImplementation(() => {});
});
afterEach(() => {
  warn.mockReset();
});

describe("an executor with a key and without pendingCalls", () => {
  test("emits one process warning when it resumes calls of another executor", async () => {
    const first = executorFor(guarded(), { key });
    const second = executorFor(guarded(), { key });
    for (const id of ["1", "2"]) {
      const interruption = getInterruption(await first.execute(call("pay", {}, id)));
      completed(await second.resume(interruption, yes));
    }
    expect(warn.mock.calls).toEqual([
      [
        "A call of pay from another process was resumed, and this executor has a store of pending calls of its own: this process cannot know whether another one has run the call.",
        {
          code: "TOOLWEAVE_UNSHARED_STORE",
          detail:
            "Pass the same pendingCalls, such as those of sqliteStore of @toolweave/stores, to every executor with this key.",
        },
      ],
    ]);
  });

  test("emits none when it resumes its own calls", async () => {
    const executor = executorFor(guarded(), { key });
    const interruption = getInterruption(await executor.execute(call("pay")));
    completed(await executor.resume(interruption, yes));
    completed(await executor.resume(interruption, yes));
    expect(warn).not.toHaveBeenCalled();
  });
});

test("executors that share a store emit no process warning", async () => {
  const pendingCalls = memoryPendingCalls();
  const first = executorFor(guarded(), { key, pendingCalls });
  const second = executorFor(guarded(), { key, pendingCalls });
  const interruption = getInterruption(await first.execute(call("pay")));
  completed(await second.resume(interruption, yes));
  expect(warn).not.toHaveBeenCalled();
});
