import { pause } from "@toolweave/core/adapter";
import type { BrowserContext, Page, Request } from "playwright-core";
import { findPage, type FloodGuard } from "./flood-guard.ts";

/** The kinds of requests that change what a page displays. */
const awaitedKinds: ReadonlySet<string> = new Set(["document", "fetch", "xhr"]);
/** Milliseconds in which an action's first requests begin. */
const startMs = 60;
/** Milliseconds for them to end. A page that never rests is read as it is then. */
const maxSettleMs = 2_000;

/** Requests without an end: a page that has more of them occupies the memory of the host. */
const maxPending = 1_000;

/** The requests of a browser's pages that have no end yet. */
export class PendingRequests {
  readonly #pending = new Set<Request>();
  readonly #listeners = new Set<() => void>();

  constructor(context: BrowserContext, guard: FloodGuard) {
    context.on("request", (request) => {
      if (!awaitedKinds.has(request.resourceType())) return;
      this.#pending.add(request);
      if (this.#pending.size > maxPending) {
        guard.report(findPage(request), `has more than ${maxPending} requests without an answer`);
      }
    });
    const end = (request: Request): void => {
      if (!this.#pending.delete(request)) return;
      for (const listener of [...this.#listeners]) listener();
    };
    context.on("requestfinished", end);
    context.on("requestfailed", end);
    // The requests of a page that is closed have no end.
    context.on("pageclose", (page) => {
      for (const request of this.#pending) if (findPage(request) === page) end(request);
    });
  }

  /**
   * Performs an action, and waits until the requests that it began have ended and the page is there, for a few seconds at
   * most.
   */
  async settle(page: Page, signal: AbortSignal, action: () => Promise<unknown>): Promise<void> {
    const earlier = new Set(this.#pending);
    await action();
    const ended = new AbortController();
    const isSettled = async (): Promise<void> => {
      await pause(startMs, { signal });
      const hasNew = (): boolean => [...this.#pending].some((request) => !earlier.has(request));
      while (!ended.signal.aborted && hasNew()) await this.#nextEnd();
      if (ended.signal.aborted) return;
      await page.waitForLoadState("domcontentloaded", { timeout: maxSettleMs, signal });
    };
    // A page that is closed meanwhile is settled, too.
    await pause(maxSettleMs, { signal, wake: isSettled().catch(() => {}) });
    ended.abort();
  }

  #nextEnd(): Promise<void> {
    return new Promise((resolve) => {
      const listener = (): void => {
        this.#listeners.delete(listener);
        resolve();
      };
      this.#listeners.add(listener);
    });
  }
}
