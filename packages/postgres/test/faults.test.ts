import { ToolError, type Clock, type ClockTimer, type Interruption } from "@toolweave/core";
import { isFullRun } from "@toolweave/test-support";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { postgresStore, type PostgresPool, type PostgresStore } from "../src/index.ts";
import { faults, FaultyPool } from "./support/faulty-pool.ts";
import { testDatabase, type TestClock, type TestDatabase } from "./support/test-database.ts";

const url = inject("postgresUrl");
const leaseMs = 30_000;

/** Each fault, over at once or until the process ends. */
const kinds = faults.flatMap((fault) => [
  { fault, persists: false },
  { fault, persists: true },
]);
/** In a quick run each fault once. */
const tested = kinds.filter(
  ({ fault, persists }) => isFullRun || persists === (fault === "unsent" || fault === "late"),
);

/** More statements than any life has. */
const maxStatements = 40;

/** Timers that a test runs by hand. */
class ManualTimers implements Pick<Clock, "setTimeout" | "clearTimeout"> {
  readonly #timers = new Map<ClockTimer, () => void>();

  setTimeout(callback: () => void): ClockTimer {
    const timer: ClockTimer = {};
    this.#timers.set(timer, callback);
    return timer;
  }

  clearTimeout(timer: ClockTimer): void {
    this.#timers.delete(timer);
  }

  /** Runs all that wait: deadlines, and renewals of leases. */
  expire(): void {
    for (const [timer, callback] of [...this.#timers]) {
      this.#timers.delete(timer);
      callback();
    }
  }
}

interface World {
  /** The process that has the fault. */
  readonly store: PostgresStore;
  /** Another process, which has none. */
  readonly other: PostgresStore;
  readonly clock: TestClock;
  /**
   * The outcome of an operation: its result, or `unavailable` if the fault persists. A fault that is over at once changes
   * no outcome.
   */
  outcome<T>(work: PromiseLike<T> | T): Promise<T | "unavailable">;
  /** The statement that is late is done now. */
  arrive(): Promise<void>;
}

describe.skipIf(url === undefined)("with a fault at any statement", () => {
  let database: TestDatabase;
  let connections: pg.Pool;
  beforeAll(async () => {
    database = await testDatabase(url ?? "", `faults_${process.pid}`);
    connections = new pg.Pool({ connectionString: url ?? "", max: 10 });
    connections.on("error", () => {});
  });
  afterAll(async () => {
    await connections.end();
    await database.end();
  });

  /**
   * Runs a life once for each statement and fault: the fault is over at once, or persists until the process ends.
   *
   * @returns the number of cases.
   */
  async function everyFault(life: (world: World) => Promise<void>): Promise<number> {
    let cases = 0;
    for (const { fault, persists } of tested) {
      for (let at = 1; at <= maxStatements; at++) {
        const clock = await database.reset();
        const timers = new ManualTimers();
        const pool = new FaultyPool(connections, { at, fault, persists }, () =>
          queueMicrotask(() => timers.expire()),
        );
        const open = (through: PostgresPool, by: Pick<Clock, "setTimeout" | "clearTimeout">) =>
          postgresStore({ pool: through, schema: database.schema, timers: by, leaseMs });
        const store = open(pool, timers);
        const other = open(database.pool, clock);
        const outcome = async <T>(work: PromiseLike<T> | T): Promise<T | "unavailable"> => {
          try {
            return await work;
          } catch (error) {
            if (persists && ToolError.is(error) && error.code === "store_unavailable") {
              return "unavailable";
            }
            throw error;
          }
        };
        try {
          await life({ store, other, clock, outcome, arrive: () => pool.arrive() });
        } catch (error) {
          throw new Error(`${fault} at statement ${at}, ${persists ? "persistent" : "once"}`, {
            cause: error,
          });
        } finally {
          store.close();
          other.close();
        }
        cases++;
        if (pool.statements < at) break;
      }
    }
    return cases;
  }

  test("an approval is used at most once, and a claim that ended is reported", async () => {
    const call = interruption("a");
    const cases = await everyFault(async ({ store, other, clock, outcome, arrive }) => {
      const added = await outcome(store.pendingCalls.add(call));
      if (added === "unavailable") await other.pendingCalls.add(call);
      const first = await outcome(store.pendingCalls.claim(call));
      const second = await other.pendingCalls.claim(call);
      await arrive();
      expect([first, second].filter((result) => result === "claimed").length).toBeLessThan(2);
      expect(["claimed", "unavailable"]).toContain(first);
      const finished = first === "claimed" ? await outcome(store.pendingCalls.finish("a")) : first;
      // The process ends here.
      store.close();
      await clock.advance(leaseMs);
      const later = await other.pendingCalls.claim(call);
      const used = [first, second, later].filter((result) => result === "claimed").length;
      expect(used).toBeLessThan(2);
      if (finished === undefined) expect(later).toBe("finished");
      // Nothing is lost silently: a claim without a known end is listed.
      const listed = (await other.pendingCalls.list()).map(({ status }) => status);
      if (second !== "claimed" && later === "unfinished") expect(listed).toEqual(["unfinished"]);
      expect(listed.length + (later === "finished" ? 1 : 0)).toBe(1);
    });
    expect(cases).toBeGreaterThan(3 * tested.length);
  });

  test("a rate is not exceeded, and its room is free again after the lease", async () => {
    const request = { key: "tool:pay", amount: 1, limit: 2, windowMs: 1_000 };
    await everyFault(async ({ store, other, clock, outcome, arrive }) => {
      const uses: number[] = [];
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
      for (const start of uses) {
        expect(uses.filter((at) => at >= start && at < start + 1_000).length).toBeLessThan(3);
      }
      store.close();
      await clock.skip(leaseMs);
      uses.length = 0;
      await use(other);
      await use(other);
      expect(uses).toHaveLength(2);
    });
  });

  test("a task has one end, and one without an end is lost", async () => {
    await everyFault(async ({ store, other, clock, outcome, arrive }) => {
      const added = await outcome(store.tasks.add(task));
      const end = { status: "completed", updatedAt: 2, expiresAt: 9e12 } as const;
      const ended = added === undefined ? await outcome(store.tasks.change("a", end)) : false;
      if (added === undefined) expect(["unavailable", true]).toContain(ended);
      store.close();
      await arrive();
      await clock.skip(leaseMs);
      const found = await other.tasks.get("a");
      if (added === undefined) expect(found).toBeDefined();
      if (ended === true) expect(found).toMatchObject({ status: "completed" });
      if (found?.status === "working") expect(found.lost).toBe(true);
      expect(await other.tasks.change("a", { ...end, status: "failed" })).toBe(
        found?.status === "working",
      );
    });
  });

  test("a grant is revoked once, and the answer is right after a lost one", async () => {
    await everyFault(async ({ store, other, outcome, arrive }) => {
      await other.grants.add(grant);
      const revoked = await outcome(store.grants.revoke("g"));
      await arrive();
      expect(["unavailable", true]).toContain(revoked);
      if (revoked === true) expect(await other.grants.revoke("g")).toBe(false);
    });
  });

  test("a slot is taken once", async () => {
    await everyFault(async ({ store, other, outcome, arrive }) => {
      await other.schedules.add(job, 1_000);
      const first = await outcome(store.schedules.claim("j", 1_000, 2_000));
      expect(["unavailable", true]).toContain(first);
      const second = await other.schedules.claim("j", 1_000, 2_000);
      await arrive();
      expect([first, second].filter((result) => result === true).length).toBeLessThan(2);
      expect(await other.schedules.list("[null,null]")).toMatchObject([{ runs: 1, nextAt: 2_000 }]);
    });
  });

  test.runIf(isFullRun)("an artifact is readable completely or not at all", async () => {
    const data = new Uint8Array(1_500_000).map((_, index) => index % 251);
    await everyFault(async ({ store, other, outcome, arrive }) => {
      const key = `art_${"a".repeat(32)}`;
      const described = {
        owner: "[null,null]",
        mediaType: "text/plain",
        createdAt: 0,
        expiresAt: 9e12,
      };
      const put = await outcome(
        store.artifacts.put({ key, size: data.length, ...described }, data),
      );
      await arrive();
      const read = await other.artifacts.read(key, 0, Infinity);
      if (put === undefined) expect(read).toBeDefined();
      if (read !== undefined) expect(Buffer.compare(read, data)).toBe(0);
    });
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

const task = {
  id: "a",
  owner: "[null,null]",
  runId: "run",
  callId: "call",
  tool: "build",
  status: "working",
  createdAt: 1,
  updatedAt: 1,
  expiresAt: 9e12,
} as const;

function interruption(id: string): Interruption {
  return {
    id,
    runId: "run",
    call: { id: "call", name: "pay", arguments: {} },
    specHash: "",
    requests: [],
    expiresAt: 9e12,
    state: `sealed:${id}`,
  };
}
