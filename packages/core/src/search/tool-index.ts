import type { Toolset, Tool } from "../contract/tool.ts";
import { compareNames } from "../contract/tool-names.ts";
import { Postings } from "./postings.ts";
import { actionFactor, type Action } from "./actions.ts";
import { largest, parseQuery, scoreQuery } from "./query.ts";
import { toolText } from "./tool-text.ts";
import { stemmer } from "./words.ts";

/** A tool that was found. */
export interface ToolMatch {
  readonly name: string;
  /** Above 0, and comparable within one search only. */
  readonly score: number;
}

interface Held {
  readonly tool: Tool;
  readonly slot: number;
}

/** The best matches of a query. */
export interface RankedMatches {
  readonly matches: readonly ToolMatch[];
  /** The share of the query that no tool has in its words: 0 to 1. 0 if the query is the name of a tool. */
  readonly missing: number;
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
    for (const name of tools.names()) {
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
    if (!(maxMatches >= 1) || this.size === 0) return { matches: [], missing: 0 };
    const parsed = parseQuery(query);
    const { scores, missing } = scoreQuery(parsed, this.#postings);
    for (let slot = 0; slot < scores.length; slot++) {
      (scores[slot] as number) *= actionFactor(parsed.action, this.#actions[slot]);
    }
    const named = this.#held.get(query.trim());
    if (named !== undefined) (scores[named.slot] as number) += largest(scores) + 1;
    return {
      matches: this.#best(scores, maxMatches, keep),
      missing: named === undefined ? missing : 0,
    };
  }

  #best(scores: Float64Array, most: number, keep?: (name: string) => boolean): ToolMatch[] {
    const best: ToolMatch[] = [];
    let least = 0;
    for (let slot = 0; slot < scores.length; slot++) {
      const score = scores[slot] as number;
      if (score <= 0 || score < least) continue;
      const match = { name: this.#names[slot] as string, score };
      const last = best.length < most ? undefined : best.at(-1);
      if (last !== undefined && isBefore(last, match)) continue;
      if (keep !== undefined && !keep(match.name)) continue;
      best.splice(placeOf(match, best), 0, match);
      if (best.length > most) best.pop();
      if (best.length === most) least = (best.at(-1) as ToolMatch).score;
    }
    return best;
  }
}

function isBefore(a: ToolMatch, b: ToolMatch): boolean {
  return a.score > b.score || (a.score === b.score && compareNames(a.name, b.name) < 0);
}

/** Where it belongs in a sorted list, by halving. */
function placeOf(match: ToolMatch, sorted: readonly ToolMatch[]): number {
  let from = 0;
  let to = sorted.length;
  while (from < to) {
    const middle = (from + to) >> 1;
    if (isBefore(sorted[middle] as ToolMatch, match)) from = middle + 1;
    else to = middle;
  }
  return from;
}
