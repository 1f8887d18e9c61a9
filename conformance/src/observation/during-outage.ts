import type { CheckContext } from "../context/check.ts";
import { containErrors } from "../context/escaped-errors.ts";

/**
 * Runs `work` while the backend is unavailable, and makes it available again afterwards in every
 * case. Errors that escape from the source meanwhile are ignored: one rule reports them.
 */
export function duringOutage<T>(context: CheckContext, work: () => Promise<T>): Promise<T> {
  const begin = async (): Promise<void> => context.manifest.outage?.begin();
  return runDuring(context, begin, "outage.begin()", work);
}

/**
 * Runs `work` while calls are carried out and their responses are lost. Otherwise like
 * `duringOutage`.
 */
export function duringLostResponses<T>(context: CheckContext, work: () => Promise<T>): Promise<T> {
  const begin = async (): Promise<void> => context.manifest.outage?.loseAnswers?.();
  return runDuring(context, begin, "outage.loseAnswers()", work);
}

function runDuring<T>(
  context: CheckContext,
  begin: () => Promise<void>,
  what: string,
  work: () => Promise<T>,
): Promise<T> {
  const { manifest } = context;
  return containErrors(manifest, async () => {
    try {
      await context.withDeadline(begin(), what);
      return await work();
    } finally {
      await context.withDeadline(Promise.resolve(manifest.outage?.end()), "outage.end()");
    }
  });
}
