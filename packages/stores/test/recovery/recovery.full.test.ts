import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { tempFolder } from "@toolweave/test-support/temp-folder";
import { describe, expect, test } from "vitest";
import type { Interruption } from "@toolweave/core";
import type { PendingCallRecord } from "@toolweave/core/stores";
import { openStore } from "../support/open-store.ts";
import { startAgent } from "./support/start-agent.ts";

/** A separate store, and the file into which the tools write their effects. */
function place() {
  const folder = tempFolder();
  const path = join(folder, "calls.db");
  const log = join(folder, "done.log");
  const done = (): string[] =>
    existsSync(log) ? readFileSync(log, "utf8").split("\n").slice(0, -1) : [];
  return { path, log, done };
}

/** Makes a process create calls that wait for a person, and kills it. */
async function interrupted(
  { path, log }: ReturnType<typeof place>,
  names: readonly string[],
): Promise<readonly PendingCallRecord[]> {
  const agent = await startAgent("ask", path, log);
  agent.tell(names);
  expect(await agent.next()).toEqual(names.map(() => "interrupted"));
  await agent.kill();
  return openStore(path).pendingCalls.list();
}

const only = ([record]: readonly PendingCallRecord[]): Interruption =>
  (record as PendingCallRecord).interruption;

describe("a process that is killed while calls wait for a person", () => {
  test("AP15 loses none of a hundred: another resumes each, and each runs once", async () => {
    const here = place();
    const records = await interrupted(
      here,
      Array.from({ length: 100 }, () => "pay"),
    );
    expect(records).toHaveLength(100);
    const began = performance.now();
    const agent = await startAgent("resume", here.path, here.log);
    const ready = performance.now();
    const outcomes: unknown[] = [];
    for (const { interruption } of records) {
      agent.tell({ interruption });
      outcomes.push(await agent.next());
    }
    const ms = performance.now() - ready;
    expect(outcomes).toEqual(records.map(() => "completed"));
    expect(here.done().sort()).toEqual(
      Array.from({ length: 100 }, (_, bill) => `pay ${bill}`).sort(),
    );
    expect(await openStore(here.path).pendingCalls.list()).toEqual([]);
    // Once more, all of them: each returns its outcome, and nothing runs.
    for (const { interruption } of records) {
      agent.tell({ interruption });
      expect(await agent.next()).toBe("completed");
    }
    expect(here.done()).toHaveLength(100);
    console.log(
      `100 pending calls after kill -9: 100 resumed, each ran once, in ${ms.toFixed(0)} ms (start of the process: ${(ready - began).toFixed(0)} ms)`,
    );
  });

  test("AP12 is resumed two levels down in the next process", async () => {
    const here = place();
    const records = await interrupted(here, ["buy"]);
    // Each level keeps its own state; a person sees the outermost.
    expect(records.map(({ interruption }) => interruption.call.name).sort()).toEqual([
      "buy",
      "order",
      "pay",
    ]);
    const outermost = records.find(({ interruption }) => interruption.call.name === "buy");
    const agent = await startAgent("resume", here.path, here.log);
    agent.tell({ interruption: outermost?.interruption });
    expect(await agent.next()).toBe("completed");
    expect(here.done()).toEqual(["pay 0"]);
    expect(await openStore(here.path).pendingCalls.list()).toEqual([]);
  });

  test("EX02 after the call was stored and before that was emitted: it is still pending", async () => {
    const here = place();
    const agent = await startAgent("die before the event", here.path, here.log);
    agent.tell(["pay"]);
    await agent.gone;
    const records = await openStore(here.path).pendingCalls.list();
    expect(records).toMatchObject([{ status: "pending" }]);
    const next = await startAgent("resume", here.path, here.log);
    next.tell({ interruption: only(records) });
    expect(await next.next()).toBe("completed");
    expect(here.done()).toEqual(["pay 0"]);
  });
});

test("EX06 two processes that resume the same call at the same moment: one of them succeeds, twenty times", async () => {
  const here = place();
  const records = await interrupted(
    here,
    Array.from({ length: 20 }, () => "pay"),
  );
  const agents = await Promise.all([1, 2].map(() => startAgent("resume", here.path, here.log)));
  const counts = new Map<string, number>();
  for (const { interruption } of records) {
    const at = Date.now() + 20;
    const outcomes = await Promise.all(
      agents.map((agent) => {
        agent.tell({ interruption, at });
        return agent.next();
      }),
    );
    // A process that resumes it during the other's work is refused; a later one receives its
    // outcome.
    expect(["approval_invalid completed", "completed completed"]).toContain(
      [...outcomes].sort().join(" "),
    );
    const both = [...outcomes].sort().join(" and ");
    counts.set(both, (counts.get(both) ?? 0) + 1);
  }
  expect(here.done().sort()).toEqual(Array.from({ length: 20 }, (_, bill) => `pay ${bill}`).sort());
  console.log(
    `20 races of two processes: 20 calls ran once, the processes received ${JSON.stringify([...counts])}`,
  );
});

describe("a process that is killed while it resumes a call", () => {
  test.each([
    ["before the effect", []],
    ["after the effect", ["pay 0"]],
  ])(
    "EX02 %s: its end is unknown, and it is never run again",
    async (moment, done) => {
      const here = place();
      const interruption = only(await interrupted(here, ["pay"]));
      const agent = await startAgent(`die ${moment}`, here.path, here.log);
      agent.tell({ interruption });
      await agent.gone;
      expect(here.done()).toEqual(done);

      const next = await startAgent("resume", here.path, here.log);
      // Its lease has not expired: it may still be running.
      next.tell({ interruption });
      expect(await next.next()).toBe("approval_invalid");
      const muchLater = await startAgent("resume an hour later", here.path, here.log);
      for (let time = 0; time < 3; time++) {
        muchLater.tell({ interruption });
        expect(await muchLater.next()).toBe("outcome_unknown");
      }
      expect(here.done()).toEqual(done);
    },
    60_000,
  );
});
