import { memoryPendingCalls, quotaOwner, ToolError, type Interruption } from "@toolweave/core";
import { expect, test } from "vitest";
import { quotaFault, type OwnedStore } from "../src/index.ts";

const maxPerOwner = 4;

function full(): ToolError {
  return new ToolError("limit_exceeded", "There is no room for more.");
}

/** A store that counts by a part of the owner. */
function counting(partOf: (owner: string) => string, most = maxPerOwner): OwnedStore["keep"] {
  const counts = new Map<string, number>();
  return (owner) => {
    const part = partOf(owner);
    const count = counts.get(part) ?? 0;
    if (count >= most) throw full();
    counts.set(part, count + 1);
  };
}

test("a store that counts by caller has no fault", async () => {
  expect(await quotaFault({ keep: counting(quotaOwner), maxPerOwner })).toBeUndefined();
});

test("the store of waiting calls in memory has no fault", async () => {
  const store = memoryPendingCalls(undefined, { maxPerOwner });
  const keep: OwnedStore["keep"] = (owner, index) => store.add(waiting(index), owner);
  expect(await quotaFault({ keep, maxPerOwner })).toBeUndefined();
});

test.each<[what: string, keep: OwnedStore["keep"], fault: RegExp]>([
  ["one quota for all", counting(() => "all", 5), /keeps more than 4 in another session/],
  [
    "room for a few more than one caller may have",
    within(counting(quotaOwner), 5),
    /leaves no room for \["one session more",null\]/,
  ],
  ["a quota of each session", counting(String), /keeps more than 4 in another session/],
  ["no quota", () => {}, /keeps more than 4 in another session/],
  ["a quota that is smaller than it says", counting(quotaOwner, 3), /has 3 of 4 may keep no more/],
  [
    "an error of its own",
    async (owner, index) => {
      try {
        await keptByCaller(owner, index);
      } catch {
        throw new Error("SQLITE_FULL");
      }
    },
    /refused without limit_exceeded: Error: SQLITE_FULL/,
  ],
  ["a count that is read before it is written", hasty(), /keeps 8 in place of 4/],
])("a store with %s is told what is wrong", async (_, keep, fault) => {
  expect(await quotaFault({ keep, maxPerOwner })).toMatch(fault);
});

const keptByCaller = counting(quotaOwner);

/** The same, and so many of all callers together. */
function within(keep: OwnedStore["keep"], most: number): OwnedStore["keep"] {
  let all = 0;
  return (owner, index) => {
    if (all >= most) throw full();
    keep(owner, index);
    all += 1;
  };
}

function hasty(): OwnedStore["keep"] {
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
