import type { TaskOptions } from "@toolweave/core";
import type { ConsoleCaller } from "./console-caller.ts";

/** Whose tasks, artifacts and memory people see. */
export type ConsoleOwners = "own" | "all";

/**
 * Decides whether the sender may see what was made on someone's behalf: with `own`, and if the sender is a program, only
 * what was made for the same caller, in any session.
 *
 * @param behalf `undefined`: unknown.
 */
export function maySee(
  { caller }: ConsoleCaller,
  owners: ConsoleOwners,
  behalf: TaskOptions | undefined,
): boolean {
  if (behalf === undefined) return false;
  if (owners === "all" && caller.agent === undefined) return true;
  return behalf.caller?.id === caller.id;
}
