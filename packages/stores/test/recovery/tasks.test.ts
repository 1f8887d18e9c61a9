import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { inFullRun } from "@toolweave/test-support";
import { tempFolder } from "@toolweave/test-support/temp-folder";
import { describe, expect, test } from "vitest";
import { startAgent, type Agent } from "./support/start-agent.ts";
import type { Seen, AgentRequest } from "./support/task-agent.ts";

const program = new URL("./support/task-agent.ts", import.meta.url);

/** A folder for a store, and for the records of the tools. */
function place() {
  const folder = tempFolder();
  const path = join(folder, "tasks.db");
  const log = join(folder, "done.log");
  const done = (): string[] =>
    existsSync(log) ? readFileSync(log, "utf8").split("\n").slice(0, -1).sort() : [];
  return { done, start: (leaseMs = 1_000) => startAgent(`${leaseMs}`, path, log, program) };
}

/** Sends an agent a request, and receives the result. */
function ask<T>(agent: Agent, request: AgentRequest): Promise<T> {
  const received = new Promise<T>((resolve, reject) => {
    const stop = agent.listen((message) => {
      const { failed } = message as { readonly failed?: unknown };
      if (Array.isArray(message)) resolve(message as T);
      else if (failed !== undefined) reject(new Error(String(failed)));
      else return;
      stop();
    });
  });
  agent.tell(request);
  return Promise.race([
    received,
    agent.gone.then(() => {
      throw new Error("The agent is gone.");
    }),
  ]);
}

/** Polls until none of them is reported as running: a lease of a second expires meanwhile. */
async function settled(agent: Agent, ids: readonly string[]): Promise<readonly Seen[]> {
  for (;;) {
    const seen = await ask<readonly Seen[]>(agent, { job: "look", ids });
    if (seen.every(({ status }) => status !== "working")) return seen;
  }
}

const numbered = (name: string, count: number): string[] =>
  Array.from({ length: count }, (_, n) => `${name} ${n}`);

describe("a process that is killed while tasks run", () => {
  test("keeps 50 results, reports that 20 were cut off, and nothing runs twice", async () => {
    const here = place();
    const first = await here.start();
    const quick = await ask<readonly string[]>(first, { job: "begin", tool: "quick", count: 50 });
    const before = await settled(first, quick);
    expect(before.map(({ status }) => status)).toEqual(quick.map(() => "completed"));
    const long = await ask<readonly string[]>(first, { job: "begin", tool: "long", count: 20 });
    await expect.poll(() => here.done().length).toBe(70);
    const [running] = await ask<readonly Seen[]>(first, { job: "look", ids: long.slice(0, 1) });
    expect(running).toMatchObject({ status: "working", outcome: "null" });
    await first.kill();

    const second = await here.start();
    const after = await settled(second, [...quick, ...long]);
    expect(after.slice(0, 50)).toEqual(before);
    for (const { status, code, outcome } of after.slice(50)) {
      expect({ status, code }).toEqual({ status: "failed", code: "outcome_unknown" });
      expect(outcome).toContain("was cut off");
    }
    // A later read, in any process, returns the same.
    const third = await here.start();
    expect(await settled(third, [...quick, ...long])).toEqual(after);
    expect(here.done()).toEqual([...numbered("quick", 50), ...numbered("long", 20)].sort());
    console.log(
      `kill -9 with 20 running and 50 finished tasks: 50 results as they were, 20 outcome_unknown, each of 70 ran once`,
    );
  });

  test("is not reported as ended by another process while it runs", async () => {
    const here = place();
    const [owner, other] = await Promise.all([here.start(30_000), here.start(30_000)]);
    const ids = await ask<readonly string[]>(owner, { job: "begin", tool: "long", count: 5 });
    const seen = await ask<readonly Seen[]>(other, { job: "look", ids });
    expect(seen.map(({ status }) => status)).toEqual(ids.map(() => "working"));
  });

  test("at any moment: every reported end is stored, and the rest is finished or cut off", async () => {
    const request: number[] = [];
    for (const count of inFullRun([1, 20, 40], [20])) {
      const here = place();
      const first = await here.start();
      const ended = new Set<string>();
      const enough = new Promise<void>((resolve) => {
        first.listen((message) => {
          if (typeof message !== "object" || message === null || !("ended" in message)) return;
          ended.add(String(message.ended));
          if (ended.size >= count) resolve();
        });
      });
      const ids = await ask<readonly string[]>(first, { job: "begin", tool: "soon", count: 60 });
      await enough;
      await first.kill();
      const second = await here.start();
      const after = await settled(second, ids);
      for (const { id, status, code } of after) {
        const known = ended.has(id) ? ["completed"] : ["completed", "outcome_unknown"];
        expect(known).toContain(code ?? status);
      }
      const runs = here.done();
      expect(new Set(runs).size).toBe(runs.length);
      request.push(after.filter(({ status }) => status === "completed").length);
    }
    console.log(`kill -9 among 60 tasks that end one by one: ${request.join(", ")} results kept`);
  });
});
