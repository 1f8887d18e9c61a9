import type { JsonObject, ToolContext } from "@toolweave/core";
import { isObject, type Cancellation } from "@toolweave/core/adapter";
import type { OnBehalf, Requester } from "../connection/requester.ts";
import { measureDefinition } from "../schema/measure-definition.ts";

/** More pages than any real list has: a server may return pages without end. */
const maxPages = 1_000;

/** Maximum number of entries of one list. */
const maxEntries = 20_000;

/** Maximum number of characters of all entries together. */
const maxCharacters = 50_000_000;

/** A list of the server other than its tools. */
export type ListName = "resources" | "resourceTemplates" | "prompts";

const methods: Readonly<Record<ListName, string>> = {
  resources: "resources/list",
  resourceTemplates: "resources/templates/list",
  prompts: "prompts/list",
};

/** A part of a list. */
export interface ListPage {
  readonly entries: readonly JsonObject[];
  /** Cursor of the next part; absent: this was the last. */
  readonly nextCursor?: string;
}

/**
 * Requests pages of a list until there are `limit` entries, or a cursor repeats: 20,000 entries, 1,000 pages and
 * 50,000,000 characters at most. Entries that are not objects, too deep or too large are omitted.
 *
 * @param from Cursor of the first page. Default: the beginning.
 */
export async function listPages(
  host: Requester,
  on: ToolContext | OnBehalf,
  list: ListName,
  signal: Cancellation,
  limit: number = maxEntries,
  from?: string,
): Promise<ListPage> {
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
        if (!isObject(entry) || entries.length >= maxEntries) continue;
        const size = measureDefinition(entry);
        if ("fault" in size || characters + size.characters > maxCharacters) continue;
        characters += size.characters;
        entries.push(entry);
      }
    }
    cursor = typeof nextCursor === "string" ? nextCursor : undefined;
  } while (
    cursor !== undefined &&
    !cursors.has(cursor) &&
    entries.length < Math.min(limit, maxEntries) &&
    characters < maxCharacters &&
    cursors.size < maxPages
  );
  if (cursor === undefined || cursors.has(cursor)) return { entries };
  return { entries, nextCursor: cursor };
}
