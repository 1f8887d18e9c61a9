/** Lets one piece of work on a path happen at a time, in order. */
export class PathMutex {
  readonly #last = new Map<string, Promise<unknown>>();

  /**
   * Calls `work` after all earlier work on the path has ended.
   *
   * @param path the absolute path without links.
   */
  async run<Result>(path: string, work: () => Promise<Result>): Promise<Result> {
    const result = (this.#last.get(path) ?? Promise.resolve()).then(work);
    const ended = result.then(
      () => {},
      () => {},
    );
    this.#last.set(path, ended);
    try {
      return await result;
    } finally {
      if (this.#last.get(path) === ended) this.#last.delete(path);
    }
  }
}
