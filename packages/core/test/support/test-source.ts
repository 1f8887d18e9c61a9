import type { Tool, ToolSource } from "@toolweave/core";
import type { SourceProblem } from "@toolweave/core/adapter";

/** A source whose every step a test decides. */
export class TestSource implements ToolSource {
  readonly id: string;
  readonly ready: Promise<void>;
  problems: readonly SourceProblem[] = [];
  readonly trustAnnotations: boolean;
  closed = 0;
  #tools: readonly Tool[];
  readonly #listeners = new Set<() => void>();
  /** Completes the load. */
  load: (tools?: readonly Tool[]) => void = () => {};
  /** Rejects the load. */
  fail: (error: unknown) => void = () => {};

  constructor(
    id: string,
    tools: readonly Tool[] = [],
    options: { readonly loading?: boolean; readonly trusted?: boolean } = {},
  ) {
    this.id = id;
    this.#tools = tools;
    this.trustAnnotations = options.trusted ?? false;
    this.ready =
      options.loading === true
        ? new Promise((resolve, reject) => {
            this.load = (loaded = tools) => {
              this.#tools = loaded;
              resolve();
            };
            this.fail = reject;
          })
        : Promise.resolve();
    this.ready.catch(() => {});
  }

  /** The number of listeners. */
  get listeners(): number {
    return this.#listeners.size;
  }

  tools(): readonly Tool[] {
    return this.#tools;
  }

  /** Changes the tools and notifies listeners. */
  set(...tools: readonly Tool[]): void {
    this.#tools = tools;
    for (const listener of this.#listeners) listener();
  }

  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  async close(): Promise<void> {
    this.closed += 1;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}
