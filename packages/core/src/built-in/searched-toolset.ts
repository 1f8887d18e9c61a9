import type { ToolRegistry } from "../registry/tool-registry.ts";
import type { Toolset, Tool, RegisteredTool } from "../contract/tool.ts";
import { mayRun, type PolicyLayer } from "../policy/decision.ts";
import type { Caller } from "../contract/caller.ts";
import { formatValue } from "../text/format-value.ts";
import { ToolError } from "../contract/tool-error.ts";
import { registered } from "./built-in-tools.ts";

/** A way to find tools among many; made by `toolSearch` of `@toolweave/core/search`. */
export interface ToolSearch {
  /** Begins the search of one run, with nothing found. Called by an executor. */
  begin(registry: ToolRegistry): RunSearch;
}

/** Members that a search tool's context has in addition. */
export interface SearchContext {
  /** True when a call of that tool may run, made as this call was. */
  mayCall(name: string): boolean;
  /** Adds a warning to the event that ends the call. */
  warn(message: string): void;
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

/** The toolset that the search of one run exposes, with the tools to search with. */
export class SearchedToolset {
  /** The tools that a model searches with. */
  readonly tools: readonly RegisteredTool[];
  readonly #search: RunSearch;
  readonly #mayRun: (entry: RegisteredTool) => boolean;
  #base: Toolset | undefined;
  #permitted: Toolset | undefined;
  #exposed: Toolset | undefined;
  #joined: Toolset | undefined;

  /** @throws ToolError `invalid_configuration` when `search` is not a tool search. */
  constructor(
    {
      policies,
      registry,
    }: { readonly policies: readonly PolicyLayer[]; readonly registry: ToolRegistry },
    search: ToolSearch,
    caller: Caller | undefined,
  ) {
    if (typeof (search as Partial<ToolSearch> | null)?.begin !== "function") {
      throw new ToolError(
        "invalid_configuration",
        `search is ${formatValue(search)}; use toolSearch({ form: "growing" }) of @toolweave/core/search.`,
      );
    }
    this.#search = search.begin(registry);
    this.#mayRun = (entry) => mayRun(policies, entry, caller);
    // `call_tool` never runs itself: the policy decides on the call that it contains.
    this.tools = this.#search.tools
      .map(registered)
      .filter((entry) => entry.tool.spec.name === "call_tool" || this.#mayRun(entry));
  }

  /**
   * Returns the same object as long as nothing has changed.
   *
   * @param isGiven `base` comes from the host, and may contain tools that the policy never lets run.
   */
  expose(base: Toolset, turn: number, isGiven: boolean): Toolset {
    if (base !== this.#base) {
      this.#base = base;
      this.#permitted = isGiven ? base.filter(this.#mayRun) : base;
    }
    const exposed = this.#search.expose(this.#permitted as Toolset, turn);
    if (exposed !== this.#exposed) {
      this.#exposed = exposed;
      this.#joined = exposed.with(this.tools);
    }
    return this.#joined as Toolset;
  }
}
