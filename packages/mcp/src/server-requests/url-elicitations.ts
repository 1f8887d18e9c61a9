/** People who are at a page at once, of one server's. */
const mostPages = 1_000;

/** The pages that people were sent to, and that a server will say they are done with. */
export class Pages {
  readonly #waiting = new Map<
    string,
    { readonly completed: Promise<void>; readonly done: () => void }
  >();

  /** Resolves when the server says that the person is done at the page that it gave this id. */
  completed(id: string): Promise<void> {
    const known = this.#waiting.get(id);
    if (known !== undefined) return known.completed;
    let done = (): void => {};
    const completed = new Promise<void>((resolve) => (done = resolve));
    this.#waiting.set(id, { completed, done });
    const [oldest = id] = this.#waiting.keys();
    if (this.#waiting.size > mostPages) this.#waiting.delete(oldest);
    return completed;
  }

  /** The server says so. */
  done(id: unknown): void {
    if (typeof id !== "string") return;
    this.#waiting.get(id)?.done();
    this.#waiting.delete(id);
  }
}
