import { computed, signal } from "@preact/signals";
import { matchRoute } from "./routes.ts";

interface PageLocation {
  readonly path: string;
  readonly query: URLSearchParams;
}

function readLocation(): PageLocation {
  return { path: location.pathname, query: new URLSearchParams(location.search) };
}

/** The address of the page. */
const pageLocation = signal<PageLocation>({ path: "/", query: new URLSearchParams() });

/** The screen of the address; `undefined`: there is none. */
export const route = computed(() => matchRoute(pageLocation.value.path));

/** Follows the address of the browser, from now on. */
export function startNavigation(): void {
  pageLocation.value = readLocation();
  addEventListener("popstate", () => {
    pageLocation.value = readLocation();
  });
}

/** Goes to another address of the page. */
export function navigate(href: string): void {
  history.pushState(null, "", href);
  pageLocation.value = readLocation();
}

/** A member of the query. */
export function queryValue(name: string): string {
  return pageLocation.value.query.get(name) ?? "";
}

/** Changes members of the query in place: no new entry of the history. An empty value removes a member. */
export function setQuery(changes: Readonly<Record<string, string>>): void {
  const query = new URLSearchParams(location.search);
  for (const [name, value] of Object.entries(changes)) {
    if (value === "") query.delete(name);
    else query.set(name, value);
  }
  const text = query.toString();
  history.replaceState(history.state, "", location.pathname + (text === "" ? "" : `?${text}`));
  pageLocation.value = readLocation();
}
