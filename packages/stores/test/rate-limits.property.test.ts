import type { RateRequest } from "@toolweave/core/stores";
import fc from "fast-check";
import { expect, test } from "vitest";
import { sqliteStore } from "../src/index.ts";
import { FakeClock } from "@toolweave/conformance/stores";

const budgets = {
  a: { limit: 3, windowMs: 10 },
  b: { limit: 5, windowMs: 25 },
  c: { limit: 1, windowMs: 7 },
};

type Key = keyof typeof budgets;

interface Use {
  readonly key: Key;
  readonly amount: number;
  readonly call: number;
  /** Absent while it is only reserved. */
  at?: number;
}

/** The simplest correct limiter: it checks every use and every moment from now on. */
class Model {
  uses: Use[] = [];

  used(key: Key, at: number): number {
    return this.uses
      .filter((use) => use.key === key)
      .filter(
        (use) => use.at === undefined || (use.at <= at && at < use.at + budgets[key].windowMs),
      )
      .reduce((sum, { amount }) => sum + amount, 0);
  }

  wait(key: Key, amount: number, now: number): number {
    const { limit, windowMs } = budgets[key];
    if (amount > limit) return Infinity;
    for (let wait = 0; wait < windowMs; wait++) {
      if (this.used(key, now + wait) + amount <= limit) return wait;
    }
    return windowMs;
  }
}

type Step =
  | { readonly type: "reserve"; readonly asked: readonly { key: Key; amount: number }[] }
  | { readonly type: "advance"; readonly ms: number }
  | { readonly type: "commit" | "release"; readonly call: number };

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      type: fc.constant("reserve" as const),
      asked: fc.uniqueArray(
        fc.record({
          key: fc.constantFrom(...(Object.keys(budgets) as Key[])),
          amount: fc.integer({ min: 0, max: 4 }),
        }),
        { minLength: 1, maxLength: 3, selector: ({ key }) => key },
      ),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      type: fc.constant("advance" as const),
      ms: fc.integer({ min: 0, max: 12 }),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      type: fc.constantFrom("commit" as const, "commit" as const, "release" as const),
      call: fc.nat(12),
    }),
  },
);

/** The answers of two limiters to the same requests, for each reservation. */
async function answers(steps: readonly Step[]): Promise<{ store: number[]; model: number[] }> {
  const clock = new FakeClock();
  using store = sqliteStore({ path: ":memory:", clock, leaseMs: 5 });
  const model = new Model();
  const results: { store: number[]; model: number[] } = { store: [], model: [] };
  const open = new Map<number, string>();
  for (const [call, entry] of steps.entries()) {
    if (entry.type === "advance") {
      clock.advance(entry.ms);
    } else if (entry.type === "reserve") {
      const requests = entry.asked.map((asked): RateRequest => ({
        ...asked,
        ...budgets[asked.key],
      }));
      const taken = await store.rateLimits.reserve(requests);
      const waits = entry.asked.map(({ key, amount }) => model.wait(key, amount, clock.now()));
      results.store.push(taken.granted ? 0 : taken.retryAfterMs);
      results.model.push(Math.max(...waits));
      if (!taken.granted) continue;
      open.set(call, taken.id);
      model.uses.push(...entry.asked.map((asked) => ({ ...asked, call })));
    } else {
      const id = open.get(entry.call);
      if (id === undefined) continue;
      await store.rateLimits[entry.type](id);
      const uses = model.uses.filter((use) => use.call === entry.call && use.at === undefined);
      if (entry.type === "commit") for (const use of uses) use.at = clock.now();
      else model.uses = model.uses.filter((use) => !uses.includes(use));
    }
  }
  return results;
}

test("the limiter grants, refuses and waits exactly like one that counts everything", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
      const { store, model } = await answers(steps);
      expect(store).toEqual(model);
    }),
    { numRuns: 500 },
  );
});
