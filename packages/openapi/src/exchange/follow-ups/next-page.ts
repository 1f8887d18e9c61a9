import { setOwn } from "../../document/record.ts";
import type { JsonObject, JsonValue } from "@toolweave/core";
import { nextLink } from "./link-header.ts";
import { isPageName, isPageValue, pageValue, type PageArguments } from "./page-arguments.ts";
import { bodyNext } from "./page-patterns.ts";

/** An answer, as far as it may speak of another page. */
export interface PagedAnswer {
  /** The address that was asked, without credentials. */
  readonly url: string;
  readonly link: string | undefined;
  readonly value: JsonValue | undefined;
}

/** How the next call differs from this one. */
export interface NextPage {
  readonly changed: JsonObject;
  readonly removed: readonly string[];
}

/**
 * What to call the operation with for the next page: from the `Link` header, a URL or a cursor in the body, page and
 * offset beside totals. Nothing where the operation takes no such argument, where the page is at another origin, or
 * where it would be this one again.
 */
export function nextPage(
  answer: PagedAnswer,
  args: JsonObject,
  page: PageArguments,
): NextPage | undefined {
  const { link, value } = answer;
  const linked = link === undefined ? undefined : nextLink(link);
  const found =
    (linked === undefined ? undefined : fromUrl(linked, answer, page)) ??
    inBody(value, answer, args, page);
  if (found === undefined) return undefined;
  const isNew =
    found.removed.length > 0 ||
    Object.entries(found.changed).some(([name, changed]) => args[name] !== changed);
  return isNew ? found : undefined;
}

function inBody(
  value: JsonValue | undefined,
  answer: PagedAnswer,
  args: JsonObject,
  page: PageArguments,
): NextPage | undefined {
  const said = bodyNext(value, args, page);
  if (said === undefined) return undefined;
  if ("url" in said) return fromUrl(said.url, answer, page);
  for (const name of said.names) {
    const argument = page.all.get(name);
    if (argument === undefined) continue;
    const sent = pageValue(said.value, argument);
    if (sent !== undefined) return { changed: { [argument.argument]: sent }, removed: [] };
  }
  return undefined;
}

/** The arguments that make this address of the one that was asked. */
function fromUrl(next: string, { url }: PagedAnswer, page: PageArguments): NextPage | undefined {
  const from = URL.parse(url);
  const to = URL.parse(next, url);
  if (from === null || to === null || to.origin !== from.origin) return undefined;
  if (to.username !== "" || to.password !== "") return undefined;
  const changed: Record<string, JsonValue> = {};
  for (const name of new Set(to.searchParams.keys())) {
    const values = to.searchParams.getAll(name);
    if (isSame(values, from.searchParams.getAll(name))) continue;
    const [value] = values;
    // A credential that went with the request, and came back in its place.
    if (value?.includes("[redacted]") === true) continue;
    const argument = page.query.get(name);
    if (argument === undefined || values.length !== 1 || !isPageValue(value)) return undefined;
    const sent = pageValue(value, argument);
    if (sent === undefined) return undefined;
    setOwn(changed, argument.argument, sent);
  }
  const removed: string[] = [];
  for (const name of new Set(from.searchParams.keys())) {
    if (to.searchParams.has(name)) continue;
    const argument = page.query.get(name);
    if (argument === undefined || argument.required) return undefined;
    removed.push(argument.argument);
  }
  if (to.pathname === from.pathname) return { changed, removed };
  // Some servers name the same thing by another path: what changes is the page, and nothing is lost.
  const isPage = [...page.query].some(
    ([name, { argument }]) => Object.hasOwn(changed, argument) && isPageName(name),
  );
  return isPage && removed.length === 0 ? { changed, removed } : undefined;
}

function isSame(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((value, index) => value === b[index]);
}
