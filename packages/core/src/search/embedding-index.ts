import type { Tool, Toolset } from "../contract/tool.ts";
import { sha256 } from "../json/canonical-json.ts";
import { toErrorMessage } from "../contract/error-message.ts";
import { formatValue } from "../text/format-value.ts";
import { similarity, StoredVectors, toVector, type Vector } from "./stored-vectors.ts";
import type { ToolEmbedder, VectorCache } from "./tool-embedder.ts";
import { bestMatches, type ToolMatch } from "./tool-match.ts";
import { embeddedText } from "./tool-text.ts";

const batchSize = 64;
const maxQueryLength = 2000;

interface Embedded {
  readonly tool: Tool;
  readonly hash: string;
}

/** The vectors of tools, in memory and in a cache. */
export class EmbeddingIndex {
  readonly #embedder: ToolEmbedder;
  readonly #stored: StoredVectors | undefined;
  #toolset: Toolset | undefined;
  #tools: ReadonlyMap<string, Embedded> = new Map();
  /** By hash. */
  #vectors = new Map<string, Vector>();
  #updates: Promise<unknown> = Promise.resolve();

  constructor(embedder: ToolEmbedder, cache: VectorCache | undefined) {
    this.#embedder = embedder;
    this.#stored = cache === undefined ? undefined : new StoredVectors(cache, embedder.id);
  }

  /**
   * Embeds the tools that are new or have changed; those that were embedded before an error are not embedded again.
   *
   * @param warn gets an error of the cache, which does not fail the update.
   * @throws the error of the embedder; TypeError for invalid vectors.
   */
  update(tools: Toolset, warn: (message: string) => void): Promise<void> {
    const update = this.#updates.then(() => this.#update(tools, warn));
    this.#updates = update.catch(() => {});
    return update;
  }

  /** The tools whose vectors are the most similar to that of the query. */
  async rank(
    query: string,
    limit: number,
    keep: (name: string) => boolean,
  ): Promise<readonly ToolMatch[]> {
    const [vector] = await this.#embed([query.slice(0, maxQueryLength)]);
    const names: string[] = [];
    const scores: number[] = [];
    for (const [name, { hash }] of this.#tools) {
      const other = this.#vectors.get(hash) as Vector;
      if (other.values.length !== vector?.values.length) {
        throw new TypeError(
          `its vectors have ${vector?.values.length} and ${other.values.length} numbers: use another id for another model`,
        );
      }
      names.push(name);
      scores.push(similarity(vector, other));
    }
    return bestMatches(names, scores, limit, keep);
  }

  async #update(tools: Toolset, warn: (message: string) => void): Promise<void> {
    if (tools === this.#toolset) return;
    const embedded = new Map<string, Embedded>();
    const missing = new Map<string, string>();
    for (const name of tools.names()) {
      const tool = tools.get(name);
      if (tool === undefined) continue;
      const known = this.#tools.get(name);
      if (known?.tool === tool) {
        embedded.set(name, known);
        continue;
      }
      const text = embeddedText(name, tool);
      const hash = await sha256(text);
      embedded.set(name, { tool, hash });
      if (!this.#vectors.has(hash)) missing.set(hash, text);
    }
    await this.#embedMissing(missing, warn);
    const used = new Set(Array.from(embedded.values(), ({ hash }) => hash));
    this.#vectors = new Map(Array.from(this.#vectors).filter(([hash]) => used.has(hash)));
    this.#tools = embedded;
    this.#toolset = tools;
  }

  /** @param missing texts by hash. */
  async #embedMissing(
    missing: Map<string, string>,
    warn: (message: string) => void,
  ): Promise<void> {
    if (missing.size === 0) return;
    const read = await this.#tryCache(async (stored) => stored.read([...missing.keys()]), warn);
    for (const [hash, vector] of read ?? []) {
      this.#vectors.set(hash, vector);
      missing.delete(hash);
    }
    const rest = [...missing];
    const made = new Map<string, Vector>();
    try {
      for (let start = 0; start < rest.length; start += batchSize) {
        const batch = rest.slice(start, start + batchSize);
        const vectors = await this.#embed(batch.map(([, text]) => text));
        for (const [place, [hash]] of batch.entries()) made.set(hash, vectors[place] as Vector);
      }
    } finally {
      for (const [hash, vector] of made) this.#vectors.set(hash, vector);
      if (made.size > 0) await this.#tryCache((stored) => stored.add(made), warn);
    }
  }

  async #tryCache<T>(
    work: (stored: StoredVectors) => Promise<T>,
    warn: (message: string) => void,
  ): Promise<T | undefined> {
    try {
      return this.#stored === undefined ? undefined : await work(this.#stored);
    } catch (error) {
      warn(`The cache of vectors failed: ${toReason(error)}. Vectors are computed again.`);
      return undefined;
    }
  }

  async #embed(texts: readonly string[]): Promise<readonly Vector[]> {
    const vectors: unknown = await this.#embedder.embed(texts);
    if (!Array.isArray(vectors) || vectors.length !== texts.length) {
      const count = Array.isArray(vectors) ? `${vectors.length} vectors` : formatValue(vectors);
      throw new TypeError(`it returned ${count} for ${texts.length} texts`);
    }
    return vectors.map((vector: readonly number[]) => toVector(vector));
  }
}

/** The message of a thrown value as a part of a sentence. */
export function toReason(thrown: unknown): string {
  return toErrorMessage(thrown).slice(0, 300).replace(/\.+$/, "");
}
