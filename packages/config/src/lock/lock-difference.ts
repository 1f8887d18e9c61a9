import type { JsonObject, Tool } from "@toolweave/core";
import {
  argumentsSchemaOf,
  canonicalJson,
  compareNames,
  ellipsize,
  memberChanges,
  type MemberChange,
} from "@toolweave/core/adapter";
import { findLocked, type Lock, type LockableTool } from "./lock.ts";
import {
  describeCall,
  lockTool,
  readDetails,
  toPlain,
  type DigestedPart,
  type LockedDetails,
  type LockedTool,
} from "./tool-parts.ts";

/** The changes of the tools since they were locked. All lists are in the order of the names. */
export interface LockDifference {
  readonly added: readonly string[];
  readonly removed: readonly string[];
  readonly changed: readonly { readonly tool: string; readonly changes: readonly MemberChange[] }[];
}

/**
 * Compares a lock with the current tools. Of a part of which the lock has only the digest, a change has the current value.
 *
 * @param entries tools with the ids of their sources: `registry.toolset().entries()`.
 */
export function lockDifference(lock: Lock, entries: Iterable<LockableTool>): LockDifference {
  const current = new Map([...entries].map((entry) => [entry.tool.spec.name, entry]));
  const names = Object.values(lock.sources).flatMap((tools) => Object.keys(tools));
  const sorted = [...current].sort(([a], [b]) => compareNames(a, b));
  const added: string[] = [];
  const changed: { tool: string; changes: readonly MemberChange[] }[] = [];
  for (const [name, { tool, source }] of sorted) {
    const changes = findChanges(lock, tool, source);
    if (changes === undefined) added.push(name);
    else if (changes.length > 0) changed.push({ tool: name, changes });
  }
  const removed = names.filter((name) => !current.has(name)).sort(compareNames);
  return { added, removed, changed };
}

/** Finds the parts in which a tool differs from the lock; `undefined`: it is not in the lock. */
export function findChanges(
  lock: Lock,
  tool: Tool,
  source: string,
): readonly MemberChange[] | undefined {
  const found = findLocked(lock, tool.spec.name, source);
  if (found === undefined) return undefined;
  const [before, after] = [found.tool, lockTool(tool)];
  const changes = memberChanges(getKnown(found.source, before), getKnown(source, after));
  for (const part of ["text", "input", "output", "call"] as const) {
    // A lock of version 1 does not have the call.
    if (before[part] === after[part] || (part === "call" && before.call === undefined)) continue;
    changes.push(...findPartChanges(part, before, tool));
  }
  return changes;
}

/** Finds the changes of a part whose digest is another one: at least one. */
function findPartChanges(
  part: DigestedPart,
  before: LockedTool,
  tool: Tool,
): readonly MemberChange[] {
  if (part === "call") return [currentValue("call", describeCall(tool))];
  const now = pickMembers(part, readDetails(tool));
  const { details } = before;
  const isNew = part === "output" && before.output === undefined;
  const changes =
    details !== undefined || isNew ? memberChanges(pickMembers(part, details), now) : [];
  if (changes.length > 0) return changes;
  if (part === "text") return [currentValue("text", now)];
  if (part === "output") return [currentValue("outputSchema", now["outputSchema"])];
  return details === undefined
    ? [currentValue("inputSchema", now["inputSchema"])]
    : [currentValue("argumentsSchema", argumentsSchemaOf(tool))];
}

function pickMembers(
  part: DigestedPart,
  { title, description, inputSchema, outputSchema }: Partial<LockedDetails> = {},
): JsonObject {
  const members =
    part === "text"
      ? { title, description }
      : part === "input"
        ? { inputSchema }
        : { outputSchema };
  return toPlain<object>(members) as JsonObject;
}

/** The members whose values are in each lock. */
function getKnown(source: string, { annotations, program }: LockedTool): JsonObject {
  return toPlain<object>({ source, annotations, program }) as JsonObject;
}

/** Characters of a current value whose earlier one is not known. */
const maxValueLength = 2000;

/** `value` undefined: the member was removed. */
function currentValue(member: string, value: unknown): MemberChange {
  const json = value === undefined ? undefined : canonicalJson(value);
  return {
    member,
    beforeUnknown: true,
    ...(json === undefined ? {} : { after: ellipsize(json, maxValueLength) }),
  };
}
