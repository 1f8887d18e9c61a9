import { canonicalJson } from "@toolweave/core";
import type { CheckContext } from "../context/check.ts";

/** All that the tools can change, as text. */
export async function stateOf({ manifest, within }: CheckContext): Promise<string> {
  return canonicalJson(await within(Promise.resolve(manifest.state?.()), "state()"));
}

/** What was changed meanwhile, from where the two begin to differ; `undefined`: nothing. */
export async function changeBy(
  context: CheckContext,
  work: () => Promise<unknown>,
): Promise<StateChange | undefined> {
  const before = await stateOf(context);
  await work();
  return changeOf(before, await stateOf(context));
}

/** Two states that are not the same. */
export interface StateChange {
  readonly before: string;
  readonly after: string;
}

const shown = 150;

/** The parts of two states that differ; `undefined`: none. */
export function changeOf(before: string, after: string): StateChange | undefined {
  if (before === after) return undefined;
  let same = 0;
  while (before[same] === after[same]) same += 1;
  const from = Math.max(0, same - 30);
  return { before: before.slice(from, from + shown), after: after.slice(from, from + shown) };
}
