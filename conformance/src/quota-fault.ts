import { ToolError, type Awaitable } from "@toolweave/core";
import { formatError } from "./contract/finding.ts";

/** A store that stores records on behalf of callers: pending calls, tasks, artifacts. */
export interface OwnedStore {
  /**
   * Stores one more record that is active and does not expire: `add` of a `PendingCallStore`,
   * `create` of a `TaskStore`, `put` of an `ArtifactStore`. Each record differs, by `index`.
   *
   * @throws ToolError `limit_exceeded` when the quota or the store is full.
   */
  readonly keep: (owner: string, index: number) => Awaitable<unknown>;
  /**
   * The number of records that the store is configured to store for one caller. Use a small number.
   */
  readonly maxPerOwner: number;
}

const floodingCaller = "flooder";

/**
 * Checks that one caller cannot use up the capacity that a store has for all callers. The store has
 * to be empty. One caller adds records in several sessions and concurrently until it is refused.
 * Other callers must still be able to add records.
 *
 * @returns the problem as a sentence; `undefined` if there is none.
 */
export async function findQuotaFault({
  keep,
  maxPerOwner,
}: OwnedStore): Promise<string | undefined> {
  let index = 0;
  const refusal = async (session: string | null, caller: string | null): Promise<unknown> => {
    try {
      await keep(formatOwner(session, caller), index++);
      return undefined;
    } catch (error) {
      return error ?? new Error("nothing was thrown");
    }
  };
  for (let stored = 0; stored < maxPerOwner; stored++) {
    const refused = await refusal(`session ${stored}`, floodingCaller);
    if (refused !== undefined) {
      return `A caller with ${stored} of ${maxPerOwner} records is refused: ${formatError(refused)}`;
    }
  }
  const refused = await refusal("one session more", floodingCaller);
  if (refused === undefined) {
    return `A caller can store more than ${maxPerOwner} records in another session: count by quotaOwner(owner).`;
  }
  if (!ToolError.is(refused) || refused.code !== "limit_exceeded") {
    return `A caller with ${maxPerOwner} records is refused with another error than limit_exceeded: ${formatError(refused)}`;
  }
  const others: readonly (readonly [string | null, string | null])[] = [
    ["one session more", "another caller"],
    ["one session more", null],
    [null, null],
  ];
  for (const [session, caller] of others) {
    const refusedOther = await refusal(session, caller);
    if (refusedOther === undefined) continue;
    return `One caller with ${maxPerOwner} records leaves no room for ${formatOwner(session, caller)}: ${formatError(refusedOther)}`;
  }
  const refusals = await Promise.all(
    Array.from({ length: 2 * maxPerOwner }, () => refusal("side by side", "a hasty caller")),
  );
  const stored = refusals.filter((one) => one === undefined).length;
  return stored === maxPerOwner
    ? undefined
    : `A caller can store ${stored} records instead of ${maxPerOwner} when it adds them concurrently: count and store in one step.`;
}

/** Formats an owner as an executor does: see `quotaOwner` of core. */
function formatOwner(session: string | null, caller: string | null): string {
  return JSON.stringify([session, caller]);
}
