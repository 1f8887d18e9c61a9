import type { EventView } from "@toolweave/console";
import { useEffect } from "preact/hooks";
import { onEvents } from "./event-stream.ts";
import { throttle } from "./throttle.ts";

/** The minimum time between two requests of a screen that events cause, in milliseconds. */
const reloadMs = 1500;

/** Reads a resource again, at most every 1.5 seconds, while events say that it has changed. */
export function useReloadOn(
  resource: { reload(): void },
  isChanged: (event: EventView) => boolean,
): void {
  useEffect(() => {
    const reload = throttle(() => resource.reload(), reloadMs);
    const unsubscribe = onEvents((events) => {
      if (events.some(isChanged)) reload.call();
    });
    return () => {
      unsubscribe();
      reload.cancel();
    };
  }, [resource]);
}
