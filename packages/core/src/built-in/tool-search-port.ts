import type { ToolRegistry } from "../registry/tool-registry.ts";
import type { Toolset, Tool } from "../contract/tool.ts";

/** A way to find tools among many; made by `toolSearch` of `@toolweave/core/search`. */
export interface ToolSearch {
  /** Begins a search of one run, with nothing found. An executor does that. */
  begin(registry: ToolRegistry): RunSearch;
}

/** What tools that search are told of their call beside what every tool is. */
export interface SearchContext {
  /** A call of that name may run, where this one does. */
  mayCall(name: string): boolean;
}

/** What one run has found. */
export interface RunSearch {
  /** What a model searches with. */
  readonly tools: readonly Tool[];
  /**
   * What a model is shown of `all`, beside those; the rest is searchable. The same object as long
   * as nothing has changed.
   *
   * @param turn 0: the run has no turns, and what was found is shown at once.
   */
  expose(all: Toolset, turn: number): Toolset;
}
