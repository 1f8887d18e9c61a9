import type { ToolExecutor } from "@toolweave/core";
import type { ToolIndex } from "@toolweave/core/search";
import { readLimit } from "../http/paging.ts";
import { Problem } from "../http/problem.ts";
import { toLine } from "./list-tools.ts";

/** A tool that a search has found. */
export interface SearchHit {
  readonly name: string;
  /** The first line of the description. */
  readonly line: string;
  /** Above 0, and comparable within one search only. */
  readonly score: number;
}

/** The results of `search_tools`, if the model names no number. */
const defaultResults = 5;
/** The maximum of `search_tools`. */
export const maxResults = 20;
/** Longest query in characters. */
const maxQueryLength = 2_000;

/** Searches as the tool `search_tools` does: over the tools that the policy may let run. */
export class ToolFinder {
  readonly #executor: ToolExecutor;
  #index: ToolIndex | undefined;

  constructor(executor: ToolExecutor) {
    this.#executor = executor;
  }

  /** @throws Problem for an invalid query. */
  async search(query: URLSearchParams): Promise<{ readonly items: readonly SearchHit[] }> {
    const words = query.get("q");
    if (words === null || words.length > maxQueryLength) {
      const detail = `q must be a text of at most ${maxQueryLength} characters.`;
      throw new Problem("invalid_query", detail);
    }
    const limit = readLimit(query.get("limit"), maxResults, defaultResults);
    const { registry, toolset } = this.#executor;
    const { ToolIndex } = await import("@toolweave/core/search");
    this.#index ??= new ToolIndex();
    this.#index.update(registry.toolset());
    const matches = this.#index.search(words, limit, (name) => toolset.entry(name) !== undefined);
    const items = matches.map(({ name, score }) => ({
      name,
      line: toLine(toolset.get(name)?.spec.description ?? ""),
      score,
    }));
    return { items: this.#executor.redact(items) };
  }
}
