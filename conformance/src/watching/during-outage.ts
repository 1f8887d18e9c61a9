import type { CheckContext } from "../context/check.ts";
import { sheltered } from "../context/stray-errors.ts";

/**
 * Does something while the backend is away. It is back afterwards, whatever happens. What a source
 * lets escape meanwhile is one rule's to say, and does no harm here.
 */
export function duringOutage<T>(context: CheckContext, work: () => Promise<T>): Promise<T> {
  const begin = async (): Promise<void> => context.manifest.outage?.begin();
  return during(context, begin, "outage.begin()", work);
}

/** Does something while calls are carried out and their answers are lost. Otherwise as `duringOutage`. */
export function whileLosing<T>(context: CheckContext, work: () => Promise<T>): Promise<T> {
  const begin = async (): Promise<void> => context.manifest.outage?.loseAnswers?.();
  return during(context, begin, "outage.loseAnswers()", work);
}

function during<T>(
  context: CheckContext,
  begin: () => Promise<void>,
  what: string,
  work: () => Promise<T>,
): Promise<T> {
  const { manifest } = context;
  return sheltered(manifest, async () => {
    try {
      await context.within(begin(), what);
      return await work();
    } finally {
      await context.within(Promise.resolve(manifest.outage?.end()), "outage.end()");
    }
  });
}
