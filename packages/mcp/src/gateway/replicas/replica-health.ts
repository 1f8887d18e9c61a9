import { request as requestHttp } from "node:http";
import { request as requestHttps } from "node:https";
import { healthPath } from "../http/health.ts";

/** Intervals of the checks, in milliseconds. */
export interface HealthIntervals {
  /** Time between two checks of a process. */
  readonly everyMs: number;
  /** Time that a check may take. */
  readonly timeoutMs: number;
}

const defaultIntervals: HealthIntervals = { everyMs: 5_000, timeoutMs: 3_000 };

/** Number of failed checks, one after another, after which a process counts as lost. */
const maxFailures = 2;

interface Watched {
  readonly listeners: Set<() => void>;
  failures: number;
  timer: NodeJS.Timeout | undefined;
}

/**
 * Checks the processes to which requests were forwarded, as long as they are in progress: a machine that disappears does
 * not close its connections, so a request to it would wait without end.
 */
export class ReplicaHealth {
  readonly #intervals: HealthIntervals;
  /** By origin. */
  readonly #watched = new Map<string, Watched>();

  constructor(intervals: HealthIntervals = defaultIntervals) {
    this.#intervals = intervals;
  }

  /** Watches a process; returns a function that ends that. `onLost` is called once if it does not respond any more. */
  watch({ origin }: URL, onLost: () => void): () => void {
    const watched = this.#watched.get(origin) ?? this.#begin(origin);
    watched.listeners.add(onLost);
    return () => {
      watched.listeners.delete(onLost);
      if (watched.listeners.size === 0) this.#end(origin, watched);
    };
  }

  #begin(origin: string): Watched {
    const watched: Watched = { listeners: new Set(), failures: 0, timer: undefined };
    this.#watched.set(origin, watched);
    this.#schedule(origin, watched);
    return watched;
  }

  #schedule(origin: string, watched: Watched): void {
    watched.timer = setTimeout(() => void this.#check(origin, watched), this.#intervals.everyMs);
    watched.timer.unref();
  }

  async #check(origin: string, watched: Watched): Promise<void> {
    const isAlive = await respondsTo(new URL(healthPath, origin), this.#intervals.timeoutMs);
    if (this.#watched.get(origin) !== watched) return;
    watched.failures = isAlive ? 0 : watched.failures + 1;
    if (watched.failures < maxFailures) return this.#schedule(origin, watched);
    const listeners = [...watched.listeners];
    this.#end(origin, watched);
    for (const onLost of listeners) onLost();
  }

  #end(origin: string, watched: Watched): void {
    clearTimeout(watched.timer);
    if (this.#watched.get(origin) === watched) this.#watched.delete(origin);
  }
}

/** True if there is any response in time, over a connection of its own. */
function respondsTo(url: URL, timeoutMs: number): Promise<boolean> {
  return new Promise((resolve) => {
    const sent = (url.protocol === "https:" ? requestHttps : requestHttp)(url, { agent: false });
    const timer = setTimeout(() => sent.destroy(), timeoutMs);
    sent.on("response", (response) => {
      response.resume();
      resolve(true);
    });
    sent.on("error", () => resolve(false));
    sent.on("close", () => {
      clearTimeout(timer);
      resolve(false);
    });
    sent.end();
  });
}
