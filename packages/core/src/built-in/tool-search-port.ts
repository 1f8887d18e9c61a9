import type { ToolRegistry } from "../registry/tool-registry.ts";
import type { Toolset, Tool } from "../contract/tool.ts";

/** A way to find tools among many; made by `toolSearch` of `@toolweave/core/search`. */
export interface ToolSearch {
  /** Begins the search of one run, with nothing found. Called by an executor. */
  begin(registry: ToolRegistry): RunSearch;
}

/** Members that a search tool's context has in addition. */
export interface SearchContext {
  /** True when a call of that tool may run, made as this call was. */
  mayCall(name: string): boolean;
}

/** The search of one run, with the tools found so far. */
export interface RunSearch {
  /** The tools that a model searches with. */
  readonly tools: readonly Tool[];
  /**
   * The toolset that lists the found tools of `all` for the model; the others are searchable. The same object as long
   * as nothing has changed.
   *
   * @param turn 0: the run has no turns, and found tools are listed at once.
   */
  expose(all: Toolset, turn: number): Toolset;
}
