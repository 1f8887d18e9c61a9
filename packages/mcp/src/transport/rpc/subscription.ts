import type { JsonObject } from "@toolweave/core";
import { pause, Stop } from "../messages/channel.ts";

/** Milliseconds before it is opened again; twice as long each time that it was not even acknowledged. */
const firstPauseMs = 1_000;

/** How often in a row. */
const mostFailures = 6;

/** Milliseconds that whoever connects waits until the server listens. */
const patienceMs = 2_000;

type Ask = (params: JsonObject, signal: Stop) => Promise<unknown>;

const acknowledged = "notifications/subscriptions/acknowledged";

/** `subscriptions/listen` of the newer protocol: kept open as long as the connection. */
export class Subscription {
  readonly #ask: Ask;
  readonly #missed: () => void;
  readonly #stop = new Stop();
  #isHeard = false;
  #tellHeard: () => void = () => {};

  /**
   * @param ask sends `subscriptions/listen`.
   * @param missed called when changes may have been missed.
   */
  constructor(ask: Ask, missed: () => void) {
    this.#ask = ask;
    this.#missed = missed;
  }

  /** Begins; resolves when the server listens, or after a while. */
  async open(capabilities: JsonObject): Promise<void> {
    const filter = filterOf(capabilities);
    if (Object.keys(filter).length === 0) return;
    let isLate = false;
    const heard = new Promise<void>((resolve) => {
      this.#tellHeard = () => {
        resolve();
        if (isLate) this.#missed();
      };
    });
    const over = this.#keep({ notifications: filter });
    const patience = pause(patienceMs, this.#stop).then(() => (isLate = true));
    await Promise.race([heard, over, patience]);
  }

  /** Hears of a notification of the server's. */
  onNotification(method: string): void {
    if (method !== acknowledged || this.#isHeard) return;
    this.#isHeard = true;
    this.#tellHeard();
  }

  close(): void {
    this.#stop.abort(new Error("the connection was closed"));
  }

  async #keep(params: JsonObject): Promise<void> {
    for (let failures = 0; failures < mostFailures && !this.#stop.aborted;) {
      this.#isHeard = false;
      await this.#ask(params, this.#stop).catch(() => {});
      failures = this.#isHeard ? 0 : failures + 1;
      await pause(firstPauseMs * 2 ** failures, this.#stop);
      // Whatever happened in between was told to nobody.
      this.#tellHeard = this.#missed;
    }
  }
}

function filterOf(capabilities: JsonObject): JsonObject {
  const filter: Record<string, boolean> = {};
  for (const list of ["tools", "prompts", "resources"]) {
    const { listChanged } = (capabilities[list] ?? {}) as { readonly listChanged?: unknown };
    if (listChanged === true) filter[`${list}ListChanged`] = true;
  }
  return filter;
}
