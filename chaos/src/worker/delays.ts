import type { HeldUp } from "./messages.ts";

/** Reports when this process was held up, by a busy machine or a signal, for long enough to endanger its leases. */
export function watchDelays(leaseMs: number): void {
  const everyMs = 100;
  let last = performance.now();
  setInterval(() => {
    const now = performance.now();
    const ms = now - last - everyMs;
    last = now;
    if (ms > leaseMs / 4) process.send?.({ type: "held-up", ms } satisfies HeldUp);
  }, everyMs);
}
