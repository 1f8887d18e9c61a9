import type { Cancellation, JsonObject, ToolContext } from "@toolweave/core";
import type { OnBehalf, Requester } from "../connection/requester.ts";
import { measureDefinition } from "../schema/definition-budget.ts";
import { isObject } from "../schema/schema-keywords.ts";

/** More pages than any real list has: a server may go on without end. */
const mostPages = 1_000;

/** What is taken of one list. */
const mostEntries = 20_000;

/** Of all entries together: what a process can hold and look through. */
const mostCharacters = 50_000_000;

/** A list that a server has beside its tools. */
export type ListName = "resources" | "resourceTemplates" | "prompts";

const methods: Readonly<Record<ListName, string>> = {
  resources: "resources/list",
  resourceTemplates: "resources/templates/list",
  prompts: "prompts/list",
};

/** A part of a list. */
export interface ListedPage {
  readonly entries: readonly JsonObject[];
  /** Where the next part begins; absent: this was the last. */
  readonly nextCursor?: string;
}

/**
 * Page after page of a list, until there are `most` entries, or a page is one that has been there: 20,000 entries, 1,000
 * pages and 50,000,000 characters at most. What is no object, too deep or too large is left out.
 *
 * @param from where it begins. Default: at the beginning.
 */
export async function listPages(
  host: Requester,
  on: ToolContext | OnBehalf,
  list: ListName,
  signal: Cancellation,
  most: number = mostEntries,
  from?: string,
): Promise<ListedPage> {
  const entries: JsonObject[] = [];
  const cursors = new Set<string | undefined>();
  let characters = 0;
  let cursor = from;
  do {
    cursors.add(cursor);
    const params = cursor === undefined ? {} : { cursor };
    const answer = await host.request(methods[list], params, { signal }, on);
    const { [list]: page, nextCursor } = isObject(answer) ? answer : {};
    if (Array.isArray(page)) {
      for (const entry of page as readonly unknown[]) {
        if (!isObject(entry) || entries.length >= mostEntries) continue;
        const size = measureDefinition(entry);
        if ("fault" in size || characters + size.characters > mostCharacters) continue;
        characters += size.characters;
        entries.push(entry);
      }
    }
    cursor = typeof nextCursor === "string" ? nextCursor : undefined;
  } while (
    cursor !== undefined &&
    !cursors.has(cursor) &&
    entries.length < Math.min(most, mostEntries) &&
    characters < mostCharacters &&
    cursors.size < mostPages
  );
  if (cursor === undefined || cursors.has(cursor)) return { entries };
  return { entries, nextCursor: cursor };
}
