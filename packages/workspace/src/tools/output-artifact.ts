import type { ArtifactWriter } from "@toolweave/core/adapter";
import type { ArtifactRef } from "@toolweave/core";

/** Bytes of an output that are stored. A longer one is a flood that no model reads. */
const maxStoredBytes = 4 * 1024 * 1024;

/** The stored part of an output. */
export interface StoredOutput {
  /** Undefined: the output was short, or could not be stored. */
  readonly artifact: ArtifactRef | undefined;
  /** Only the beginning is stored. */
  readonly isCut: boolean;
}

/** Stores the output of a command as an artifact, if it is longer than a model receives: while it comes, so that little of it is in memory. */
export class OutputArtifact {
  readonly #artifacts: ArtifactWriter;
  readonly #threshold: number;
  /** Chunks that were not taken yet. */
  #chunks: Buffer[] = [];
  #length = 0;
  #stored: Promise<ArtifactRef | undefined> | undefined;
  #isOver = false;
  #wake: (() => void) | undefined;
  #taken: (() => void) | undefined;

  constructor(artifacts: ArtifactWriter, threshold: number) {
    this.#artifacts = artifacts;
    this.#threshold = threshold;
  }

  /** Adds a part of the output, of which it keeps a copy. While the returned promise is pending, the store is slower than the command. */
  add(chunk: Buffer): void | Promise<void> {
    // The store has failed, or takes no more.
    if (this.#isOver || this.#length > maxStoredBytes) return undefined;
    this.#chunks.push(Buffer.from(chunk.subarray(0, maxStoredBytes - this.#length)));
    this.#length += chunk.length;
    if (this.#length <= this.#threshold) return undefined;
    this.#stored ??= this.#store();
    this.#wake?.();
    return new Promise((resolve) => (this.#taken = resolve));
  }

  /** Ends the output. */
  async end(): Promise<StoredOutput> {
    this.#isOver = true;
    this.#wake?.();
    return { artifact: await this.#stored, isCut: this.#length > maxStoredBytes };
  }

  async #store(): Promise<ArtifactRef | undefined> {
    try {
      return await this.#artifacts.write(this.#stream(), {
        mediaType: "text/plain",
        name: "output.txt",
      });
    } catch {
      // The beginning and the end are in the result.
      return undefined;
    } finally {
      this.#isOver = true;
      this.#taken?.();
    }
  }

  async *#stream(): AsyncGenerator<Uint8Array> {
    for (;;) {
      const chunks = this.#chunks;
      this.#chunks = [];
      yield* chunks;
      this.#taken?.();
      this.#taken = undefined;
      if (this.#chunks.length > 0) continue;
      if (this.#isOver) return;
      await new Promise<void>((resolve) => (this.#wake = resolve));
    }
  }
}
