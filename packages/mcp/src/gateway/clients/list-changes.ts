/** What a client can be told of. */
export type ListKind = "tools" | "resources" | "prompts";

/** Somebody who hears of changes. */
export interface ChangeListener {
  listChanged(kind: ListKind): void;
  resourceUpdated(uri: string): void;
}

/** Milliseconds in which changes are one: whoever is told reads a whole list anew. */
const windowMs = 50;

/** Tells all clients of changes, each kind at most once in a while however many there are. */
export class ListChanges {
  readonly #listeners = new Set<ChangeListener>();
  readonly #kinds = new Set<ListKind>();
  readonly #uris = new Set<string>();
  #timer: ReturnType<typeof setTimeout> | undefined;

  /** Returns what ends it. */
  listen(listener: ChangeListener): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  listChanged(kind: ListKind): void {
    this.#kinds.add(kind);
    this.#soon();
  }

  resourceUpdated(uri: string): void {
    this.#uris.add(uri);
    this.#soon();
  }

  close(): void {
    clearTimeout(this.#timer);
    this.#listeners.clear();
  }

  #soon(): void {
    if (this.#listeners.size === 0) {
      this.#kinds.clear();
      this.#uris.clear();
      return;
    }
    this.#timer ??= setTimeout(() => this.#tell(), windowMs);
  }

  #tell(): void {
    this.#timer = undefined;
    const kinds = [...this.#kinds];
    const uris = [...this.#uris];
    this.#kinds.clear();
    this.#uris.clear();
    for (const listener of this.#listeners) {
      for (const kind of kinds) listener.listChanged(kind);
      for (const uri of uris) listener.resourceUpdated(uri);
    }
  }
}
