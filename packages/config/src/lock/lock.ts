import { compareNames, type RegisteredTool } from "@toolweave/core/adapter";
import { lockTool, readDetails, toPlain, type LockedTool } from "./tool-parts.ts";

/** Tools as they were when a person reviewed them: plain JSON, in the order of the names. */
export interface Lock {
  readonly version: 2;
  /** The tools by name, by the id of their source. */
  readonly sources: Readonly<Record<string, Readonly<Record<string, LockedTool>>>>;
}

/** A tool with the id of its source: `registry.toolset().entries()` has them. */
export type LockableTool = Pick<RegisteredTool, "tool" | "source">;

/** Options of `lockOf`. */
export interface LockOptions {
  /**
   * Also the texts and schemas of the tools, so that a later comparison can tell what they were. Default: false, digests
   * only.
   */
  readonly details?: boolean;
}

/**
 * The lock of the current tools.
 *
 * @throws RangeError for a schema that is too large to be serialised.
 */
export function lockOf(
  entries: Iterable<LockableTool>,
  { details = false }: LockOptions = {},
): Lock {
  return toLock(
    [...entries].map(({ tool, source }) => {
      const entry = lockTool(tool);
      const locked = details ? { ...entry, details: toPlain(readDetails(tool)) } : entry;
      return { source, name: tool.spec.name, tool: locked };
    }),
  );
}

/** A tool in a lock, with its names. */
export interface NamedTool {
  readonly source: string;
  readonly name: string;
  readonly tool: LockedTool;
}

/** Groups tools by source, in the order of the names. */
export function toLock(tools: readonly NamedTool[]): Lock {
  const sources = new Map<string, [name: string, tool: LockedTool][]>();
  for (const { source, name, tool } of tools.toSorted((a, b) => compareNames(a.name, b.name))) {
    const entries = sources.get(source) ?? [];
    sources.set(source, entries);
    entries.push([name, tool]);
  }
  const sorted = [...sources].sort(([a], [b]) => compareNames(a, b));
  return {
    version: 2,
    sources: Object.fromEntries(
      sorted.map(([source, entries]) => [source, Object.fromEntries(entries)]),
    ),
  };
}

/** Finds a tool in a lock, and the source it had, which is preferably the given one. */
export function findLocked(
  { sources }: Lock,
  name: string,
  source: string,
): { readonly source: string; readonly tool: LockedTool } | undefined {
  for (const id of [source, ...Object.keys(sources)]) {
    const tools = Object.hasOwn(sources, id) ? sources[id] : undefined;
    const tool = tools !== undefined && Object.hasOwn(tools, name) ? tools[name] : undefined;
    if (tool !== undefined) return { source: id, tool };
  }
  return undefined;
}
