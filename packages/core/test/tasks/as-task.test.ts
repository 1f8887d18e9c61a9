import { describe, expect, test } from "vitest";
import { suspend, ToolError, type ToolContext } from "@toolweave/core";
import { memoryPendingCalls } from "@toolweave/core/stores";
import { call, executorFor, tool } from "../support/executor-for.ts";
import { completed, failed, getInterruption, textFor } from "../support/outcomes.ts";
import { getTaskId } from "./task-for.ts";

const asTask = { asTask: true };

describe("a call that is to become a task", () => {
  test("becomes one, whatever its tool declares, and the tool can read that", async () => {
    const seen: (string | undefined)[] = [];
    const work = tool("work", (_, { taskId }) => {
      seen.push(taskId);
      return "done";
    });
    const executor = executorFor([work]);
    const id = getTaskId(await executor.execute(call("work"), asTask));
    expect(textFor(completed(await executor.tasks.result(id)))).toBe("done");
    expect(textFor(completed(await executor.execute(call("work"))))).toBe("done");
    expect(seen).toEqual([id, undefined]);
  });

  test("becomes one if a person has approved it, too", async () => {
    const work = tool("work", () => "done", { needsApproval: true });
    const executor = executorFor([work]);
    const asked = getInterruption(await executor.execute(call("work"), asTask));
    const id = getTaskId(await executor.resume(asked, [{ type: "approve" }]));
    expect(textFor(completed(await executor.tasks.result(id)))).toBe("done");
  });

  test("fails with the same error object, in the process that ran it", async () => {
    const error = new ToolError("upstream", "It said no.", { body: { code: -32_000 } });
    const work = tool("work", () => {
      throw error;
    });
    const executor = executorFor([work]);
    const id = getTaskId(await executor.execute(call("work"), asTask));
    expect(failed(await executor.tasks.result(id)).error.body).toEqual({ code: -32_000 });
  });
});

describe("the state that a tool has stored", () => {
  const kept: unknown[] = [];
  const checked = (name: string, then: (ctx: ToolContext) => never | string | object) =>
    tool(
      name,
      (_, ctx) => {
        kept.push(ctx.checkpointed);
        ctx.checkpoint({ attempt: ctx.attempt });
        return then(ctx) as string;
      },
      { annotations: { idempotentHint: true }, retry: { attempts: 2 } },
    );

  test("is available in a later attempt", async () => {
    kept.length = 0;
    const flaky = checked("flaky", ({ attempt }) => {
      if (attempt === 1) throw new ToolError("unavailable", "Not now.", { retryable: true });
      return "done";
    });
    await executorFor([flaky]).execute(call("flaky"));
    expect(kept).toEqual([undefined, { attempt: 1 }]);
  });

  test("is available when the call is resumed after it has waited, also in another process", async () => {
    kept.length = 0;
    const asks = checked("asks", ({ resumed }) =>
      resumed === undefined ? suspend([{ id: "q", type: "input", message: "Which?" }], null) : "ok",
    );
    const key = "k".repeat(32);
    const shared = { key, pendingCalls: memoryPendingCalls() };
    const [one, other] = [executorFor([asks], shared), executorFor([asks], shared)];
    const asked = getInterruption(await one.execute(call("asks")));
    await other.resume(asked, [{ type: "input", value: 1 }]);
    expect(kept).toEqual([undefined, { attempt: 1 }]);
  });
});
