import type { PendingCallRecord } from "../../approvals/pending-call-store.ts";
import type { Interruption } from "../../contract/interruption.ts";
import type { CallName, CallServices } from "../call/call-state.ts";
import { readInterruption } from "../call/read-call.ts";

/** Maximum number of equal calls, one after another: ids of calls that models repeat. */
export const maxRepeats = 16;

/** A place for a named call among those that wait. */
export type NamedPlace =
  /** The id for the call, which nothing has. */
  | { readonly id: string; readonly repeat: number }
  /** The call waits already. */
  | { readonly pending: Interruption };

/**
 * Finds the place for a call that has to wait: the same call that waits already, or the next id of those for this name.
 *
 * @param from the first repeat that is tried.
 */
export async function findPlace(
  engine: CallServices,
  name: CallName,
  now: number,
  from = 0,
): Promise<NamedPlace> {
  for (let repeat = from; repeat < maxRepeats; repeat++) {
    const id = await toId(engine, name, repeat);
    const record = await engine.pendingCalls.get(id);
    if (record === undefined) return { id, repeat };
    const { interruption, status } = record;
    const waits = status === "pending" && interruption.expiresAt > now;
    // What was written into the store by others is not shown to a person.
    if (waits && (await engine.seal.open(readInterruption(interruption))) !== undefined) {
      return { pending: interruption };
    }
  }
  return { id: crypto.randomUUID(), repeat: maxRepeats };
}

/** The last call of a name, whatever has become of it; `undefined`: the store has none. */
export async function findNamedCall(
  engine: CallServices,
  name: CallName,
): Promise<PendingCallRecord | undefined> {
  let last: PendingCallRecord | undefined;
  for (let repeat = 0; repeat < maxRepeats; repeat++) {
    const record = await engine.pendingCalls.get(await toId(engine, name, repeat));
    if (record === undefined) break;
    last = record;
  }
  return last;
}

/** A UUID of version 8 (RFC 9562) that only a process with the key can derive. */
async function toId({ idempotencyKeys }: CallServices, name: CallName, repeat: number) {
  const digits = await idempotencyKeys.of(["pending", ...name, repeat]);
  return [
    digits.slice(0, 8),
    digits.slice(8, 12),
    `8${digits.slice(13, 16)}`,
    `a${digits.slice(17, 20)}`,
    digits.slice(20, 32),
  ].join("-");
}
