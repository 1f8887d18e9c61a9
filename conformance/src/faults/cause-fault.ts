import type { Fault } from "./check-each.ts";

/** The maximum number of causes of an error. */
const maxCauses = 100;

/** Finds causes that form a cycle, or more than 100 causes. */
export function findCauseFault(thrown: unknown): Fault | undefined {
  const seen = new Set<object>();
  const left: unknown[] = [thrown];
  while (left.length > 0) {
    const one = left.pop();
    if (typeof one !== "object" || one === null || seen.has(one)) continue;
    seen.add(one);
    if (seen.size > maxCauses + 1) {
      const wrong = `throws an error with more than ${maxCauses} causes: omit some of them`;
      return { wrong, seen: String(thrown) };
    }
    left.push(...getCauses(one));
  }
  return hasCycle(thrown)
    ? {
        wrong:
          "throws an error that is one of its own causes, so that following the causes never ends",
        seen: String(thrown),
      }
    : undefined;
}

/** Finds an error on the path to itself, depth first. There are at most 100 causes. */
function hasCycle(one: unknown, path: readonly unknown[] = [], done = new Set<unknown>()): boolean {
  if (typeof one !== "object" || one === null || done.has(one)) return false;
  if (path.includes(one)) return true;
  const found = getCauses(one).some((cause) => hasCycle(cause, [...path, one], done));
  done.add(one);
  return found;
}

/** The cause of an error, and the errors of an `AggregateError`. */
function getCauses(one: object): readonly unknown[] {
  const { cause, errors } = one as { readonly cause?: unknown; readonly errors?: unknown };
  return [cause, ...(one instanceof AggregateError && Array.isArray(errors) ? errors : [])];
}
