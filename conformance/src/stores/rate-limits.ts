import type { RateRequest, RateReservation } from "@toolweave/core/stores";
import { describe, expect, test } from "vitest";
import { catchToolError } from "./catch-tool-error.ts";
import { openSubject, type OpenedStore, type StoreFactory } from "./store-under-test.ts";

function request(part: Partial<RateRequest> = {}): RateRequest {
  return { key: "tool:search", amount: 1, limit: 2, windowMs: 1_000, ...part };
}

type RateStore = Required<Pick<OpenedStore, "rateLimits">>;

/** Reserves and commits at once. */
async function use(
  { rateLimits }: RateStore,
  ...requests: readonly RateRequest[]
): Promise<RateReservation> {
  const taken = await rateLimits.reserve(requests);
  if (taken.granted) await rateLimits.commit(taken.id);
  return taken;
}

async function reserved({ rateLimits }: RateStore, part: RateRequest): Promise<string> {
  const taken = await rateLimits.reserve([part]);
  if (!taken.granted) throw new Error("Not granted.");
  return taken.id;
}

/** Registers the tests of a store of rate limits. */
export function describeRateLimits(
  make: StoreFactory,
  { isShared }: { readonly isShared: boolean },
): void {
  describe("reserving", () => {
    test("a window never exceeds the limit, and a refusal has the time of the next room", async () => {
      const { store, clock } = await openSubject(make, "rateLimits");
      expect(await use(store, request())).toMatchObject({ granted: true });
      await clock.advance(400);
      expect(await use(store, request())).toMatchObject({ granted: true });
      await clock.advance(100);
      expect(await use(store, request())).toEqual({
        granted: false,
        key: "tool:search",
        retryAfterMs: 500,
      });
      expect(await use(store, request({ amount: 2 }))).toMatchObject({ retryAfterMs: 900 });
      await clock.advance(499);
      expect(await use(store, request())).toMatchObject({ retryAfterMs: 1 });
      await clock.advance(1);
      expect(await use(store, request())).toMatchObject({ granted: true });
    });

    test("a request above the limit is never granted, nor any for a limit of 0", async () => {
      const { store } = await openSubject(make, "rateLimits");
      expect(await use(store, request({ amount: 3 }))).toEqual({
        granted: false,
        key: "tool:search",
        retryAfterMs: Infinity,
      });
      expect(await use(store, request({ limit: 0 }))).toMatchObject({ retryAfterMs: Infinity });
    });

    test("of several limits it reserves all or none, and names the one with the longest wait", async () => {
      const { store } = await openSubject(make, "rateLimits");
      const short = request({ key: "short", limit: 1 });
      const long = request({ key: "long", limit: 1, windowMs: 5_000 });
      const free = request({ key: "free", limit: 1 });
      await use(store, short);
      await use(store, long);
      expect(await use(store, free, long, short)).toEqual({
        granted: false,
        key: "long",
        retryAfterMs: 5_000,
      });
      expect(await use(store, free)).toMatchObject({ granted: true });
    });

    test("three times 0.1 fits in 0.3, and no more", async () => {
      const { store } = await openSubject(make, "rateLimits");
      const tenth = request({ amount: 0.1, limit: 0.3 });
      for (let call = 0; call < 3; call++) {
        expect(await use(store, tenth)).toMatchObject({ granted: true });
      }
      expect(await use(store, tenth)).toMatchObject({ granted: false });
    });

    test.runIf(isShared).each([
      ["a negative amount", { amount: -1 }],
      ["an amount that is not a number", { amount: Number.NaN }],
      ["a limit that is not a number", { limit: Number.NaN }],
      ["no window", { windowMs: 0 }],
      ["an infinite window", { windowMs: Infinity }],
    ])("%s is internal", async (_, part) => {
      const { rateLimits } = (await openSubject(make, "rateLimits")).store;
      expect((await catchToolError(() => rateLimits.reserve([request(part)]))).code).toBe(
        "internal",
      );
    });

    test.runIf(isShared)("one key twice in one reservation is internal", async () => {
      const { rateLimits } = (await openSubject(make, "rateLimits")).store;
      const error = await catchToolError(() => rateLimits.reserve([request(), request()]));
      expect(error.code).toBe("internal");
    });
  });

  describe("committing and releasing", () => {
    test("a released reservation is free again, a committed or open one is not", async () => {
      const { store } = await openSubject(make, "rateLimits");
      const one = request({ limit: 3 });
      const committed = await reserved(store, one);
      const released = await reserved(store, one);
      await reserved(store, one);
      await store.rateLimits.commit(committed);
      await store.rateLimits.release(committed);
      await store.rateLimits.release("unknown");
      await store.rateLimits.commit("unknown");
      expect(await use(store, one)).toMatchObject({ granted: false });
      await store.rateLimits.release(released);
      await store.rateLimits.release(released);
      expect(await use(store, one)).toMatchObject({ granted: true });
      expect(await use(store, one)).toMatchObject({ granted: false });
    });

    test("a window begins with the commit, however long the reservation was open", async () => {
      const { store, clock } = await openSubject(make, "rateLimits");
      const one = request({ limit: 1 });
      const id = await reserved(store, one);
      await clock.advance(100_000);
      expect(await use(store, one)).toMatchObject({ granted: false, retryAfterMs: 1_000 });
      await store.rateLimits.commit(id);
      await clock.advance(999);
      expect(await use(store, one)).toMatchObject({ granted: false, retryAfterMs: 1 });
      await clock.advance(1);
      expect(await use(store, one)).toMatchObject({ granted: true });
    });

    test.runIf(isShared)("a use outlives the process that made it", async () => {
      const { store: gone, reopen } = await openSubject(make, "rateLimits");
      await use(gone, request({ amount: 2 }));
      await gone.close?.();
      const store = await reopen();
      expect(await use(store, request())).toMatchObject({ retryAfterMs: 1_000 });
    });

    test.runIf(isShared).each([
      ["its lease, if that is longer than the window", 1_000, 30_000],
      ["its window, if that is longer than the lease", 60_000, 60_000],
    ])("a reservation whose process has ended counts for %s", async (_, windowMs, lapsesAfter) => {
      const { store: gone, clock, reopen } = await openSubject(make, "rateLimits");
      const one = request({ limit: 1, windowMs });
      await reserved(gone, one);
      await gone.close?.();
      const store = await reopen();
      await clock.advance(lapsesAfter - 1);
      expect(await use(store, one)).toMatchObject({ granted: false });
      await clock.advance(1);
      expect(await use(store, one)).toMatchObject({ granted: true });
    });

    test.runIf(isShared)(
      "a commit after that is refused: others may have used its room",
      async () => {
        const { store: gone, clock, reopen } = await openSubject(make, "rateLimits");
        for (let call = 0; call < 100; call++) await reserved(gone, request({ key: `${call}` }));
        await gone.close?.();
        await clock.advance(1);
        const held = await reopen();
        const one = request({ limit: 1 });
        const id = await reserved(held, one);
        await clock.skip(30_000);
        const store = await reopen();
        // Removes the 100, and not yet the one.
        expect(await use(store, one)).toMatchObject({ granted: true });
        await clock.advance(10);
        expect(await catchToolError(() => held.rateLimits.commit(id))).toMatchObject({
          code: "store_unavailable",
          retryable: true,
        });
        expect(await use(store, one)).toMatchObject({ granted: false, retryAfterMs: 990 });
        expect(clock.timers).toBe(0);
      },
    );

    test.runIf(isShared)(
      "open reservations are renewed by one timer, which ends with them and with the store",
      async () => {
        const { store, clock } = await openSubject(make, "rateLimits");
        const ids = [await reserved(store, request()), await reserved(store, request())];
        expect(clock.timers).toBe(1);
        for (const id of ids) await store.rateLimits.commit(id);
        expect(clock.timers).toBe(0);
        await reserved(store, request({ key: "other" }));
        await store.close?.();
        expect(clock.timers).toBe(0);
      },
    );
  });
}
