import type { PolicyLayer } from "../policy/decision.ts";
import type { ToolRegistry } from "../registry/tool-registry.ts";
import { mayRun } from "../policy/decide.ts";
import type { RegisteredTool, Toolset } from "../contract/tool.ts";
import type { Caller } from "../contract/caller.ts";
import { formatValue } from "../text/format-value.ts";
import { ToolError } from "../contract/tool-error.ts";
import { registered } from "./built-in-tools.ts";
import type { RunSearch, ToolSearch } from "./tool-search-port.ts";

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

  /** @throws ToolError `internal` when `search` is not a tool search. */
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
        "internal",
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
