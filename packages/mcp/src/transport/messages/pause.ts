import type { Stop } from "./channel.ts";

/** Waits; a stop ends it early. It does not keep the process alive. */
export function pause(ms: number, stop: Stop): Promise<void> {
  if (stop.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    const over = {
      handleEvent(): void {
        clearTimeout(timer);
        stop.removeEventListener("abort", over);
        resolve();
      },
    };
    const timer = setTimeout(() => over.handleEvent(), ms);
    timer.unref();
    stop.addEventListener("abort", over);
  });
}
