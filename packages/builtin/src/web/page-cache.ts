/** A page that was read, as text. */
export interface FetchedPage {
  readonly url: string;
  readonly status: number;
  readonly mediaType: string;
  /** Empty: it has none. */
  readonly title: string;
  readonly text: string;
  /** The rest was not read. */
  readonly isCut: boolean;
  /** Lines for the end of each part, such as a count of all that was left out. */
  readonly notes: readonly string[];
}

const maxPages = 20;
const lifetimeMs = 900_000;

/** The last pages, in which a model can read on without another request. */
export class PageCache {
  readonly #pages = new Map<string, { readonly page: FetchedPage; readonly until: number }>();

  /** @param now milliseconds since the epoch. */
  get(key: string, now: number): FetchedPage | undefined {
    const found = this.#pages.get(key);
    return found !== undefined && found.until > now ? found.page : undefined;
  }

  set(key: string, page: FetchedPage, now: number): void {
    this.#pages.delete(key);
    this.#pages.set(key, { page, until: now + lifetimeMs });
    const [oldest] = this.#pages.keys();
    if (this.#pages.size > maxPages && oldest !== undefined) this.#pages.delete(oldest);
  }
}
