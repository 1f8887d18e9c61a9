import { signal } from "@preact/signals";

const now = signal(Date.now());
let isRunning = false;

/** The time for "3 min ago", renewed every 5 seconds. Milliseconds since the epoch. */
export function useNow(): number {
  if (!isRunning) {
    isRunning = true;
    setInterval(() => {
      if (document.visibilityState === "visible") now.value = Date.now();
    }, 5000);
  }
  return now.value;
}
