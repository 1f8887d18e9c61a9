import { testInterruption, testTask } from "@toolweave/conformance/test-records";
import type { Interruption } from "@toolweave/core";
import { isFullRun } from "@toolweave/test-support";
import { describe, expect, inject, test } from "vitest";
import type { PostgresStore } from "../src/index.ts";
import { leaseMs, none, useFaults } from "./support/every-fault.ts";

const url = inject("postgresUrl");

describe.skipIf(url === undefined)("with a fault at any statement", () => {
  const everyFault = useFaults(url ?? "", `faults_${process.pid}`);

  test("an approval is used at most once, and a claim without an end is reported", async () => {
    const call = testInterruption("a");
    const result = await everyFault("short", async ({ store, other, clock, outcome, arrive }) => {
      const added = await outcome(store.pendingCalls.add(call));
      if (added === "unavailable") await other.pendingCalls.add(call);
      const first = await outcome(store.pendingCalls.claim(call));
      const second = await other.pendingCalls.claim(call);
      await arrive();
      const finished = first === "claimed" ? await outcome(store.pendingCalls.finish("a")) : first;
      // The process ends here.
      store.close();
      await arrive();
      await clock.advance(leaseMs);
      const later = await other.pendingCalls.claim(call);
      const listed = (await other.pendingCalls.list()).map(({ status }) => status);
      return {
        "an approval is used at most once":
          [first, second, later].filter((claim) => claim === "claimed").length < 2,
        "the first claim is not lost": ["claimed", "unavailable"].includes(first),
        "an end stays": finished !== undefined || later === "finished",
        "a claim without an end is listed":
          second === "claimed" || later !== "unfinished" || listed.join(" ") === "unfinished",
        "nothing is lost": listed.length + (later === "finished" ? 1 : 0) === 1,
      };
    });
    expect(result).toEqual(none);
  });

  test("approvals that are claimed at the same time are each used at most once", async () => {
    const calls = ["a", "b", "c"].map((id) => testInterruption(id));
    const result = await everyFault("long", async ({ store, other, clock, outcome, arrive }) => {
      const all = <T>(work: (call: Interruption) => PromiseLike<T> | T) =>
        Promise.all(calls.map((call) => outcome(work(call))));
      const added = await all((call) => store.pendingCalls.add(call));
      for (const call of calls) {
        if (added.includes("unavailable")) await other.pendingCalls.add(call);
      }
      const firsts = await all((call) => store.pendingCalls.claim(call));
      const seconds = await Promise.all(calls.map((call) => other.pendingCalls.claim(call)));
      await arrive();
      const finished = await all((call) => store.pendingCalls.finish(call.id));
      store.close();
      await arrive();
      await clock.advance(leaseMs);
      const later = await Promise.all(calls.map((call) => other.pendingCalls.claim(call)));
      const counts = calls.map(
        (_, n) => [firsts[n], seconds[n], later[n]].filter((claim) => claim === "claimed").length,
      );
      return {
        "an approval is used at most once": Math.max(...counts) < 2,
        "the first claim is not lost": firsts.every((claim) =>
          ["claimed", "unavailable"].includes(claim),
        ),
        "an end stays": finished.every((end, n) => end !== undefined || later[n] === "finished"),
      };
    });
    expect(result).toEqual(none);
  });

  test("tasks that are added and ended at the same time each have one end", async () => {
    const ids = ["a", "b", "c"];
    const result = await everyFault("long", async ({ store, other, outcome, arrive }) => {
      const added = await Promise.all(
        ids.map((id) => outcome(store.tasks.add(testTask(id, { owner: `["session","${id}"]` })))),
      );
      const end = { status: "completed", updatedAt: 2, expiresAt: 9e12 } as const;
      const ended = await Promise.all(ids.map((id) => outcome(store.tasks.change(id, end))));
      await arrive();
      const found = await Promise.all(ids.map((id) => other.tasks.get(id)));
      const again = await Promise.all(
        ids.map((id) => other.tasks.change(id, { ...end, status: "failed" })),
      );
      return {
        "an added task is there": ids.every(
          (id, n) => added[n] !== undefined || found[n]?.id === id,
        ),
        "an end is accepted": ended.every((is, n) => is !== false || added[n] === "unavailable"),
        "an end stays": ended.every((is, n) => is !== true || found[n]?.status === "completed"),
        "a second end is refused": again.every((is, n) => is === (found[n]?.status === "working")),
      };
    });
    expect(result).toEqual(none);
  });

  test("a rate is not exceeded, and its room is free again after the lease", async () => {
    const request = { key: "tool:pay", amount: 1, limit: 2, windowMs: 1_000 };
    const result = await everyFault("long", async ({ store, other, clock, outcome, arrive }) => {
      let uses: number[] = [];
      const use = async (by: PostgresStore): Promise<void> => {
        const taken = await outcome(by.rateLimits.reserve([request]));
        if (taken === "unavailable" || !taken.granted) return;
        // The call starts after its commit only.
        if ((await outcome(by.rateLimits.commit(taken.id))) === undefined) uses.push(clock.now());
      };
      for (let turn = 0; turn < 3; turn++) {
        await use(store);
        await use(other);
        await arrive();
        await clock.skip(400);
      }
      const windows = uses.map(
        (start) => uses.filter((at) => at >= start && at < start + request.windowMs).length,
      );
      store.close();
      await clock.skip(leaseMs);
      uses = [];
      await use(other);
      await use(other);
      return {
        "no window has more than the limit": Math.max(...windows) <= request.limit,
        "the room of an ended process is free again": uses.length === 2,
      };
    });
    expect(result).toEqual(none);
  });

  test("a task has one end, and one without an end is lost", async () => {
    const result = await everyFault("short", async ({ store, other, clock, outcome, arrive }) => {
      const added = await outcome(store.tasks.add(testTask("a")));
      const end = { status: "completed", updatedAt: 2, expiresAt: 9e12 } as const;
      const ended = added === undefined ? await outcome(store.tasks.change("a", end)) : added;
      store.close();
      await arrive();
      await clock.skip(leaseMs);
      const found = await other.tasks.get("a");
      const isOpen = found?.status === "working";
      return {
        "an added task is there": added !== undefined || found !== undefined,
        "an end is accepted once": ended !== false,
        "an end stays": ended !== true || found?.status === "completed",
        "a task without an end is lost": !isOpen || found.lost === true,
        "a second end is refused":
          (await other.tasks.change("a", { ...end, status: "failed" })) === isOpen,
      };
    });
    expect(result).toEqual(none);
  });

  test("a grant is revoked once, and the answer is right after a lost one", async () => {
    const result = await everyFault("short", async ({ store, other, outcome, arrive }) => {
      await other.grants.add(grant);
      const added = await outcome(store.grants.add(grant));
      const revoked = await outcome(store.grants.revoke("g"));
      await arrive();
      return {
        "the same grant is accepted": added === undefined || added === "unavailable",
        "it is found": revoked !== false,
        "it is found once": revoked !== true || !(await other.grants.revoke("g")),
      };
    });
    expect(result).toEqual(none);
  });

  test("a slot is taken once", async () => {
    const result = await everyFault("short", async ({ store, other, outcome, arrive }) => {
      const added = await outcome(store.schedules.add(job, 1_000));
      if (added === "unavailable") await other.schedules.add(job, 1_000);
      const first = await outcome(store.schedules.claim("j", 1_000, 2_000));
      const second = await other.schedules.claim("j", 1_000, 2_000);
      await arrive();
      const [stored] = await other.schedules.list("[null,null]");
      return {
        "the first claim is not lost": first !== false,
        "a slot is taken by one process": first !== true || !second,
        "a slot is counted once": stored?.runs === 1 && stored.nextAt === 2_000,
      };
    });
    expect(result).toEqual(none);
  });

  test("a statement that arrives late does not undo what was done since", async () => {
    const name = { source: "shop", scheme: "oauth" };
    const secret = (text: string) => ({ type: "secret", secret: text }) as const;
    const waiting = { status: "input_required", updatedAt: 2, expiresAt: 9e12 } as const;
    const result = await everyFault("long", async ({ store, other, outcome, arrive }) => {
      const added = await outcome(store.schedules.add(job, 1_000));
      const granted = await outcome(store.grants.add(grant));
      await other.tasks.add(testTask("a"));
      const asked = await outcome(store.tasks.change("a", waiting));
      const deleted = await outcome(store.credentials.delete(name));
      await other.credentials.set(name, secret("new"));
      await other.schedules.remove("[null,null]", "j");
      await other.grants.revoke("g");
      await other.tasks.change("a", { ...waiting, status: "working" });
      await arrive();
      const [jobs, grants] = [await other.schedules.list("[null,null]"), await other.grants.list()];
      return {
        "a removed job stays removed": added === "unavailable" || jobs.length === 0,
        "a revoked grant stays revoked": granted === "unavailable" || grants.length === 0,
        "a task that continues does not wait":
          asked === "unavailable" || (await other.tasks.get("a"))?.status === "working",
        "a new credential is not deleted":
          deleted === "unavailable" || (await other.credentials.get(name)) !== undefined,
      };
    });
    expect(result).toEqual(none);
  });

  test("a credential that was set last is the one that is returned", async () => {
    const name = { source: "shop", scheme: "oauth" };
    const secret = (text: string) => ({ type: "secret", secret: text }) as const;
    const result = await everyFault("short", async ({ store, other, outcome, arrive }) => {
      const first = await outcome(store.credentials.set(name, secret("1")));
      const second = await outcome(store.credentials.set(name, secret("2")));
      await arrive();
      const found = await other.credentials.get(name);
      const text = found?.type === "secret" ? found.secret : undefined;
      return {
        "the last value is stored": second !== undefined || text === "2",
        "a value is stored": first !== undefined || text !== undefined,
      };
    });
    expect(result).toEqual(none);
  });

  test.runIf(isFullRun)("an artifact is readable completely or not at all", async () => {
    const data = new Uint8Array(1_500_000).map((_, index) => index % 251);
    const key = `art_${"a".repeat(32)}`;
    const result = await everyFault("long", async ({ store, other, outcome, arrive }) => {
      const artifact = {
        key,
        size: data.length,
        owner: "[null,null]",
        mediaType: "text/plain",
        createdAt: 0,
        expiresAt: 9e12,
      };
      const put = await outcome(store.artifacts.put(artifact, data));
      await arrive();
      const read = await other.artifacts.read(key, 0, Infinity);
      return {
        "a stored artifact is there": put !== undefined || read !== undefined,
        "it is complete": read === undefined || Buffer.compare(read, data) === 0,
      };
    });
    expect(result).toEqual(none);
  });
});

const grant = {
  id: "g",
  scope: "always",
  tool: "pay",
  specHash: "",
  permission: { kind: "network", target: "x" },
  argumentsHash: "",
  grantedAt: 0,
} as const;

const job = {
  id: "j",
  owner: "[null,null]",
  schedule: { everyMs: 1_000, from: 0 },
  tool: "pay",
  arguments: {},
  specHash: "",
  missed: "skip",
  createdAt: 0,
} as const;
