import { useEffect, useMemo } from "preact/hooks";
import { signal, type ReadonlySignal } from "@preact/signals";
import { requestJson } from "./client.ts";
import type { ApiError } from "./problem.ts";
import { toApiError } from "./resource.ts";

/** A page of a list, as the API answers it. */
export interface Page<Item> {
  readonly items: readonly Item[];
  /** The `cursor` of the next page. Absent: this is the last one. */
  readonly nextCursor?: string;
}

/** The pages of a list that were read until now. */
interface PagedState<Item> {
  readonly items: readonly Item[];
  readonly nextCursor?: string;
  readonly error?: ApiError;
  readonly isLoading: boolean;
}

/** A list that is read page by page. */
export interface PagedResource<Item> {
  readonly state: ReadonlySignal<PagedState<Item>>;
  /** Reads the next page, if there is one and none is being read. */
  more(): void;
  /** Reads the first page again, and forgets the others. */
  reload(): void;
}

/** Reads the first page of a list while a component is displayed, and the next ones when it asks for them. */
export function usePages<Item>(path: string): PagedResource<Item> {
  const pages = useMemo(() => new Pages<Item>(path), [path]);
  useEffect(() => {
    pages.reload();
    return () => pages.cancel();
  }, [pages]);
  return pages;
}

class Pages<Item> implements PagedResource<Item> {
  readonly state = signal<PagedState<Item>>({ items: [], isLoading: true });
  readonly #path: string;
  #request: AbortController | undefined;

  constructor(path: string) {
    this.#path = path;
  }

  more(): void {
    const { nextCursor, isLoading } = this.state.peek();
    if (nextCursor !== undefined && !isLoading) void this.#read(nextCursor);
  }

  reload(): void {
    void this.#read(undefined);
  }

  cancel(): void {
    this.#request?.abort();
  }

  async #read(cursor: string | undefined): Promise<void> {
    this.cancel();
    const request = new AbortController();
    this.#request = request;
    const before = this.state.peek();
    this.state.value = { ...before, isLoading: true };
    const separator = this.#path.includes("?") ? "&" : "?";
    const query = cursor === undefined ? "" : `${separator}cursor=${encodeURIComponent(cursor)}`;
    try {
      const page = await requestJson<Page<Item>>(this.#path + query, { signal: request.signal });
      this.state.value = {
        items: cursor === undefined ? page.items : [...before.items, ...page.items],
        isLoading: false,
        ...(page.nextCursor === undefined ? {} : { nextCursor: page.nextCursor }),
      };
    } catch (error) {
      if (request.signal.aborted) return;
      this.state.value = { ...before, isLoading: false, error: toApiError(error) };
    }
  }
}
