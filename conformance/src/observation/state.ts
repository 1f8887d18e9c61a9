import { canonicalJson } from "@toolweave/core/adapter";
import type { CheckContext } from "../context/check.ts";

/** Everything that the tools can change, as canonical JSON. */
export async function readState({ manifest, withDeadline: within }: CheckContext): Promise<string> {
  return canonicalJson(await within(Promise.resolve(manifest.state?.()), "state()"));
}

/** Finds what `work` changed; `undefined` if nothing. */
export async function findStateChange(
  context: CheckContext,
  work: () => Promise<unknown>,
): Promise<StateChange | undefined> {
  const before = await readState(context);
  await work();
  return compareStates(before, await readState(context));
}

/** The differing parts of two states. */
export interface StateChange {
  readonly before: string;
  readonly after: string;
}

const excerptLength = 150;

/** Finds where two states differ; `undefined` if they are equal. */
export function compareStates(before: string, after: string): StateChange | undefined {
  if (before === after) return undefined;
  let same = 0;
  while (before[same] === after[same]) same += 1;
  const from = Math.max(0, same - 30);
  return {
    before: before.slice(from, from + excerptLength),
    after: after.slice(from, from + excerptLength),
  };
}
