import type { Awaitable, JsonValue } from "../json/json.ts";

/** A model that turns texts into vectors, so that tools are found by meaning and not only by words. */
export interface ToolEmbedder {
  /** The model and its version. Vectors of different ids are never compared. */
  readonly id: string;
  /**
   * Returns a vector for each text, in order, all of the same length. A call has at most 64 texts of at most 2,000
   * characters. If it rejects, the search uses words only and reports a warning.
   */
  embed(texts: readonly string[]): Promise<readonly (readonly number[])[]>;
}

/**
 * Stores vectors across processes, by the embedder's id and the hash of the text: `fileLists` of `@toolweave/stores` is
 * one. If it fails, vectors are computed again and a warning is reported.
 */
export interface VectorCache {
  /** Returns the value stored under this key; `undefined`: none. */
  get(key: string): Awaitable<JsonValue | undefined>;
  set(key: string, value: JsonValue): Awaitable<void>;
}
