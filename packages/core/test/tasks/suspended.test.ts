import { FakeClock, settled } from "@toolweave/test-support/fake-clock";
import { describe, expect, test } from "vitest";
import {
  suspend,
  type Answer,
  type Interruption,
  type InterruptionRequest,
  type ToolExecutor,
} from "@toolweave/core";
import { memoryPendingCalls, memoryTasks } from "@toolweave/core/stores";
import { call, executorFor, recorded, tool, listTypes } from "../support/executor-for.ts";
import { readCode, completed, failed, getInterruption, textFor } from "../support/outcomes.ts";
import { gate, key, TestStore } from "../support/pending-call-stores.ts";
import { getTaskId, taskTool } from "./task-for.ts";

const question: InterruptionRequest = { id: "q", type: "input", message: "Which one?" };
const red: readonly Answer[] = [{ type: "input", value: "red" }];

/** A tool that asks once and then answers with the answer. */
const asking = (ran: unknown[] = []) =>
  taskTool("book", async (_, { resumed, attempt }) => {
    ran.push(attempt);
    if (resumed === undefined) return suspend([question], { draft: 7 });
    const [answer] = resumed.answers;
    return answer?.type === "input" ? answer.value : "?";
  });

/** Executors that share everything but their memory: like separate processes. */
function processes(tools: () => Parameters<typeof executorFor>[0]): [ToolExecutor, ToolExecutor] {
  const shared = { key, pendingCalls: memoryPendingCalls(), tasks: memoryTasks() };
  return [executorFor(tools(), shared), executorFor(tools(), shared)];
}

async function waiting(executor: ToolExecutor, id: string): Promise<Interruption> {
  return getInterruption(await executor.tasks.result(id));
}

describe("a task that waits for a person", () => {
  test("has that status, returns its interruption, and is resumed under the same id", async () => {
    const ran: unknown[] = [];
    const executor = executorFor(asking(ran));
    const events = recorded(executor);
    const id = getTaskId(await executor.execute(call("book")));
    const interruption = await waiting(executor, id);
    expect(await executor.tasks.status(id)).toMatchObject({
      status: "input_required",
      interruption,
    });
    expect(getTaskId(await executor.resume(interruption, red))).toBe(id);
    expect(textFor(completed(await executor.tasks.result(id)))).toBe("red");
    expect(await executor.tasks.status(id)).not.toHaveProperty("interruption");
    expect(ran).toEqual([1, 2]);
    expect(listTypes(events)).toEqual([
      "tool.requested",
      "tool.authorized",
      "task.created",
      "tool.started",
      "tool.suspended",
      "task.input_required",
      "tool.resumed",
      "tool.authorized",
      "task.working",
      "tool.started",
      "tool.completed",
      "task.completed",
    ]);
    const inputRequired = events.find(({ type }) => type === "task.input_required");
    expect(inputRequired).toMatchObject({ taskId: id, interruptionId: interruption.id });
  });

  test("can be resumed in another process, too, and both receive its end", async () => {
    const [here, there] = processes(() => asking());
    const run = here.startRun({ sessionId: "s", caller: { id: "ada" } });
    const behalf = { sessionId: "s", caller: { id: "ada" } };
    const id = getTaskId(await run.execute(call("book")));
    const { interruption } = await until(
      () => there.tasks.status(id, behalf),
      ({ status }) => status === "input_required",
    );
    expect(getTaskId(await there.resume(interruption as Interruption, red))).toBe(id);
    for (const executor of [here, there]) {
      expect(textFor(completed(await executor.tasks.result(id, behalf)))).toBe("red");
    }
  });

  test("keeps its run, which may have been disposed of, and its counters", async () => {
    const seen: unknown[] = [];
    const executor = executorFor(
      taskTool("t", (_, { injected, resumed }) => {
        seen.push(injected);
        return resumed === undefined ? suspend([question], null) : "fine";
      }),
    );
    const run = executor.startRun({ injected: { tenant: 1 }, limits: { calls: 5 } });
    const id = getTaskId(await run.execute(call("t")));
    const interruption = await waiting(executor, id);
    await run[Symbol.asyncDispose]();
    await executor.resume(interruption, red);
    completed(await executor.tasks.result(id));
    expect([seen, run.counters?.calls]).toEqual([[{ tenant: 1 }, { tenant: 1 }], 1]);
  });

  test("can be asked repeatedly", async () => {
    const executor = executorFor(
      taskTool("t", (_, { attempt }) => (attempt < 4 ? suspend([question], null) : "fine")),
    );
    const id = getTaskId(await executor.execute(call("t")));
    for (let time = 0; time < 3; time++) {
      await executor.resume(await waiting(executor, id), red);
    }
    expect(textFor(completed(await executor.tasks.result(id)))).toBe("fine");
  });

  test("is resumed once, however often it is answered", async () => {
    const ran: unknown[] = [];
    const executor = executorFor(asking(ran));
    const id = getTaskId(await executor.execute(call("book")));
    const interruption = await waiting(executor, id);
    const outcomes = await Promise.all([1, 2, 3].map(() => executor.resume(interruption, red)));
    expect(outcomes.filter(({ status }) => status === "completed")).toHaveLength(1);
    completed(await executor.tasks.result(id));
    // The same answer returns the result of the first, that the call continues as a task; another
    // is refused.
    expect(completed(await executor.resume(interruption, red)).result.taskId).toBe(id);
    const blue = [{ type: "input", value: "blue" }] as const;
    expect(readCode(await executor.resume(interruption, blue))).toBe("approval_invalid");
    expect(ran).toEqual([1, 2]);
  });

  test("can be answered by a listener for its call, before the store has the wait", async () => {
    const tasks = memoryTasks();
    const { opened, open } = gate();
    const change = tasks.change.bind(tasks);
    tasks.change = (id, given) =>
      given.status === "input_required" ? opened.then(() => change(id, given)) : change(id, given);
    const pendingCalls = memoryPendingCalls();
    const executor = executorFor(asking(), { tasks, pendingCalls });
    const id = getTaskId(await executor.execute(call("book")));
    await settled();
    const [pending] = await pendingCalls.list();
    const resumed = executor.resume(pending?.interruption as Interruption, red);
    await settled();
    open();
    expect(getTaskId(await resumed)).toBe(id);
    expect(textFor(completed(await executor.tasks.result(id)))).toBe("red");
  });

  test("still waits after invalid answers", async () => {
    const executor = executorFor(asking());
    const id = getTaskId(await executor.execute(call("book")));
    const interruption = await waiting(executor, id);
    expect(readCode(await executor.resume(interruption, []))).toBe("approval_invalid");
    expect(readCode(await executor.resume({ ...interruption, expiresAt: 1 }, red))).toBe(
      "approval_invalid",
    );
    expect(getTaskId(await executor.resume(interruption, red))).toBe(id);
  });

  test("has failed if the call cannot be resumed after its answer", async () => {
    let denies = false;
    const executor = executorFor(asking(), {
      hooks: [{ beforeCall: () => (denies ? { block: "Not now." } : undefined) }],
    });
    const events = recorded(executor);
    const id = getTaskId(await executor.execute(call("book")));
    const interruption = await waiting(executor, id);
    denies = true;
    expect(readCode(await executor.resume(interruption, red))).toBe("permission_denied");
    expect(readCode(await executor.tasks.result(id))).toBe("permission_denied");
    expect(listTypes(events).slice(-2)).toEqual(["tool.rejected", "task.failed"]);
  });

  test("is cancelled if its answer is aborted while it is processed", async () => {
    const pendingCalls = new TestStore();
    const { opened, open } = gate();
    const executor = executorFor(asking(), { pendingCalls });
    const id = getTaskId(await executor.execute(call("book")));
    const interruption = await waiting(executor, id);
    pendingCalls.before.claim = () => opened;
    const controller = new AbortController();
    const resumed = executor.resume(interruption, red, { signal: controller.signal });
    await settled();
    controller.abort();
    expect(readCode(await resumed)).toBe("cancelled");
    expect(await executor.tasks.status(id)).toMatchObject({ status: "input_required" });
    open();
    await settled();
    expect(await executor.tasks.status(id)).toMatchObject({ status: "cancelled" });
  });

  test("waits again if the policy asks for a new permission", async () => {
    let asks = false;
    const executor = executorFor(
      taskTool("t", (_, { resumed }) => (resumed ? "fine" : suspend([question], null)), {
        needsApproval: () => asks,
      }),
    );
    const id = getTaskId(await executor.execute(call("t")));
    const first = await waiting(executor, id);
    asks = true;
    const second = getInterruption(await executor.resume(first, red));
    expect(await executor.tasks.status(id)).toMatchObject({ interruption: second });
    expect(second.id).not.toBe(first.id);
    expect(getTaskId(await executor.resume(second, [{ type: "approve" }]))).toBe(id);
    expect(textFor(completed(await executor.tasks.result(id)))).toBe("fine");
  });

  test("that is cancelled waits no longer, and its interruption is invalid", async () => {
    const pendingCalls = memoryPendingCalls();
    const ran: unknown[] = [];
    const executor = executorFor(asking(ran), { pendingCalls });
    const events = recorded(executor);
    const id = getTaskId(await executor.execute(call("book")));
    const interruption = await waiting(executor, id);
    expect(await executor.tasks.cancel(id)).toMatchObject({ status: "cancelled" });
    expect(readCode(await executor.tasks.result(id))).toBe("cancelled");
    expect(await pendingCalls.list()).toEqual([]);
    const { error } = failed(await executor.resume(interruption, red));
    expect([error.code, error.message]).toEqual([
      "approval_invalid",
      "The task that this answers for is cancelled, and does not wait for an answer.",
    ]);
    expect(ran).toEqual([1]);
    expect(listTypes(events)).toContain("task.cancelled");
  });

  test("can be cancelled while its wait is being stored", async () => {
    const tasks = memoryTasks();
    const { opened, open } = gate();
    const change = tasks.change.bind(tasks);
    tasks.change = (id, given) =>
      given.status === "input_required" ? opened.then(() => change(id, given)) : change(id, given);
    const pendingCalls = memoryPendingCalls();
    const executor = executorFor(asking(), { tasks, pendingCalls });
    const id = getTaskId(await executor.execute(call("book")));
    await settled();
    const cancelling = executor.tasks.cancel(id);
    open();
    expect(await cancelling).toMatchObject({ status: "cancelled" });
    expect(await pendingCalls.list()).toEqual([]);
  });

  test("must be answered by the host, and not by the tool that called it", async () => {
    const executor = executorFor([
      asking(),
      tool("outer", async (_, { scope }) => {
        const id = getTaskId(await scope.execute(call("book")));
        const interruption = await waiting(executor, id);
        const outcome = await scope.resume(interruption);
        return { id, resumed: outcome.status, parent: interruption.parentCallId ?? null };
      }),
    ]);
    const { value } = completed(await executor.execute(call("outer"))).result;
    expect(value).toMatchObject({ resumed: "failed", parent: null });
    const { id } = value as { id: string };
    await executor.resume(await waiting(executor, id), red);
    expect(textFor(completed(await executor.tasks.result(id)))).toBe("red");
  });

  test("of a cancelled run ends when it is answered", async () => {
    const ran: unknown[] = [];
    const executor = executorFor(asking(ran));
    const run = executor.startRun();
    const id = getTaskId(await run.execute(call("book")));
    const interruption = await waiting(executor, id);
    run.cancel();
    expect(readCode(await executor.resume(interruption, red))).toBe("cancelled");
    expect(ran).toEqual([1]);
  });

  test("EX10 cannot be stored if the store of pending calls is down, and its error says that it ran", async () => {
    const pendingCalls = Object.assign(memoryPendingCalls(), {
      add: () => Promise.reject(new Error("down")),
    });
    const executor = executorFor(asking(), { pendingCalls });
    const id = getTaskId(await executor.execute(call("book")));
    expect(readCode(await executor.tasks.result(id))).toBe("store_unavailable");
  });
});

describe("a task that is to wait for a person, with a store that never answers", () => {
  test("EX10 fails after 10 s, and its error says that it ran", async () => {
    const clock = new FakeClock();
    const pendingCalls = Object.assign(memoryPendingCalls(clock), {
      add: () => new Promise<never>(() => {}),
    });
    const executor = executorFor(asking(), { clock, pendingCalls });
    const id = getTaskId(await executor.execute(call("book")));
    await settled();
    await clock.advance(9999);
    expect(await executor.tasks.status(id)).toMatchObject({ status: "working" });
    await clock.advance(1);
    const { error } = failed(await executor.tasks.result(id));
    expect(error.code).toBe("store_unavailable");
    expect(error.message).toContain("book did run until it had to wait for a person: check what");
    expect(clock.timers).toBe(0);
  });
});

describe("a task whose answer was lost halfway", () => {
  test("is reported as one with an unknown end", async () => {
    const pendingCalls = memoryPendingCalls();
    const get = pendingCalls.get.bind(pendingCalls);
    const executor = executorFor(asking(), { pendingCalls });
    const id = getTaskId(await executor.execute(call("book")));
    await waiting(executor, id);
    pendingCalls.get = async (one) => ({
      ...((await get(one)) as never as object),
      status: "unfinished" as const,
      interruption: {} as Interruption,
    });
    expect(await executor.tasks.status(id)).toMatchObject({
      status: "failed",
      error: { code: "outcome_unknown" },
    });
    expect(readCode(await executor.tasks.result(id))).toBe("outcome_unknown");
    expect(await executor.tasks.cancel(id)).toMatchObject({ error: { code: "outcome_unknown" } });
  });
});

async function until<T>(ask: () => Promise<T>, is: (answer: T) => boolean): Promise<T> {
  for (;;) {
    const answer = await ask();
    if (is(answer)) return answer;
    await settled();
  }
}
