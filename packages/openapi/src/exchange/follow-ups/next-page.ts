import { parseLinks } from "@toolweave/http/fields";
import { setOwn } from "../../document/record.ts";
import { text, type JsonObject, type JsonValue, type ToolOutput } from "@toolweave/core";
import { isPageName, isPageValue, toPageValue, type PageArguments } from "./page-arguments.ts";
import { findDeclaredNext, findNextInHeaders, type DeclaredNext } from "./declared-next.ts";

/** The parts of an answer that may point to another page. */
export interface PagedResponse {
  /** The URL of the request, without credentials. */
  readonly url: string;
  readonly link: string | undefined;
  /** Returns a header without credentials. */
  header(name: string): string | undefined;
  readonly value: JsonValue | undefined;
}

/** The differences between the next call and this one. */
export interface NextPage {
  readonly changed: JsonObject;
  readonly removed: readonly string[];
}

/**
 * Returns the changes to the arguments that read the next page: from the `Link` header, from a URL or a cursor in the
 * body, from page and offset with totals, or from other headers. Returns nothing if the operation has no such argument, if the page is at
 * another origin, or if it is the same page again.
 */
export function findNextPage(
  answer: PagedResponse,
  args: JsonObject,
  page: PageArguments,
): NextPage | undefined {
  const { link, value } = answer;
  const linked = link === undefined ? undefined : findNextLink(link);
  const found =
    (linked === undefined ? undefined : pageFromUrl(linked, answer, page)) ??
    toNextPage(findDeclaredNext(value, args, page), answer, page) ??
    toNextPage(findNextInHeaders(answer.header, page), answer, page);
  if (found === undefined) return undefined;
  const isNew =
    found.removed.length > 0 ||
    Object.entries(found.changed).some(([name, changed]) => args[name] !== changed);
  return isNew ? found : undefined;
}

function toNextPage(
  said: DeclaredNext | undefined,
  answer: PagedResponse,
  page: PageArguments,
): NextPage | undefined {
  if (said === undefined) return undefined;
  if ("url" in said) return pageFromUrl(said.url, answer, page);
  for (const name of said.names) {
    const argument = page.all.get(name);
    if (argument === undefined) continue;
    const sent = toPageValue(said.value, argument);
    if (sent !== undefined) return { changed: { [argument.argument]: sent }, removed: [] };
  }
  return undefined;
}

/** Returns the arguments that change the requested URL to this one. */
function pageFromUrl(
  next: string,
  { url }: PagedResponse,
  page: PageArguments,
): NextPage | undefined {
  const from = URL.parse(url);
  const to = URL.parse(next, url);
  if (from === null || to === null || to.origin !== from.origin) return undefined;
  if (to.username !== "" || to.password !== "") return undefined;
  const changed: Record<string, JsonValue> = {};
  for (const name of new Set(to.searchParams.keys())) {
    const values = to.searchParams.getAll(name);
    if (isSame(values, from.searchParams.getAll(name))) continue;
    const [value] = values;
    // A credential that was sent with the request and is redacted in the answer.
    if (value?.includes("[redacted]") === true) continue;
    const argument = page.query.get(name);
    if (argument === undefined || values.length !== 1 || !isPageValue(value)) return undefined;
    const sent = toPageValue(value, argument);
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
  // Some servers use another path for the same list: this is accepted if only the page changes and no argument is
  // removed.
  const isPage = [...page.query].some(
    ([name, { argument }]) => Object.hasOwn(changed, argument) && isPageName(name),
  );
  return isPage && removed.length === 0 ? { changed, removed } : undefined;
}

function isSame(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((value, index) => value === b[index]);
}

/**
 * Returns the target of `rel="next"` in a `Link` header (RFC 8288, section 3), as written there. Links with another
 * context (`anchor`) do not describe this answer.
 */
export function findNextLink(header: string): string | undefined {
  return parseLinks(header).find(({ parameters }) => {
    const isNext = parameters.get("rel")?.toLowerCase().split(/\s+/).includes("next") === true;
    // Sentry also links the page after the last one, with the note that it has no results.
    return isNext && !parameters.has("anchor") && parameters.get("results") !== "false";
  })?.value;
}

/** Maximum length of a next call; a model cannot be expected to repeat a longer cursor. */
const maxCallLength = 4000;

/** The call that reads the next page. */
export type NextCall = {
  readonly tool: string;
  readonly arguments: JsonObject;
};

/** Adds the next call to an output: as a line for the model, and as `details.next` for the host. */
export function withNextCall(
  output: ToolOutput,
  { changed, removed }: NextPage,
  tool: string,
  args: JsonObject,
): ToolOutput {
  const rest = Object.fromEntries(Object.entries(args).filter(([name]) => !removed.includes(name)));
  const next: NextCall = { tool, arguments: { ...rest, ...changed } };
  if (JSON.stringify(next).length > maxCallLength) return output;
  const what = Object.entries(changed).map(
    ([name, value]) => `${JSON.stringify(name)}: ${JSON.stringify(value)}`,
  );
  const without =
    removed.length === 0
      ? ""
      : `, without ${removed.map((name) => JSON.stringify(name)).join(", ")}`;
  return {
    ...output,
    content: [
      ...output.content,
      text(`[more: call ${tool} again with ${what.join(", ")}${without}, the rest as it was]`),
    ],
    details: { ...(output.details as JsonObject | undefined), next },
  };
}

/** Returns the next call of an output. */
export function getNextCall(details: JsonValue | undefined): NextCall | undefined {
  if (typeof details !== "object" || details === null || Array.isArray(details)) return undefined;
  const next = (details as JsonObject)["next"];
  return next === undefined ? undefined : (next as NextCall);
}
