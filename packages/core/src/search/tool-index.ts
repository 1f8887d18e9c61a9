import type { Toolset, Tool } from "../contract/tool.ts";
import { Postings } from "./postings.ts";
import { actionFactor, type Action } from "./actions.ts";
import { largest, parseQuery, scoreQuery } from "./query.ts";
import { bestMatches, type ToolMatch } from "./tool-match.ts";
import { toolText } from "./tool-text.ts";
import { stemmer } from "./words.ts";

interface Held {
  readonly tool: Tool;
  readonly slot: number;
}

/** The best matches of a query. */
export interface RankedMatches {
  readonly matches: readonly ToolMatch[];
  /** The share of the query that the tool with most of its words lacks: 0 to 1. */
  readonly missing: number;
  /** The query is the name of a tool. */
  readonly isName: boolean;
}

/**
 * Finds tools by their subject, in process and without a model: BM25 over names, titles, descriptions, parameters and
 * provenance, with English stems, names split into words, and words of related meaning. Tools score higher if the query
 * names all of their title, and lower if they read, create, update or delete and the query asks for another of these.
 * It supports only English; in other languages it finds exact words.
 *
 * It reads some thousand characters of each tool, and 2,000 of a query. The names of parameters make it realise the
 * schema of the arguments; one that cannot be read costs the tool those names only.
 *
 * @see S. Robertson and H. Zaragoza, The Probabilistic Relevance Framework: BM25 and Beyond, Foundations and Trends in
 * Information Retrieval 3 (2009), sections 3.5 and 3.6
 */
export class ToolIndex {
  #toolset: Toolset | undefined;
  readonly #held = new Map<string, Held>();
  readonly #names: string[] = [];
  readonly #actions: (Action | undefined)[] = [];
  readonly #postings: Postings = new Postings();

  /** How many tools are in the index. */
  get size(): number {
    return this.#held.size;
  }

  /**
   * Makes the index that of `tools`. Only what came, went or is another object than before is read;
   * with the toolset of the last time it costs nothing.
   */
  update(tools: Toolset): void {
    if (tools === this.#toolset) return;
    const gone: number[] = [];
    for (const [name, { tool, slot }] of this.#held) {
      if (tools.get(name) === tool) continue;
      gone.push(slot);
      this.#held.delete(name);
    }
    this.#postings.remove(gone);
    const stem = stemmer();
    for (const name of tools.callableNames()) {
      const tool = tools.get(name);
      if (tool === undefined || this.#held.has(name)) continue;
      const text = toolText(name, tool, stem);
      const slot = this.#postings.add(text);
      this.#actions[slot] = text.action;
      this.#names[slot] = name;
      this.#held.set(name, { tool, slot });
    }
    this.#toolset = tools;
  }

  /**
   * The tools that a query is about, best first; equals by name. A tool whose name is the query is
   * the first.
   *
   * @param query any text; what a person or model asked for does.
   * @param limit the most to give.
   * @param keep only tools of these names are given.
   */
  search(query: string, limit: number, keep?: (name: string) => boolean): readonly ToolMatch[] {
    return this.rank(query, limit, keep).matches;
  }

  /**
   * The matches of `search`, with the share of the query that they leave open.
   *
   * @internal
   */
  rank(query: string, limit: number, keep?: (name: string) => boolean): RankedMatches {
    const maxMatches = Math.floor(limit);
    if (!(maxMatches >= 1) || this.size === 0) return { matches: [], missing: 0, isName: false };
    const parsed = parseQuery(query);
    const { scores, missing } = scoreQuery(parsed, this.#postings);
    for (let slot = 0; slot < scores.length; slot++) {
      (scores[slot] as number) *= actionFactor(parsed.action, this.#actions[slot]);
    }
    const named = this.#held.get(query.trim());
    if (named !== undefined) (scores[named.slot] as number) += largest(scores) + 1;
    return {
      matches: bestMatches(this.#names, scores, maxMatches, keep),
      missing,
      isName: named !== undefined,
    };
  }
}
