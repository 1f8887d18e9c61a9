import { join } from "node:path";
import type { Interruption } from "@toolweave/core";
import type { LedgerCall } from "@toolweave/core/stores";
import { tempFolder } from "@toolweave/test-support/temp-folder";
import { expect, onTestFinished, test } from "vitest";
import { sqliteStore, type SqliteStore } from "../src/index.ts";
import { FakeClock } from "@toolweave/conformance/stores";

const leaseMs = 30_000;
const hour = 3_600_000;

const interruption = {
  id: "int_1",
  runId: "run_1",
  call: { id: "call_1", name: "pay", arguments: {} },
  specHash: "a",
  requests: [],
  expiresAt: 1_000_000 + 24 * hour,
  state: "sealed",
} as unknown as Interruption;

const job = {
  id: "job_1",
  owner: "o",
  schedule: { everyMs: 60_000, from: 0 },
  tool: "pay",
  arguments: {},
  specHash: "a",
  missed: "once",
  createdAt: 0,
} as const;

function ledgerCall(token: string): LedgerCall {
  return { runId: "r", callId: "c", token, tool: "pay", specHash: "a", argumentsHash: "b" };
}

interface Machine {
  readonly clock: FakeClock;
  readonly steadyClock: FakeClock;
  readonly open: () => SqliteStore;
  /** Time advances, for both clocks. */
  readonly pass: (ms: number) => void;
}

/** One machine, whose time of day can be set, and the processes on it. */
function machine(): Machine {
  const path = join(tempFolder(), "store.sqlite");
  const [clock, steadyClock] = [new FakeClock(), new FakeClock(50_000)];
  return {
    clock,
    steadyClock,
    open: () => {
      const store = sqliteStore({ path, leaseMs, clock, steadyClock });
      onTestFinished(() => store.close());
      return store;
    },
    pass: (ms) => {
      steadyClock.advance(ms);
      clock.advance(ms);
    },
  };
}

async function statusIn(store: SqliteStore): Promise<string | undefined> {
  return (await store.pendingCalls.get?.("int_1"))?.status;
}

test.each([
  ["back", -hour],
  ["forward", hour],
])("a claim whose process runs stays claimed when the clock is set %s", async (_way, step) => {
  const { clock, open, pass } = machine();
  const [holder, other] = [open(), open()];
  await holder.pendingCalls.add(interruption);
  expect(await holder.pendingCalls.claim(interruption)).toBe("claimed");
  clock.skip(step);
  expect(await statusIn(other)).toBe("claimed");
  pass(leaseMs / 2);
  expect(await statusIn(other)).toBe("claimed");
});

test.each([
  ["back", -hour],
  ["forward", hour],
])(
  "a claim whose process has ended is unfinished one lease later when the clock is set %s",
  async (_way, step) => {
    const { clock, open, pass } = machine();
    const [holder, other] = [open(), open()];
    await holder.pendingCalls.add(interruption);
    await holder.pendingCalls.claim(interruption);
    holder.close();
    clock.skip(step);
    pass(leaseMs - 1);
    expect(await statusIn(other)).toBe("claimed");
    pass(2);
    expect(await statusIn(other)).toBe("unfinished");
  },
);

/** The other leases: `hold` takes one, `isHeld` tells for another process whether its holder counts as active. */
const leases: readonly {
  readonly name: string;
  readonly hold: (store: SqliteStore) => Promise<unknown>;
  readonly isHeld: (store: SqliteStore) => Promise<boolean>;
}[] = [
  {
    name: "a scheduled run",
    hold: async ({ schedules }) => {
      await schedules.add(job, 1_000);
      await schedules.claim(job.id, 1_000, 2_000);
    },
    isHeld: async ({ schedules }) => {
      const [stored] = await schedules.list(job.owner);
      const isDue = (await schedules.due(9e12, 1)).length === 1;
      expect(stored?.lastRun?.status).toBe(isDue ? "unfinished" : "running");
      return !isDue;
    },
  },
  {
    name: "a call of a durable run",
    hold: async ({ ledger }) => ledger.begin(ledgerCall("holder")),
    isHeld: async ({ ledger }) =>
      (await ledger.begin(ledgerCall(`other ${Math.random()}`))).status === "running",
  },
];

test.each(
  leases.flatMap((lease) => [
    ["back", -hour, lease.name, lease] as const,
    ["forward", hour, lease.name, lease] as const,
  ]),
)(
  "when the clock is set %s by %i ms, %s keeps its lease, and no more",
  async (_way, step, _name, lease) => {
    const { clock, open, pass } = machine();
    const [holder, other] = [open(), open()];
    await lease.hold(holder);
    holder.close();
    clock.skip(step);
    expect(await lease.isHeld(other)).toBe(true);
    pass(leaseMs - 1);
    expect(await lease.isHeld(other)).toBe(true);
    pass(2);
    expect(await lease.isHeld(other)).toBe(false);
  },
);

test.each([
  ["back", -hour],
  ["forward", hour],
])("the lock of a credential ends one lease later when the clock is set %s", async (_way, step) => {
  const { clock, open, pass } = machine();
  const [holder, other] = [open(), open()];
  const key = { source: "api", scheme: "oauth" };
  const order: string[] = [];
  const isHeld = new Promise<void>((resolve) => {
    void holder.credentials.exclusive?.(key, () => {
      resolve();
      return new Promise(() => {});
    });
  });
  await isHeld;
  holder.close();
  clock.skip(step);
  const taken = other.credentials.exclusive?.(key, async () => void order.push("taken"));
  for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve));
  order.push("lease ends");
  pass(leaseMs + 1);
  await taken;
  expect(order).toEqual(["lease ends", "taken"]);
});

test("after a restart of the machine a lease lasts no longer than before", async () => {
  const { open, pass, steadyClock, clock } = machine();
  const holder = open();
  await holder.pendingCalls.add(interruption);
  await holder.pendingCalls.claim(interruption);
  holder.close();
  clock.skip(hour);
  steadyClock.skip(-45_000);
  const other = open();
  expect(await statusIn(other)).toBe("claimed");
  pass(leaseMs + 1);
  expect(await statusIn(other)).toBe("unfinished");
});

test("a use of a rate counts for its window, and no longer, when the clock is set back", async () => {
  const { clock, open, pass } = machine();
  const { rateLimits } = open();
  const request = [{ key: "k", amount: 1, limit: 1, windowMs: 60_000 }];
  const first = await rateLimits.reserve(request);
  if (!first.granted) throw new Error("refused");
  await rateLimits.commit(first.id);
  clock.skip(-hour);
  expect(await rateLimits.reserve(request)).toEqual({
    granted: false,
    key: "k",
    retryAfterMs: 60_000,
  });
  pass(60_000);
  expect((await rateLimits.reserve(request)).granted).toBe(true);
});

test("a write to another place keeps its lease when the clock is set forward", async () => {
  const { clock, open, pass } = machine();
  const { artifactIndex } = open();
  const artifact = {
    key: `art_${"a".repeat(32)}`,
    owner: "[null,null]",
    mediaType: "text/plain",
    size: 4,
    createdAt: 0,
    expiresAt: 9e12,
  };
  await artifactIndex.reserve(artifact, "place", leaseMs);
  clock.skip(hour);
  expect(await artifactIndex.takeExpired(1, leaseMs)).toEqual([]);
  pass(leaseMs);
  expect(await artifactIndex.takeExpired(1, leaseMs)).toHaveLength(1);
});
