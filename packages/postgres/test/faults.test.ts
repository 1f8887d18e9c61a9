import { ToolError, type Clock, type Interruption } from "@toolweave/core";
import type { LedgerCall, LedgerEntry } from "@toolweave/core/stores";
import { isFullRun } from "@toolweave/test-support";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { postgresStore, type PostgresPool, type PostgresStore } from "../src/index.ts";
import { testKey } from "./support/describe-postgres.ts";
import { faults, FaultyPool, type Fault, type Faults } from "./support/faulty-pool.ts";
import { ManualTimers } from "./support/manual-timers.ts";
import { testDatabase, type TestClock, type TestDatabase } from "./support/test-database.ts";

const url = inject("postgresUrl");
const leaseMs = 30_000;

/** More statements than any life has. */
const maxStatements = 40;

interface Kind {
  readonly fault: Fault;
  readonly persists: boolean;
}

/** Each fault, over at once or until the process ends. In a quick run each fault once. */
const kinds: readonly Kind[] = faults
  .flatMap((fault) => [
    { fault, persists: false },
    { fault, persists: true },
  ])
  .filter(({ fault, persists }) => isFullRun || persists === (fault === "unsent"));

/** The second of two faults. */
const secondKinds: readonly Kind[] = [
  ...faults.map((fault) => ({ fault, persists: false })),
  { fault: "unsent", persists: true },
];

/** The name of a case, and its faults. */
interface Case {
  readonly name: string;
  readonly faults: Faults;
  readonly isPrepared: boolean;
}

/**
 * One fault at each statement, also of the preparation.
 *
 * @param hasRun whether the last case had as many statements.
 */
function* singleFaults(hasRun: (statements: number) => boolean): Generator<Case> {
  for (const { fault, persists } of kinds) {
    for (let at = 1; at <= maxStatements; at++) {
      const name = `${fault} at statement ${at}${persists ? ", and no later one is sent" : ""}`;
      yield { name, faults: { at: new Map([[at, fault]]), persists }, isPrepared: false };
      if (!hasRun(at)) break;
    }
  }
}

/** Two faults at each pair of statements, once the store is prepared. */
function* pairsOfFaults(hasRun: (statements: number) => boolean): Generator<Case> {
  for (const first of faults) {
    for (let at = 1; at <= maxStatements; at++) {
      let reaches = true;
      for (const second of secondKinds) {
        for (let next = at + 1; next <= maxStatements; next++) {
          const { persists } = second;
          const name = `${first} at statement ${at}, and ${second.fault} at ${next}${persists ? ", and no later one is sent" : ""}`;
          const byStatement = new Map([
            [at, first],
            [next, second.fault],
          ]);
          yield { name, faults: { at: byStatement, persists }, isPrepared: true };
          reaches = hasRun(at);
          if (!hasRun(next)) break;
        }
        if (!reaches) break;
      }
      if (!reaches) break;
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
  /** The statements that are late are done now. */
  arrive(): Promise<void>;
  /** The timers of the process that has the fault run out. */
  expire(): void;
}

type Life = (world: World) => Promise<Readonly<Record<string, boolean>>>;

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
   * Runs a life once for each statement and fault; in a full run a short one for each pair of them, too.
   *
   * @param length a short life has few statements.
   * @param life returns its rules, and whether each held.
   * @returns the rules that did not hold, and the number of cases.
   */
  async function everyFault(length: "short" | "long", life: Life) {
    const broken: string[] = [];
    let cases = 0;
    let statements = 0;
    const hasRun = (at: number): boolean => statements >= at;
    for (const one of singleFaults(hasRun)) {
      statements = await liveWith(one, life, broken);
      cases++;
    }
    const hasEnoughCases = cases > 3 * kinds.length;
    if (length === "long" || !isFullRun) return { broken, hasEnoughCases };
    for (const one of pairsOfFaults(hasRun)) {
      statements = await liveWith(one, life, broken);
      cases++;
    }
    return { broken, hasEnoughCases: hasEnoughCases && cases > 100 };
  }

  /** Runs a life with some faults. Returns the number of its statements. */
  async function liveWith(
    { name, faults: injected, isPrepared }: Case,
    life: Life,
    broken: string[],
  ): Promise<number> {
    const clock = await database.reset();
    const timers = new ManualTimers();
    const pool = new FaultyPool(connections, injected, () => queueMicrotask(() => timers.expire()));
    const open = (through: PostgresPool, by: Pick<Clock, "setTimeout" | "clearTimeout">) =>
      postgresStore({
        pool: through,
        schema: database.schema,
        key: testKey,
        timers: by,
        leaseMs,
      });
    const store = open(pool, timers);
    const other = open(database.pool, clock);
    const outcome = async <T>(work: PromiseLike<T> | T): Promise<T | "unavailable"> => {
      try {
        return await work;
      } catch (error) {
        if (ToolError.is(error) && error.code === "store_unavailable") {
          if (!injected.persists) broken.push(`${name}: it is noticed`);
          return "unavailable";
        }
        throw error;
      }
    };
    try {
      if (isPrepared) await store.migrate();
      pool.start();
      const arrive = () => pool.arrive();
      const expire = () => timers.expire();
      const rules = await life({ store, other, clock, outcome, arrive, expire });
      for (const [rule, held] of Object.entries(rules)) {
        if (!held) broken.push(`${name}: ${rule}`);
      }
    } catch (error) {
      throw new Error(name, { cause: error });
    } finally {
      store.close();
      other.close();
    }
    return pool.statements;
  }
  const none = { broken: [], hasEnoughCases: true };

  test("an approval is used at most once, and a claim without an end is reported", async () => {
    const call = interruption("a");
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
      const added = await outcome(store.tasks.add(task));
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
      await other.tasks.add(task);
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

  test("a call of a durable run has its effect at most once, and its outcome stays", async () => {
    const result = await everyFault("short", async ({ store, other, clock, outcome, arrive }) => {
      let effects = 0;
      const first = await outcome(store.ledger.begin(ledgerCall("1")));
      const second = await other.ledger.begin(ledgerCall("2"));
      for (const entry of [first, second]) if (isBegun(entry)) effects++;
      await arrive();
      // The executor withdraws a claim whose answer is missing, and the outcome of one whose end is not stored.
      const paid = { status: "ended", outcome: "paid" } as const;
      const ended = isBegun(first) ? await outcome(store.ledger.end(ledgerCall("1"), paid)) : first;
      if (ended === "unavailable") {
        const status = isBegun(first) ? "unknown" : "released";
        await outcome(store.ledger.end(ledgerCall("1"), { status }));
      }
      store.close();
      await arrive();
      await clock.skip(leaseMs);
      const later = await other.ledger.begin(ledgerCall("3"));
      if (isBegun(later)) effects++;
      return {
        "the effect happens at most once": effects < 2,
        "a claim that is answered is not lost": isBegun(first) || first === "unavailable",
        "the second claim is told of the first one": !isBegun(first) || is(second, "running"),
        "an end is accepted once": ended !== false,
        "an end stays": ended !== true || (is(later, "ended") && later.outcome === "paid"),
        "an outcome is that of an effect": !is(later, "ended") || isBegun(first),
      };
    });
    expect(result).toEqual(none);
  });

  test("a claim that was withdrawn does not exist, also if its statement arrives later", async () => {
    const result = await everyFault("short", async ({ store, other, outcome, arrive }) => {
      const first = await outcome(store.ledger.begin(ledgerCall("1")));
      const released = await outcome(store.ledger.end(ledgerCall("1"), { status: "released" }));
      await arrive();
      const later = await other.ledger.begin(ledgerCall("2"));
      await arrive();
      const ended = await other.ledger.end(ledgerCall("2"), { status: "ended", outcome: "paid" });
      return {
        "a claim that was made is withdrawn": !isBegun(first) || released !== false,
        "a call that has not started is not unknown": released === "unavailable" || isBegun(later),
        "the next claim is valid": ended === isBegun(later),
      };
    });
    expect(result).toEqual(none);
  });

  test("a suspended call is resumed once, and returns its question until then", async () => {
    const result = await everyFault("long", async ({ store, other, clock, outcome, arrive }) => {
      const asks = { status: "suspended", outcome: "asks" } as const;
      const answer = { status: "ended", outcome: "answered" } as const;
      await outcome(store.ledger.begin(ledgerCall("1")));
      const suspended = await outcome(store.ledger.end(ledgerCall("1"), asks));
      const asked = await other.ledger.begin(ledgerCall("2"));
      const again = ledgerCall("3", { repeat: "resume", argumentsHash: "b" });
      const resumed = await outcome(store.ledger.begin(again));
      const ended = isBegun(resumed) ? await outcome(store.ledger.end(again, answer)) : undefined;
      store.close();
      await arrive();
      await clock.skip(leaseMs);
      const later = await other.ledger.begin(ledgerCall("4", { argumentsHash: "b" }));
      return {
        "a question is returned":
          suspended !== true || (is(asked, "ended") && asked.outcome === "asks"),
        "an end stays": ended !== true || (is(later, "ended") && later.outcome === "answered"),
        "a resumed call does not ask again":
          !isBegun(resumed) || !is(later, "ended") || later.outcome === "answered",
        "a resumption is not lost": resumed === "unavailable" || isBegun(resumed),
      };
    });
    expect(result).toEqual(none);
  });

  test("a call that is taken over has one outcome, and an earlier epoch begins no other one", async () => {
    const result = await everyFault("long", async ({ store, other, clock, outcome, arrive }) => {
      const old = ledgerCall("1", { epoch: 1 });
      await other.ledger.begin(old);
      // The process is paused for longer than its lease.
      await clock.skip(leaseMs);
      const again = ledgerCall("2", { epoch: 2, repeat: "rerun" });
      const taken = await outcome(store.ledger.begin(again));
      const late = await other.ledger.end(old, { status: "ended", outcome: "late" });
      const mine = { status: "ended", outcome: "mine" } as const;
      const ended = isBegun(taken) ? await outcome(store.ledger.end(again, mine)) : taken;
      await arrive();
      const next = await other.ledger.begin(ledgerCall("3", { callId: "d", epoch: 1 }));
      store.close();
      await clock.skip(leaseMs);
      const later = await other.ledger.begin(ledgerCall("4"));
      return {
        "the first claim is not valid any more": !isBegun(taken) || !late,
        "an end of the second one is accepted": !isBegun(taken) || ended !== false,
        "it stays": ended !== true || (is(later, "ended") && later.outcome === "mine"),
        "the late one is not lost": !late || (is(later, "ended") && later.outcome === "late"),
        "an earlier epoch begins nothing": !isBegun(taken) || is(next, "superseded"),
      };
    });
    expect(result).toEqual(none);
  });

  test("a request to cancel reaches the process of the task, and a wait ends", async () => {
    const result = await everyFault("long", async ({ store, other, outcome, arrive, expire }) => {
      await other.tasks.add(task);
      let isOver = false;
      const wait = store.tasks.watch?.("a", new AbortController().signal).then(() => {
        isOver = true;
      });
      const before = await outcome(store.tasks.get("a"));
      const requested = await outcome(store.tasks.requestCancel?.("a", "ada"));
      const found = (await other.tasks.get("a"))?.cancelRequestedBy;
      await other.tasks.change("a", { status: "cancelled", updatedAt: 2, expiresAt: 9e12 });
      await arrive();
      for (let turn = 0; turn < 3 && !isOver; turn++) {
        expire();
        await Promise.race([wait, other.tasks.get("a")]);
      }
      // A fault ends it, too: the caller reads the task then.
      await wait;
      return {
        "the task is found": before === "unavailable" || before?.status === "working",
        "a request arrives": requested === "unavailable" || (requested === true && found === "ada"),
        "an ended task is not asked": (await other.tasks.get("a"))?.cancelRequestedBy === undefined,
      };
    });
    expect(result).toEqual(none);
  });

  test("a credential is renewed by one process at a time, and a lost lock expires", async () => {
    const name = { source: "shop", scheme: "oauth" };
    const result = await everyFault("long", async ({ store, other, clock, outcome, arrive }) => {
      let [active, maxActive, done] = [0, 0, 0];
      const renew = async (): Promise<void> => {
        maxActive = Math.max(maxActive, ++active);
        await arrive();
        active--;
        done++;
      };
      const first = await outcome(store.credentials.exclusive?.(name, renew));
      const doneBefore = done;
      store.close();
      await arrive();
      // The maximum lease of a lock.
      await clock.skip(10_000);
      await other.credentials.exclusive?.(name, renew);
      return {
        "one is active": maxActive === 1,
        "work is done, unless it is refused": doneBefore === (first === "unavailable" ? 0 : 1),
        "the next work is done": done === doneBefore + 1,
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

function ledgerCall(token: string, more: Partial<LedgerCall> = {}): LedgerCall {
  const ids = { runId: "run", callId: "call", token };
  return { ...ids, tool: "pay", specHash: "", argumentsHash: "a", ...more };
}

function is<Status extends LedgerEntry["status"]>(
  entry: LedgerEntry | "unavailable",
  status: Status,
): entry is Extract<LedgerEntry, { readonly status: Status }> {
  return entry !== "unavailable" && entry.status === status;
}

function isBegun(entry: LedgerEntry | "unavailable"): boolean {
  return is(entry, "begun");
}

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
