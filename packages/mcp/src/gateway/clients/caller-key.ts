import type { Caller } from "@toolweave/core";

/** A caller with all that decides what it may: one whose roles have changed is another. Nobody is one, too. */
export function callerKey(caller: Caller | undefined): string {
  return JSON.stringify(caller === undefined ? null : [caller.id, caller.roles, caller.agent]);
}
