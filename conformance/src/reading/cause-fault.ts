import type { Fault } from "./check-each.ts";

/** An error has no more causes than this, which is more than anybody reads. */
const maxCauses = 100;

/** Causes of an error that lead back to one of them, or are more than 100. */
export function causeFault(thrown: unknown): Fault | undefined {
  const seen = new Set<object>();
  const left: unknown[] = [thrown];
  while (left.length > 0) {
    const one = left.pop();
    if (typeof one !== "object" || one === null || seen.has(one)) continue;
    seen.add(one);
    if (seen.size > maxCauses + 1) {
      const wrong = `throws an error with more than ${maxCauses} causes: leave out what nobody reads`;
      return { wrong, seen: String(thrown) };
    }
    left.push(...causesOf(one));
  }
  return leadsBack(thrown)
    ? {
        wrong: "throws an error that is among its own causes: whoever follows them never ends",
        seen: String(thrown),
      }
    : undefined;
}

/** Depth first: an error on the way to itself. There are at most 100 of them. */
function leadsBack(
  one: unknown,
  path: readonly unknown[] = [],
  done = new Set<unknown>(),
): boolean {
  if (typeof one !== "object" || one === null || done.has(one)) return false;
  if (path.includes(one)) return true;
  const found = causesOf(one).some((cause) => leadsBack(cause, [...path, one], done));
  done.add(one);
  return found;
}

/** Its cause, and the errors that it puts together. */
function causesOf(one: object): readonly unknown[] {
  const { cause, errors } = one as { readonly cause?: unknown; readonly errors?: unknown };
  return [cause, ...(one instanceof AggregateError && Array.isArray(errors) ? errors : [])];
}
