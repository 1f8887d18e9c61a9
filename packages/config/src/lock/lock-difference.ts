import type { JsonObject } from "@toolweave/core";
import { compareNames, memberChanges, type MemberChange } from "@toolweave/core/adapter";
import type { Lock, LockedTool } from "./lock.ts";

/** The changes of the tools since they were locked. All lists are in the order of the names. */
export interface LockDifference {
  readonly added: readonly string[];
  readonly removed: readonly string[];
  readonly changed: readonly { readonly tool: string; readonly changes: readonly MemberChange[] }[];
}

/** Compares what tools were with what they are: see `lockOf`. */
export function lockDifference(before: Lock, after: Lock): LockDifference {
  const was = Object.keys(before.tools).sort(compareNames);
  const is = Object.keys(after.tools).sort(compareNames);
  return {
    added: is.filter((tool) => !Object.hasOwn(before.tools, tool)),
    removed: was.filter((tool) => !Object.hasOwn(after.tools, tool)),
    changed: was.flatMap((tool) => {
      const [old, now] = [before.tools[tool], after.tools[tool]];
      if (old === undefined || now === undefined || old.hash === now.hash) return [];
      return [{ tool, changes: changesOf(old, now) }];
    }),
  };
}

/** Where two versions of a tool differ: the first 20 places. */
export function changesOf(before: LockedTool, after: LockedTool): MemberChange[] {
  const { hash: _was, ...old } = before;
  const { hash: _is, ...now } = after;
  return memberChanges(old as unknown as JsonObject, now as unknown as JsonObject);
}
