import { checkOptions } from "../contract/check-options.ts";
import type { RunSearch, ToolSearch } from "../built-in/searched-toolset.ts";
import type { ToolRegistry } from "../registry/tool-registry.ts";
import { formatValue } from "../text/format-value.ts";
import { ToolError } from "../contract/tool-error.ts";
import { ExposedTools } from "./exposed-tools.ts";
import { HybridToolIndex } from "./hybrid-tool-index.ts";
import { maxResults, SearchTools, type ToolFinder } from "./search-tools.ts";
import type { ToolEmbedder, VectorCache } from "./tool-embedder.ts";
import { ToolIndex } from "./tool-index.ts";

/** How a model finds tools. */
export interface ToolSearchOptions {
  /**
   * `growing`: tools that `search_tools` finds are listed from the next turn on, and called by name. `constant`: the
   * list never changes, for hosts with fixed lists and for prompt caches; found tools are read with `describe_tool` and
   * called with `call_tool`.
   */
  readonly form: "growing" | "constant";
  /** Globs over the names of tools that are always listed. Default: none. */
  readonly always?: readonly string[];
  /** How many a search gives unless the model asks for another number: 1 to 20. Default: 5. */
  readonly results?: number;
  /**
   * A model with which tools are also found by meaning. The first search embeds all tools of the registry, which takes
   * as long as the model needs; later searches embed the query, and tools that have changed. If the model fails, words
   * alone decide, and the result's `details.warnings` and the event `tool.completed` say so. Default: none.
   */
  readonly embedder?: ToolEmbedder;
  /** Stores the vectors of tools across processes. Default: none; each process embeds each tool once. */
  readonly vectorCache?: VectorCache;
}

const optionNames: readonly string[] = [
  "form",
  "always",
  "results",
  "embedder",
  "vectorCache",
] satisfies readonly (keyof ToolSearchOptions)[];

/**
 * Lists a few tools of many for a model, which can search for the rest: all tools that the policy may allow for the
 * caller, or the run's own `toolset`. Any of them may be called, found or not. One such object may serve any number of
 * runs and executors: the index is made at the first search, once for each registry, and follows its changes.
 *
 * @example
 * ```ts
 * const run = executor.startRun({ search: toolSearch({ form: "growing", always: ["get_*"] }) });
 * const shown = run.toolset.specs();
 * ```
 *
 * @throws ToolError `invalid_configuration` for an invalid option.
 */
export function toolSearch(options: ToolSearchOptions): ToolSearch {
  checkOptions("toolSearch", options, optionNames);
  const { form, always = [], results = 5, embedder, vectorCache } = options;
  if (form !== "growing" && form !== "constant") {
    throw misuse(`form is ${formatValue(form)}; use "growing" or "constant".`);
  }
  if (!Array.isArray(always) || !always.every((glob) => typeof glob === "string")) {
    throw misuse(`always is ${formatValue(always)}; use a list of names and globs.`);
  }
  if (!Number.isInteger(results) || results < 1 || results > maxResults) {
    throw misuse(`results is ${formatValue(results)}; use a whole number from 1 to ${maxResults}.`);
  }
  if (embedder !== undefined && !isEmbedder(embedder)) {
    throw misuse(
      `embedder is ${formatValue(embedder)}; use { id: "…", embed: async (texts) => … }.`,
    );
  }
  if (vectorCache !== undefined && embedder === undefined) {
    throw misuse("vectorCache stores the vectors of an embedder; give an embedder, too.");
  }
  if (vectorCache !== undefined && !isCache(vectorCache)) {
    throw misuse(
      `vectorCache is ${formatValue(vectorCache)}; use fileLists("…") of @toolweave/stores, or { get, set }.`,
    );
  }
  const globs = [...always];
  const indexes = new WeakMap<ToolRegistry, ToolFinder>();
  return {
    begin(registry): RunSearch {
      const exposed = new ExposedTools(globs, form);
      const { tools } = new SearchTools(form, results, exposed, () => {
        let index = indexes.get(registry);
        if (index === undefined) {
          index =
            embedder === undefined ? new ToolIndex() : new HybridToolIndex(embedder, vectorCache);
          indexes.set(registry, index);
        }
        index.update(registry.toolset());
        return index;
      });
      return { tools, expose: (all, turn) => exposed.expose(all, turn) };
    },
  };
}

function isEmbedder(value: ToolEmbedder | null): boolean {
  return typeof value?.id === "string" && value.id !== "" && typeof value.embed === "function";
}

function isCache(value: VectorCache | null): boolean {
  return typeof value?.get === "function" && typeof value.set === "function";
}

function misuse(what: string): ToolError {
  return new ToolError("invalid_configuration", `toolSearch: ${what}`);
}
