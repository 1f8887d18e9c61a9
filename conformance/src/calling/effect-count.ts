import type { Awaitable } from "@toolweave/core";
import type { CheckContext } from "../context/check.ts";
import { show } from "../contract/finding.ts";

/** Says how often the effect of a call has happened so far. */
type Count = () => Awaitable<number>;

/** How often the effect of a call has happened so far, within the deadline. */
export function countOf(context: CheckContext, call: { readonly count: Count }): Promise<number>;
/** @returns `undefined` when nobody counts it. */
export function countOf(
  context: CheckContext,
  call: { readonly count?: Count },
): Promise<number | undefined>;
export async function countOf(
  { within }: CheckContext,
  { count }: { readonly count?: Count },
): Promise<number | undefined> {
  if (count === undefined) return undefined;
  const counted: unknown = await within(Promise.resolve(count()), "count()");
  if (typeof counted === "number" && Number.isFinite(counted)) return counted;
  throw new TypeError(`count() gives ${show(counted)}, which is no number`);
}

/** How often it is looked whether an effect can be seen yet. */
const mostLooks = 20;

/** How often the effect has happened since; what is seen a little later, as in a replica, is waited for. */
export async function grownBy(
  context: CheckContext,
  call: { readonly count: Count },
  before: number,
  expected = 1,
): Promise<number> {
  let grown = (await countOf(context, call)) - before;
  for (let look = 0; grown < expected && look < mostLooks; look++) {
    await context.quiet();
    grown = (await countOf(context, call)) - before;
  }
  return grown;
}
