import type { Page, Request } from "playwright-core";

/** Milliseconds over which the events of a page are counted. */
const windowMs = 10_000;

/** The kinds of events that a page can cause without end, each of which occupies the host. */
const kinds = {
  message: { max: 5_000, text: "messages on its console" },
  character: { max: 20_000_000, text: "characters on its console" },
  request: { max: 2_000, text: "requests" },
  frame: { max: 5_000, text: "navigations of its frames" },
  socket: { max: 1_000, text: "WebSockets" },
  worker: { max: 1_000, text: "workers" },
  tab: { max: 100, text: "tabs" },
  download: { max: 100, text: "downloads" },
} as const;

/** A kind of event of a page. */
export type FloodKind = keyof typeof kinds;

/**
 * Counts the events of pages, also while no call runs. A page that causes more of a kind than any page with a purpose is
 * reported once: Playwright processes each event in the host, and has no bound of its own.
 */
export class FloodGuard {
  readonly #onFlood: (page: Page | undefined, reason: string) => void;
  readonly #counts = new Map<Page | undefined, Map<FloodKind, number>>();
  readonly #reported = new WeakSet<Page>();
  #startedAt = 0;

  /** @param onFlood receives the page, undefined for the browser as a whole, and a sentence without its subject. */
  constructor(onFlood: (page: Page | undefined, reason: string) => void) {
    this.#onFlood = onFlood;
  }

  /** Adds events of a page; undefined: its page is not known. */
  count(page: Page | undefined, kind: FloodKind, number = 1): void {
    const now = performance.now();
    if (now - this.#startedAt > windowMs) {
      this.#counts.clear();
      this.#startedAt = now;
    }
    const counts = this.#counts.get(page) ?? new Map<FloodKind, number>();
    this.#counts.set(page, counts);
    const total = (counts.get(kind) ?? 0) + number;
    counts.set(kind, total);
    const { max, text } = kinds[kind];
    if (total <= max) return;
    counts.clear();
    this.report(page, `caused more than ${max} ${text} within ${windowMs / 1_000} seconds`);
  }

  /** Reports a page, unless it was reported already. */
  report(page: Page | undefined, reason: string): void {
    if (page !== undefined && this.#reported.has(page)) return;
    if (page !== undefined) this.#reported.add(page);
    this.#onFlood(page, reason);
  }
}

/** The page of a request. Undefined: that of a service worker, or of a page that is not there yet. */
export function findPage(request: Request): Page | undefined {
  try {
    return request.frame().page();
  } catch {
    return undefined;
  }
}
