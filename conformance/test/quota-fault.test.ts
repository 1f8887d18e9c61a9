import { ToolError, type Interruption } from "@toolweave/core";
import { memoryPendingCalls, quotaOwner } from "@toolweave/core/stores";
import { expect, test } from "vitest";
import { findQuotaFault, type OwnedStore } from "../src/index.ts";

const maxPerOwner = 4;

function full(): ToolError {
  return new ToolError("limit_exceeded", "There is no room for more.");
}

/** A store that counts by a part of the owner. */
function counting(toPart: (owner: string) => string, most = maxPerOwner): OwnedStore["keep"] {
  const counts = new Map<string, number>();
  return (owner) => {
    const part = toPart(owner);
    const count = counts.get(part) ?? 0;
    if (count >= most) throw full();
    counts.set(part, count + 1);
  };
}

test("a store that counts by caller has no fault", async () => {
  expect(await findQuotaFault({ keep: counting(quotaOwner), maxPerOwner })).toBeUndefined();
});

test("the in-memory store of pending calls has no fault", async () => {
  const store = memoryPendingCalls(undefined, { maxPerOwner });
  const keep: OwnedStore["keep"] = (owner, index) => store.add(waiting(index), owner);
  expect(await findQuotaFault({ keep, maxPerOwner })).toBeUndefined();
});

test.each<[what: string, keep: OwnedStore["keep"], fault: RegExp]>([
  [
    "one quota for all",
    counting(() => "all", 5),
    /can store more than 4 records in another session/,
  ],
  [
    "room for a few more than one caller may have",
    withTotal(counting(quotaOwner), 5),
    /leaves no room for \["one session more",null\]/,
  ],
  ["a quota of each session", counting(String), /can store more than 4 records in another session/],
  ["no quota", () => {}, /can store more than 4 records in another session/],
  [
    "a quota that is smaller than it says",
    counting(quotaOwner, 3),
    /with 3 of 4 records is refused/,
  ],
  [
    "an error of its own",
    async (owner, index) => {
      try {
        await storedByCaller(owner, index);
      } catch {
        throw new Error("SQLITE_FULL");
      }
    },
    /refused with another error than limit_exceeded: Error: SQLITE_FULL/,
  ],
  [
    "a count that is read before it is written",
    createRacyStore(),
    /can store 8 records instead of 4/,
  ],
])("a store with %s has a fault", async (_, keep, fault) => {
  expect(await findQuotaFault({ keep, maxPerOwner })).toMatch(fault);
});

const storedByCaller = counting(quotaOwner);

/** A store with an additional limit for all callers together. */
function withTotal(keep: OwnedStore["keep"], maxTotal: number): OwnedStore["keep"] {
  let all = 0;
  return (owner, index) => {
    if (all >= maxTotal) throw full();
    keep(owner, index);
    all += 1;
  };
}

function createRacyStore(): OwnedStore["keep"] {
  const counts = new Map<string, number>();
  return async (owner) => {
    const caller = quotaOwner(owner);
    const count = counts.get(caller) ?? 0;
    if (count >= maxPerOwner) throw full();
    await Promise.resolve();
    counts.set(caller, (counts.get(caller) ?? 0) + 1);
  };
}

function waiting(index: number): Interruption {
  return {
    id: `call ${index}`,
    runId: "run",
    call: { id: `call ${index}`, name: "ask_name", arguments: {} },
    specHash: "ab".repeat(32),
    requests: [{ id: "name", type: "input", message: "What is your name?" }],
    expiresAt: 9_000_000_000_000,
    state: "sealed",
  };
}
