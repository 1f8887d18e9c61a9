/**
 * Makes a function that runs at once and then at most once in an interval; calls in between run it at the end of the
 * interval. `cancel` omits a run that is due.
 */
export function throttle(run: () => void, intervalMs: number): { call(): void; cancel(): void } {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isDue = false;
  const start = (): void => {
    run();
    timer = setTimeout(() => {
      timer = undefined;
      if (!isDue) return;
      isDue = false;
      start();
    }, intervalMs);
  };
  return {
    call() {
      if (timer === undefined) start();
      else isDue = true;
    },
    cancel() {
      clearTimeout(timer);
      timer = undefined;
      isDue = false;
    },
  };
}
