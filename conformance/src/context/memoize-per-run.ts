import type { CheckContext } from "./check.ts";
import type { Subject } from "./subject.ts";

const valuesBySubject = new WeakMap<Subject, Map<string, Promise<unknown>>>();

/**
 * Creates a value for several rules of one run: the first rule creates it, the others receive the
 * same value. It has to be plain data, since the subjects of the first rule are closed when that
 * rule is done.
 *
 * @param key identifies the value.
 */
export async function memoizePerRun<T>(
  context: CheckContext,
  key: string,
  make: () => Promise<T>,
): Promise<T> {
  const subject = await context.subject();
  const known = valuesBySubject.get(subject) ?? new Map<string, Promise<unknown>>();
  valuesBySubject.set(subject, known);
  const made = (known.get(key) as Promise<T> | undefined) ?? make();
  known.set(key, made);
  return made;
}
