import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { memoryRateLimits, type RateRequest, type RateReservation } from "@toolweave/core/stores";
import { FakeClock } from "@toolweave/test-support/fake-clock";

function request(more: Partial<RateRequest> = {}): RateRequest {
  return { key: "k", amount: 1, limit: 2, windowMs: 100, ...more };
}

function store() {
  const clock = new FakeClock();
  const rates = memoryRateLimits(clock);
  const reserve = (...requests: readonly RateRequest[]): RateReservation =>
    rates.reserve(requests) as RateReservation;
  /** Reserves and commits; returns whether it was granted. */
  const use = (more?: Partial<RateRequest>): boolean => {
    const reservation = reserve(request(more));
    if (reservation.granted) void rates.commit(reservation.id);
    return reservation.granted;
  };
  return { clock, rates, reserve, use };
}

function getId(reservation: RateReservation): string {
  if (reservation.granted) return reservation.id;
  throw new Error("not granted");
}

describe("rates in memory", () => {
  test("use a sliding window: a use is free again exactly one window later", () => {
    const { clock, reserve, use } = store();
    expect(use()).toBe(true);
    clock.skip(60);
    expect(use()).toBe(true);
    clock.skip(39);
    expect(reserve(request())).toEqual({ granted: false, key: "k", retryAfterMs: 1 });
    clock.skip(1);
    expect(use()).toBe(true);
    expect(reserve(request())).toEqual({ granted: false, key: "k", retryAfterMs: 60 });
  });

  test("F3.13 count a reservation until it is released, however long that takes", () => {
    const { clock, rates, reserve } = store();
    const [first, second] = [reserve(request()), reserve(request())];
    clock.skip(1000);
    expect(reserve(request())).toEqual({ granted: false, key: "k", retryAfterMs: 100 });
    void rates.release(getId(first));
    expect(reserve(request()).granted).toBe(true);
    void rates.commit(getId(second));
    clock.skip(99);
    expect(reserve(request()).granted).toBe(false);
    clock.skip(1);
    expect(reserve(request()).granted).toBe(true);
  });

  test("reserve all limits of a call, or none", () => {
    const { reserve, use } = store();
    expect(use({ key: "full", limit: 1 })).toBe(true);
    for (let index = 0; index < 3; index++) {
      expect(reserve(request({ limit: 1 }), request({ key: "full", limit: 1 }))).toMatchObject({
        granted: false,
        key: "full",
      });
    }
    expect(use({ limit: 1 })).toBe(true);
  });

  test("name the limit with the longest wait", () => {
    const { reserve, use } = store();
    use({ key: "short", limit: 1, windowMs: 10 });
    use({ key: "long", limit: 1, windowMs: 1000 });
    expect(
      reserve(
        request({ key: "short", limit: 1, windowMs: 10 }),
        request({ key: "long", limit: 1, windowMs: 1000 }),
      ),
    ).toEqual({ granted: false, key: "long", retryAfterMs: 1000 });
  });

  test("report that a request above the total limit is never granted", () => {
    const { reserve } = store();
    expect(reserve(request({ amount: 3 }))).toEqual({
      granted: false,
      key: "k",
      retryAfterMs: Infinity,
    });
    expect(reserve(request({ limit: 0 }))).toMatchObject({ retryAfterMs: Infinity });
  });

  test("release and commit once, whatever is repeated or unknown", () => {
    const { rates, reserve } = store();
    const id = getId(reserve(request()));
    for (const settle of [rates.release, rates.commit]) void settle(id);
    for (const settle of [rates.release, rates.commit]) void settle("another");
    const granted = [reserve(request()), reserve(request()), reserve(request())];
    expect(granted.map(({ granted }) => granted)).toEqual([true, true, false]);
  });

  test("keep every budget that is in use while the others are removed", () => {
    const { clock, rates, reserve, use } = store();
    const waiting = getId(reserve(request({ key: "waits" })));
    for (let index = 0; index < 5000; index++) {
      use({ key: `caller:${index}` });
      clock.skip(1);
    }
    expect(use({ key: "caller:4999", limit: 1 })).toBe(false);
    expect(use({ key: "caller:0", limit: 1 })).toBe(true);
    expect(use({ key: "waits", limit: 1 })).toBe(false);
    void rates.release(waiting);
    expect(use({ key: "waits", limit: 1 })).toBe(true);
  });

  test("never allow more than the limit within any window, nor refuse a request that fits", () => {
    const step = fc.oneof(
      fc.record({ do: fc.constant("skip" as const), n: fc.integer({ min: 1, max: 60 }) }),
      fc.record({ do: fc.constant("reserve" as const), n: fc.integer({ min: 1, max: 3 }) }),
      fc.record({ do: fc.constant("commit" as const), n: fc.nat(5) }),
      fc.record({ do: fc.constant("release" as const), n: fc.nat(5) }),
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 80 }), (steps) => {
        const { clock, rates, reserve } = store();
        const [limit, windowMs] = [4, 100];
        const ask = (amount: number): RateReservation =>
          reserve(request({ limit, windowMs, amount }));
        const open: { id: string; amount: number }[] = [];
        const used: { at: number; amount: number }[] = [];
        const wrong: unknown[] = [];
        for (const [index, { do: what, n }] of steps.entries()) {
          if (what === "skip") clock.skip(n);
          else if (what === "reserve") {
            const inWindow = used.filter(({ at }) => at + windowMs > clock.now());
            const taken = [...inWindow, ...open].reduce((sum, { amount }) => sum + amount, 0);
            let answer = ask(n);
            if (answer.granted !== taken + n <= limit) wrong.push({ index, taken, answer });
            if (!answer.granted && open.length === 0) {
              clock.skip(answer.retryAfterMs - 1);
              if (ask(n).granted)
                wrong.push({ index, answer, why: "it could have been granted earlier" });
              clock.skip(1);
              answer = ask(n);
              if (!answer.granted) wrong.push({ index, answer, why: "it was granted too early" });
            }
            if (answer.granted) open.push({ id: answer.id, amount: n });
          } else {
            const [settled] = open.splice(n, 1);
            if (settled === undefined) continue;
            void rates[what](settled.id);
            if (what === "commit") used.push({ at: clock.now(), amount: settled.amount });
          }
        }
        expect(wrong).toEqual([]);
      }),
    );
  });
});
