import type { Toolset } from "../contract/tool.ts";
import { EmbeddingIndex, toReason } from "./embedding-index.ts";
import type { ToolEmbedder, VectorCache } from "./tool-embedder.ts";
import { ToolIndex } from "./tool-index.ts";
import { bestMatches, type ToolMatch } from "./tool-match.ts";

/** The best of each ranking that are fused. */
const maxCandidates = 50;
/** How slowly the worth of a rank falls. */
const rankConstant = 10;
/** The weight of meaning if a tool has all words of the query. */
const minMeaning = 0.2;

/** The result of a search by words and meaning. */
export interface HybridMatches {
  /** Best first. */
  readonly matches: readonly ToolMatch[];
  /** Errors of the embedder and of the cache: with an error of the embedder, the matches are those of words only. */
  readonly warnings: readonly string[];
}

/**
 * Finds tools by words, as `ToolIndex` does, and by meaning, with an embedding model. The two rankings are fused by
 * reciprocal rank. The more words of the query no tool has, the more meaning counts.
 *
 * The names, titles and descriptions of all tools, and each query that is not the name of a tool, are given to the
 * embedder. If it fails, words alone decide.
 *
 * @see G. Cormack, C. Clarke, S. Büttcher, Reciprocal Rank Fusion outperforms Condorcet and individual Rank Learning
 * Methods, SIGIR 2009
 */
export class HybridToolIndex {
  readonly #words: ToolIndex = new ToolIndex();
  readonly #meanings: EmbeddingIndex;
  readonly #embedder: ToolEmbedder;
  #toolset: Toolset | undefined;

  /** @param cache stores the vectors of tools across processes. Default: none; each process embeds each tool once. */
  constructor(embedder: ToolEmbedder, cache?: VectorCache) {
    this.#embedder = embedder;
    this.#meanings = new EmbeddingIndex(embedder, cache);
  }

  /** Makes the index that of `tools`. The next search embeds what is new or has changed. */
  update(tools: Toolset): void {
    this.#words.update(tools);
    this.#toolset = tools;
  }

  /**
   * The tools that a query is about, best first; equals by name. A tool whose name is the query is the first.
   *
   * @param limit the maximum number of matches.
   * @param keep only tools of these names are returned. Default: all.
   */
  async search(
    query: string,
    limit: number,
    keep: (name: string) => boolean = () => true,
  ): Promise<HybridMatches> {
    const maxMatches = Math.floor(limit);
    if (!(maxMatches >= 1) || this.#toolset === undefined || query.trim() === "") {
      return { matches: [], warnings: [] };
    }
    const candidates = Math.max(maxMatches, maxCandidates);
    const { matches, missing, isName } = this.#words.rank(query, candidates, keep);
    if (isName) return { matches: matches.slice(0, maxMatches), warnings: [] };
    const warnings: string[] = [];
    try {
      await this.#meanings.update(this.#toolset, (warning) => warnings.push(warning));
      const similar = await this.#meanings.rank(query, candidates, keep);
      const weight = Math.max(minMeaning, Math.sqrt(missing));
      return { matches: fuse(matches, similar, weight, maxMatches), warnings };
    } catch (error) {
      warnings.push(
        `The embedder ${this.#embedder.id} failed: ${toReason(error)}. The search used words only.`,
      );
      return { matches: matches.slice(0, maxMatches), warnings };
    }
  }
}

function fuse(
  words: readonly ToolMatch[],
  meanings: readonly ToolMatch[],
  weight: number,
  limit: number,
): readonly ToolMatch[] {
  const scores = new Map<string, number>();
  const add = (ranking: readonly ToolMatch[], factor: number): void => {
    for (const [rank, { name }] of ranking.entries()) {
      scores.set(name, (scores.get(name) ?? 0) + factor / (rankConstant + rank + 1));
    }
  };
  add(words, 1);
  add(meanings, weight);
  return bestMatches([...scores.keys()], [...scores.values()], limit);
}
