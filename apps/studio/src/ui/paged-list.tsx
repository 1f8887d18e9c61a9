import type { ComponentChildren } from "preact";
import type { PagedResource } from "../api/paged-resource.ts";
import { ErrorState } from "./states.tsx";

/** The items of a list that is read page by page, with the button for the next page. */
export function PagedList<Item>(props: {
  pages: PagedResource<Item>;
  empty: ComponentChildren;
  children: (items: readonly Item[]) => ComponentChildren;
}) {
  const { items, error, isLoading, nextCursor } = props.pages.state.value;
  const isEmpty = items.length === 0;
  return (
    <>
      {error !== undefined && <ErrorState error={error} onRetry={() => props.pages.reload()} />}
      {isEmpty && isLoading && <p class="state muted">Loading…</p>}
      {isEmpty && !isLoading && error === undefined && props.empty}
      {!isEmpty && props.children(items)}
      {nextCursor !== undefined && (
        <button
          type="button"
          class="button more"
          disabled={isLoading}
          onClick={() => props.pages.more()}
        >
          {isLoading ? "Loading…" : "Load more"}
        </button>
      )}
    </>
  );
}
