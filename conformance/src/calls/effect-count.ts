import type { Awaitable } from "@toolweave/core";
import type { CheckContext } from "../context/check.ts";
import { formatValue } from "../contract/finding.ts";

/** Returns how often the effect of a call has happened so far. */
type Count = () => Awaitable<number>;

/** Counts how often the effect of a call has happened so far, within the deadline. */
export function countEffects(
  context: CheckContext,
  call: { readonly count: Count },
): Promise<number>;
/** @returns `undefined` if the effect is not counted. */
export function countEffects(
  context: CheckContext,
  call: { readonly count?: Count },
): Promise<number | undefined>;
export async function countEffects(
  { withDeadline: within }: CheckContext,
  { count }: { readonly count?: Count },
): Promise<number | undefined> {
  if (count === undefined) return undefined;
  const counted: unknown = await within(Promise.resolve(count()), "count()");
  if (typeof counted === "number" && Number.isFinite(counted)) return counted;
  throw new TypeError(`count() returns ${formatValue(counted)}, which is not a number`);
}

/** Waits until the effects of all slow calls have happened, for those that were not stopped. */
export async function waitForEffects(context: CheckContext): Promise<void> {
  const times = context.samples("slowCalls").map(({ effectMs = 0 }) => effectMs);
  await new Promise((resolve) => setTimeout(resolve, Math.max(0, ...times)));
  await context.waitQuietly();
}

/** The maximum number of checks whether an effect is visible yet. */
const maxChecks = 20;

/**
 * Counts how often the effect has happened since. Waits for effects that become visible later, as
 * in a replica.
 */
export async function countNewEffects(
  context: CheckContext,
  call: { readonly count: Count },
  before: number,
  expected = 1,
): Promise<number> {
  let newEffects = (await countEffects(context, call)) - before;
  for (let look = 0; newEffects < expected && look < maxChecks; look++) {
    await context.waitQuietly();
    newEffects = (await countEffects(context, call)) - before;
  }
  return newEffects;
}
