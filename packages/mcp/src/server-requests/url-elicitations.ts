/** People who are at a page at once, of one server's. */
const maxPages = 1_000;

/** The pages that people were sent to, and that a server will say they are done with. */
export class UrlElicitations {
  readonly #waiting = new Map<
    string,
    { readonly completed: Promise<void>; readonly done: () => void }
  >();

  /** Resolves when the server says that the person is done at the page that it gave this id. */
  whenCompleted(id: string): Promise<void> {
    const known = this.#waiting.get(id);
    if (known !== undefined) return known.completed;
    let done = (): void => {};
    const completed = new Promise<void>((resolve) => (done = resolve));
    this.#waiting.set(id, { completed, done });
    const [oldest = id] = this.#waiting.keys();
    if (this.#waiting.size > maxPages) this.#waiting.delete(oldest);
    return completed;
  }

  /** The server says so. */
  complete(id: unknown): void {
    if (typeof id !== "string") return;
    this.#waiting.get(id)?.done();
    this.#waiting.delete(id);
  }
}
