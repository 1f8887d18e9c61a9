import { withTimeout } from "@toolweave/core/adapter";

/** Paths of the checks of load balancers and orchestrators. */
export const healthPath = "/healthz";
export const readyPath = "/readyz";

/** Responds to a check with its status alone. */
export function healthResponse(method: string, isGood: boolean): Response {
  if (method !== "GET" && method !== "HEAD") {
    return new Response(null, { status: 405, headers: { allow: "GET, HEAD" } });
  }
  const headers = { "content-type": "text/plain; charset=utf-8", "cache-control": "no-store" };
  const text = method === "HEAD" ? null : isGood ? "ok\n" : "unavailable\n";
  return new Response(text, { status: isGood ? 200 : 503, headers });
}

/** Milliseconds for which the result of a check is used again. */
const cachedMs = 1_000;
/** Milliseconds that a check may take. */
const maxCheckMs = 2_000;

/** Checks whether a store responds, at most once per second however often it is asked. */
export class StoreCheck {
  readonly #read: () => Promise<unknown>;
  #result: Promise<boolean> | undefined;
  /** In the time of `performance.now()`; `Infinity`: the check has not ended. */
  #checkedAt = Infinity;

  /** @param read A cheap read that rejects when the store is unavailable. */
  constructor(read: () => Promise<unknown>) {
    this.#read = read;
  }

  isAvailable(): Promise<boolean> {
    if (this.#result === undefined || performance.now() - this.#checkedAt >= cachedMs) {
      this.#checkedAt = Infinity;
      this.#result = this.#check();
    }
    return this.#result;
  }

  async #check(): Promise<boolean> {
    try {
      await withTimeout(this.#read(), maxCheckMs);
      return true;
    } catch {
      return false;
    } finally {
      this.#checkedAt = performance.now();
    }
  }
}
