/** Lists that clients are notified of. */
export type ListKind = "tools" | "resources" | "prompts";

/** Listener for changes. */
export interface ChangeListener {
  onListChanged(kind: ListKind): void;
  onResourceUpdated(uri: string): void;
}

/** Milliseconds in which changes are coalesced: a client then reads the full list again. */
const windowMs = 50;

/** Notifies all clients of changes, each kind at most once per interval. */
export class ListChanges {
  readonly #listeners = new Set<ChangeListener>();
  readonly #kinds = new Set<ListKind>();
  readonly #uris = new Set<string>();
  #timer: ReturnType<typeof setTimeout> | undefined;

  /** Adds a listener; returns a function that removes it. */
  listen(listener: ChangeListener): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  listChanged(kind: ListKind): void {
    this.#kinds.add(kind);
    this.#schedule();
  }

  resourceUpdated(uri: string): void {
    this.#uris.add(uri);
    this.#schedule();
  }

  close(): void {
    clearTimeout(this.#timer);
    this.#listeners.clear();
  }

  #schedule(): void {
    if (this.#listeners.size === 0) {
      this.#kinds.clear();
      this.#uris.clear();
      return;
    }
    this.#timer ??= setTimeout(() => this.#notify(), windowMs);
  }

  #notify(): void {
    this.#timer = undefined;
    const kinds = [...this.#kinds];
    const uris = [...this.#uris];
    this.#kinds.clear();
    this.#uris.clear();
    for (const listener of this.#listeners) {
      for (const kind of kinds) listener.onListChanged(kind);
      for (const uri of uris) listener.onResourceUpdated(uri);
    }
  }
}
