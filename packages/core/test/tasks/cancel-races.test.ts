import { FakeClock, settled } from "@toolweave/test-support/fake-clock";
import { describe, expect, test } from "vitest";
import { suspend, type Interruption, type ToolExecutor } from "@toolweave/core";
import { memoryPendingCalls, memoryTasks, type TaskStore } from "@toolweave/core/stores";
import { call, executorFor, recorded, listTypes } from "../support/executor-for.ts";
import { readCode, completed, getInterruption } from "../support/outcomes.ts";
import { gate, key } from "../support/pending-call-stores.ts";
import { getTaskId, taskTool } from "./task-for.ts";

const answers = [{ type: "input", value: "red" }] as const;

interface Setup {
  readonly here: ToolExecutor;
  readonly there: ToolExecutor;
  readonly tasks: TaskStore;
  readonly clock: FakeClock;
  readonly ran: unknown[];
  readonly id: string;
  readonly interruption: Interruption;
  readonly claimed: () => Promise<void>;
}

/** A task that waits for a person, and two executors that share nothing but their stores. */
async function waitingTask(): Promise<Setup> {
  const clock = new FakeClock();
  const pendingCalls = memoryPendingCalls(clock);
  const tasks = memoryTasks(clock);
  const ran: unknown[] = [];
  const tool = taskTool("book", (_, { resumed }) => {
    if (resumed === undefined) return suspend([{ id: "q", type: "input", message: "?" }], null);
    ran.push(resumed.answers);
    return "booked";
  });
  const shared = { key, pendingCalls, tasks, clock };
  const [here, there] = [executorFor(tool, shared), executorFor(tool, shared)];
  const id = getTaskId(await here.execute(call("book")));
  const interruption = getInterruption(await here.tasks.result(id));
  const claimed = async (): Promise<void> => {
    while ((await pendingCalls.get(interruption.id))?.status === "pending") await settled();
  };
  return { here, there, tasks, clock, ran, id, interruption, claimed };
}

describe("a task that is cancelled when its answer arrives", () => {
  test("is not reported as cancelled if another process is already resuming it", async () => {
    const { here, there, tasks, clock, ran, id, interruption, claimed } = await waitingTask();
    const { opened, open } = gate();
    const change = tasks.change.bind(tasks);
    tasks.change = (one, given) =>
      given.status === "working" ? opened.then(() => change(one, given)) : change(one, given);
    const resumed = there.resume(interruption, answers);
    await claimed();
    const cancelling = here.tasks.cancel(id).then(
      () => "cancelled",
      (error: unknown) => (error as { code: string }).code,
    );
    await clock.advance(1000);
    expect(await cancelling).toBe("unavailable");
    open();
    expect(getTaskId(await resumed)).toBe(id);
    completed(await there.tasks.result(id));
    expect(ran).toHaveLength(1);
  });

  test("is stopped as soon as this process resumes it", async () => {
    const { here, tasks, clock, id, interruption, claimed } = await waitingTask();
    const { opened, open } = gate();
    const change = tasks.change.bind(tasks);
    tasks.change = (one, given) =>
      given.status === "working" ? opened.then(() => change(one, given)) : change(one, given);
    const events = recorded(here);
    const resumed = here.resume(interruption, answers);
    await claimed();
    const cancelling = here.tasks.cancel(id);
    open();
    await resumed;
    await settled();
    await clock.advance(1000);
    expect((await cancelling).status).toMatch(/^(?:cancelled|completed)$/);
    const ends = listTypes(events).filter((type) => /^task\.(?:cancelled|completed)$/.test(type));
    expect(ends).toEqual([`task.${(await cancelling).status}`]);
  });

  test("cannot be resumed once it is being cancelled", async () => {
    const { here, there, tasks, ran, id, interruption } = await waitingTask();
    const { opened, open } = gate();
    const change = tasks.change.bind(tasks);
    tasks.change = (one, given) =>
      given.status === "cancelled" ? opened.then(() => change(one, given)) : change(one, given);
    const cancelling = here.tasks.cancel(id);
    await settled();
    expect(readCode(await there.resume(interruption, answers))).toBe("approval_invalid");
    open();
    expect(await cancelling).toMatchObject({ status: "cancelled" });
    expect(ran).toEqual([]);
  });

  test("can still be cancelled if the store of tasks fails at that moment", async () => {
    const { here, tasks, id } = await waitingTask();
    const change = tasks.change.bind(tasks);
    tasks.change = () => {
      throw new Error("disk full");
    };
    await expect(here.tasks.cancel(id)).rejects.toMatchObject({ code: "store_unavailable" });
    tasks.change = change;
    expect(await here.tasks.cancel(id)).toMatchObject({ status: "cancelled" });
  });
});
