import { randomUUID } from "node:crypto";
import { postgresStore } from "@toolweave/postgres";
import type { Stores } from "./operations.ts";

const hour = 3_600_000;

/** Waits for tasks, in a store that listens. Another store ends them. */
export async function startWatchers(url: string, key: string, { tasks }: Stores) {
  const store = postgresStore({ connectionString: url, key });
  await store.problems();
  let waiting = new AbortController();

  const add = async (): Promise<string> => {
    const id = `task_${randomUUID()}`;
    const names = { id, owner: "[null,null]", runId: "r", callId: "c", tool: "t" };
    const times = { createdAt: 1, updatedAt: 1, expiresAt: Date.now() + hour };
    await tasks.add({ ...names, ...times, status: "working" });
    return id;
  };
  const end = (id: string) =>
    tasks.change(id, { status: "completed", updatedAt: 2, expiresAt: Date.now() + hour });
  const wait = async (id: string, signal: AbortSignal): Promise<void> => {
    for (;;) {
      const changed = store.tasks.watch?.(id, signal);
      if ((await store.tasks.get(id))?.status === "completed" || signal.aborted) return;
      await changed;
    }
  };

  return {
    /** Begins to wait for so many tasks that do not end. */
    async start(count: number): Promise<void> {
      waiting = new AbortController();
      for (let n = 0; n < count; n++) void wait(await add(), waiting.signal);
    },
    stop: () => waiting.abort(),
    /** Milliseconds from the end of a task until another store has read it, for each of some tasks. */
    async delays(count: number): Promise<readonly number[]> {
      const delays: number[] = [];
      for (let n = 0; n < count; n++) {
        const id = await add();
        const ended = wait(id, new AbortController().signal);
        await new Promise((resolve) => setTimeout(resolve, 10));
        await end(id);
        const at = performance.now();
        await ended;
        delays.push(performance.now() - at);
      }
      return delays;
    },
    end: () => store.close(),
  };
}
