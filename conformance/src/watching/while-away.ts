import type { CheckContext } from "../check.ts";
import { sheltered } from "./stray-errors.ts";

/**
 * Does something while the backend is away. It is back afterwards, whatever happens. What a source
 * lets escape meanwhile is one rule's to say, and does no harm here.
 */
export function whileAway<T>(context: CheckContext, work: () => Promise<T>): Promise<T> {
  const { manifest } = context;
  return sheltered(manifest, async () => {
    try {
      await context.within(Promise.resolve(manifest.outage?.begin()), "outage.begin()");
      return await work();
    } finally {
      await context.within(Promise.resolve(manifest.outage?.end()), "outage.end()");
    }
  });
}
