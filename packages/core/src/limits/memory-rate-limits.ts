import { systemClock, type Clock } from "../time/clock.ts";
import type { RateLimitStore, RateRequest } from "./rate-limits.ts";
import { within } from "./limited-call.ts";

/** Number of keys at which unused keys are first removed; then each time the number has doubled. */
const firstSweep = 1024;

/** The budget of one key. */
interface Bucket {
  /** The amounts that are reserved, or were used within the window. */
  used: number;
  /** Number of open reservations. */
  open: number;
  /** The amounts used, oldest first; entries before `first` have left the window. */
  log: { readonly at: number; amount: number }[];
  first: number;
  readonly windowMs: number;
}

interface Share {
  readonly bucket: Bucket;
  readonly amount: number;
}

/**
 * Counts rates in the memory of this process: exact sliding windows. A committed amount counts for `windowMs` from its
 * commit, a reserved one until it is released.
 *
 * @param clock default: the platform's.
 */
export function memoryRateLimits(clock: Pick<Clock, "now"> = systemClock): RateLimitStore {
  const buckets = new Map<string, Bucket>();
  const reservations = new Map<string, readonly Share[]>();
  let sweepAt = firstSweep;
  let lastId = 0;

  /** Removes unused keys: callers that can invent keys, such as ids, must not fill the memory. */
  const sweep = (now: number): void => {
    for (const [key, bucket] of buckets) {
      forget(bucket, now);
      if (bucket.open === 0 && bucket.log.length === bucket.first) buckets.delete(key);
    }
    sweepAt = Math.max(firstSweep, buckets.size * 2);
  };

  const close = (id: string): readonly Share[] => {
    const shares = reservations.get(id) ?? [];
    reservations.delete(id);
    for (const { bucket } of shares) bucket.open -= 1;
    return shares;
  };

  return {
    reserve(requests) {
      const now = clock.now();
      if (buckets.size >= sweepAt) sweep(now);
      const shares: Share[] = [];
      let key: string | undefined;
      let retryAfterMs = 0;
      for (const request of requests) {
        let bucket = buckets.get(request.key);
        if (bucket === undefined) {
          bucket = { used: 0, open: 0, log: [], first: 0, windowMs: request.windowMs };
          buckets.set(request.key, bucket);
        }
        forget(bucket, now);
        shares.push({ bucket, amount: request.amount });
        if (within(request.limit, bucket.used, request.amount)) continue;
        key ??= request.key;
        const wait = untilRoom(bucket, request, now);
        if (wait > retryAfterMs) [key, retryAfterMs] = [request.key, wait];
      }
      if (key !== undefined) return { granted: false, key, retryAfterMs };
      for (const { bucket, amount } of shares) {
        bucket.used += amount;
        bucket.open += 1;
      }
      const id = `${++lastId}`;
      reservations.set(id, shares);
      return { granted: true, id };
    },
    commit(id) {
      const at = clock.now();
      for (const { bucket, amount } of close(id)) {
        const last = bucket.log.at(-1);
        if (last?.at === at) last.amount += amount;
        else bucket.log.push({ at, amount });
      }
    },
    release(id) {
      for (const { bucket, amount } of close(id)) bucket.used -= amount;
    },
  };
}

/** Frees the amounts that have left the window. */
function forget(bucket: Bucket, now: number): void {
  const { log, windowMs } = bucket;
  for (; bucket.first < log.length; bucket.first++) {
    const { at, amount } = log[bucket.first] as (typeof log)[number];
    if (at + windowMs > now) break;
    bucket.used -= amount;
  }
  // Removed in one step and rarely: removing single entries moves all the others each time.
  if (bucket.first * 2 > log.length) {
    bucket.log = log.slice(bucket.first);
    bucket.first = 0;
  }
  // Adding and subtracting fractions leaves rounding errors.
  if (bucket.log.length === 0 && bucket.open === 0) bucket.used = 0;
}

function untilRoom(
  { used, log, first, windowMs }: Bucket,
  { limit, amount }: RateRequest,
  now: number,
): number {
  if (!within(limit, 0, amount)) return Infinity;
  let left = used;
  for (let index = first; index < log.length; index++) {
    const past = log[index] as (typeof log)[number];
    left -= past.amount;
    if (within(limit, left, amount)) return past.at + windowMs - now;
  }
  // The rest is reserved: if it were committed now, it would be free after the window.
  return windowMs;
}
