import type { JsonObject } from "@toolweave/core";
import { pause } from "@toolweave/core/adapter";
import { Stop } from "../messages/channel.ts";

/** Milliseconds before it is reopened; they double with each attempt that is not acknowledged. */
const firstPauseMs = 1_000;

/** Failures in a row after which it is given up. */
const maxFailures = 6;

/** Milliseconds that `connect` waits for the acknowledgement. */
const acknowledgementMs = 2_000;

type SendListen = (params: JsonObject, signal: Stop) => Promise<unknown>;

const acknowledged = "notifications/subscriptions/acknowledged";

/** `subscriptions/listen` of the newer protocol, kept open as long as the connection. */
export class Subscription {
  readonly #listen: SendListen;
  readonly #onMissed: () => void;
  readonly #stop = new Stop();
  #isAcknowledged = false;
  #onAcknowledged: () => void = () => {};

  /**
   * @param listen Sends `subscriptions/listen`.
   * @param onMissed Called when changes may have been missed.
   */
  constructor(listen: SendListen, onMissed: () => void) {
    this.#listen = listen;
    this.#onMissed = onMissed;
  }

  /** Opens it. Resolves when the server has acknowledged it, or after `acknowledgementMs`. */
  async open(capabilities: JsonObject): Promise<void> {
    const filter = toFilter(capabilities);
    if (Object.keys(filter).length === 0) return;
    const acknowledgement = new Promise<void>((resolve) => (this.#onAcknowledged = resolve));
    const over = this.#keepOpen({ notifications: filter });
    await pause(acknowledgementMs, {
      signal: this.#stop,
      wake: Promise.race([acknowledgement, over]),
    });
    // Of a later one, or of another stream: changes before it were not received.
    this.#onAcknowledged = this.#onMissed;
  }

  /** Handles the server's acknowledgement. */
  onNotification(method: string): void {
    if (method !== acknowledged || this.#isAcknowledged) return;
    this.#isAcknowledged = true;
    this.#onAcknowledged();
  }

  close(): void {
    this.#stop.abort(new Error("the connection was closed"));
  }

  async #keepOpen(params: JsonObject): Promise<void> {
    for (let failures = 0; failures < maxFailures && !this.#stop.aborted;) {
      this.#isAcknowledged = false;
      await this.#listen(params, this.#stop).catch(() => {});
      failures = this.#isAcknowledged ? 0 : failures + 1;
      await pause(firstPauseMs * 2 ** failures, { signal: this.#stop, unref: true });
    }
  }
}

function toFilter(capabilities: JsonObject): JsonObject {
  const filter: Record<string, boolean> = {};
  for (const list of ["tools", "prompts", "resources"]) {
    const { listChanged } = (capabilities[list] ?? {}) as { readonly listChanged?: unknown };
    if (listChanged === true) filter[`${list}ListChanged`] = true;
  }
  return filter;
}

/** Notifications about lists, which a server may send at any rate. */
export const listChanges: ReadonlySet<string> = new Set(
  ["tools", "prompts", "resources"].map((list) => `notifications/${list}/list_changed`),
);

/** Milliseconds between two notifications. */
const pauseMs = 250;

/** Coalesces changes: the first is notified at once, further ones a few times a second at most. */
export class ListChangeCoalescer {
  readonly #notify: (what: string) => void;
  readonly #waiting = new Set<string>();
  #timer: NodeJS.Timeout | undefined;
  #notifiedAt = -Infinity;
  #isOver = false;

  constructor(notify: (what: string) => void) {
    this.#notify = notify;
  }

  add(what: string): void {
    if (this.#isOver || this.#waiting.has(what)) return;
    this.#waiting.add(what);
    if (this.#timer !== undefined) return;
    const wait = this.#notifiedAt + pauseMs - performance.now();
    this.#timer = setTimeout(() => this.#flush(), Math.max(0, wait));
    this.#timer.unref();
  }

  /** Stops; pending changes are dropped. */
  stop(): void {
    this.#isOver = true;
    clearTimeout(this.#timer);
    this.#waiting.clear();
  }

  #flush(): void {
    this.#timer = undefined;
    this.#notifiedAt = performance.now();
    const waiting = [...this.#waiting];
    this.#waiting.clear();
    for (const what of waiting) this.#notify(what);
  }
}
