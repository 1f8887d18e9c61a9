import { ToolError, type Awaitable } from "@toolweave/core";
import { messageOf } from "./contract/finding.ts";

/** A store that keeps things on behalf of callers: calls that wait, tasks, artifacts. */
export interface OwnedStore {
  /**
   * Keeps one more thing that has not ended and does not expire: `add` of a `PendingCallStore`,
   * `create` of a `TaskStore`, `put` of an `ArtifactStore`. Each is another one, by `index`.
   *
   * @throws ToolError `limit_exceeded` when there is no room for it.
   */
  readonly keep: (owner: string, index: number) => Awaitable<unknown>;
  /** How many of them the store is made to keep for one caller: a few. */
  readonly maxPerOwner: number;
}

const flooder = "flooder";

/**
 * Finds out whether one caller can use up what a store keeps for all. The store has to be empty. One
 * caller keeps things in session after session and at the same time, until it is refused; others
 * must find room all the same.
 *
 * @returns what is wrong, as a sentence; `undefined`: nothing.
 */
export async function quotaFault({ keep, maxPerOwner }: OwnedStore): Promise<string | undefined> {
  let index = 0;
  const refusal = async (session: string | null, caller: string | null): Promise<unknown> => {
    try {
      await keep(ownerOf(session, caller), index++);
      return undefined;
    } catch (error) {
      return error ?? new Error("nothing was thrown");
    }
  };
  for (let kept = 0; kept < maxPerOwner; kept++) {
    const refused = await refusal(`session ${kept}`, flooder);
    if (refused !== undefined) {
      return `A caller that has ${kept} of ${maxPerOwner} may keep no more: ${messageOf(refused)}`;
    }
  }
  const refused = await refusal("one session more", flooder);
  if (refused === undefined) {
    return `A caller keeps more than ${maxPerOwner} in another session: count by quotaOwner(owner).`;
  }
  if (!ToolError.is(refused) || refused.code !== "limit_exceeded") {
    return `A caller that has ${maxPerOwner} is refused without limit_exceeded: ${messageOf(refused)}`;
  }
  const others: readonly (readonly [string | null, string | null])[] = [
    ["one session more", "another caller"],
    ["one session more", null],
    [null, null],
  ];
  for (const [session, caller] of others) {
    const turnedAway = await refusal(session, caller);
    if (turnedAway === undefined) continue;
    return `One caller that has ${maxPerOwner} leaves no room for ${ownerOf(session, caller)}: ${messageOf(turnedAway)}`;
  }
  const refusals = await Promise.all(
    Array.from({ length: 2 * maxPerOwner }, () => refusal("side by side", "a hasty caller")),
  );
  const kept = refusals.filter((one) => one === undefined).length;
  return kept === maxPerOwner
    ? undefined
    : `A caller keeps ${kept} in place of ${maxPerOwner} when it asks for all at the same time: count and keep in one step.`;
}

/** As an executor writes it: see `quotaOwner` of core. */
function ownerOf(session: string | null, caller: string | null): string {
  return JSON.stringify([session, caller]);
}
