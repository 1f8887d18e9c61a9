import type { CheckContext } from "./check.ts";
import type { Subject } from "./subject.ts";

const kept = new WeakMap<Subject, Map<string, Promise<unknown>>>();

/**
 * What several rules of one run look at: made by the first of them, and the same for the others. It
 * has to be data, since what the first has made is closed when it is done.
 *
 * @param key names it among the others.
 */
export async function once<T>(
  context: CheckContext,
  key: string,
  make: () => Promise<T>,
): Promise<T> {
  const subject = await context.subject();
  const known = kept.get(subject) ?? new Map<string, Promise<unknown>>();
  kept.set(subject, known);
  const made = (known.get(key) as Promise<T> | undefined) ?? make();
  known.set(key, made);
  return made;
}
