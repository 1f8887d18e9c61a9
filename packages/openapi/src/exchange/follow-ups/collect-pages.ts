import {
  text,
  type ContentBlock,
  type JsonObject,
  type JsonValue,
  type ToolContext,
  type ToolError,
  type ToolOutput,
} from "@toolweave/core";
import { canonicalJson, stringifyExact } from "@toolweave/core/adapter";
import { findList } from "./declared-next.ts";
import { getNextCall, type NextCall } from "./next-page.ts";

/** The limits of a call that collects pages. */
export interface PageCollection {
  /** Maximum number of pages, including the first. */
  readonly maxPages: number;
  /** Number of items after which no further page is requested. Default: no limit. */
  readonly maxItems?: number;
}

/**
 * Calls that read a page for another call: they do not collect pages themselves. The key includes the run, because ids
 * are unique in it.
 */
const pageCalls = new Set<string>();

/** Returns true for a call that `collectPages` makes. */
export function isPageCall({ runId, callId }: Pick<ToolContext, "runId" | "callId">): boolean {
  return pageCalls.size > 0 && pageCalls.has(`${runId} ${callId}`);
}

/**
 * Collects the first page and the pages after it in one list. Each further page is read by a call of its own, under the
 * same policy, rate limits and budgets. Collection ends at the limit, at the last page, at a page that was already
 * read, and at a failed one, which makes the whole result an error that contains the collected items.
 *
 * @param args the arguments of the call that read the first page.
 */
export async function collectPages(
  first: ToolOutput,
  { maxPages, maxItems = Infinity }: PageCollection,
  ctx: Pick<ToolContext, "runId" | "callId" | "scope" | "progress">,
  args: JsonObject,
): Promise<ToolOutput> {
  const start = findList(first.value);
  let next = getNextCall(first.details);
  if (start === undefined || next === undefined || first.isError === true) return first;
  const { member } = start;
  const items = [...start.items];
  const asked = new Set([canonicalJson(args)]);
  let last = first.value;
  let pages = 1;
  let stopped: { readonly why: string; readonly error?: ToolError } | undefined;

  while (next !== undefined && pages < maxPages && items.length < maxItems) {
    const key = canonicalJson(next.arguments);
    if (asked.has(key)) {
      stopped = { why: "the API's next page was already read" };
      next = undefined;
      break;
    }
    asked.add(key);
    const page = await readPage(next, pages + 1, ctx);
    const list = page.result === undefined ? undefined : findList(page.result.value);
    if (page.result === undefined || list?.member !== member) {
      const why = page.why ?? "its answer does not have the same list";
      stopped = { why: `page ${pages + 1} could not be read: ${why}`, ...page.failure };
      break;
    }
    pages += 1;
    // The list may be longer than the maximum number of arguments of a function.
    for (const item of list.items) items.push(item);
    last = page.result.value;
    next = getNextCall(page.result.details);
    ctx.progress({ message: `${pages} pages`, done: pages });
  }

  const value: JsonValue = member === "" ? items : { ...(last as JsonObject), [member]: items };
  const { next: _first, ...details } = first.details as JsonObject;
  const notes = [
    `[${pages} ${pages === 1 ? "page" : "pages"}, ${items.length} items${stopped === undefined ? "" : `; ${stopped.why}`}]`,
    next === undefined
      ? ""
      : `[more: call ${next.tool} again with ${JSON.stringify(next.arguments)}]`,
  ];
  const content: ContentBlock[] = notes.filter((note) => note !== "").map((note) => text(note));
  return {
    content: [text(stringifyItems(value)), ...content],
    value,
    details: { ...details, pages, ...(next === undefined ? {} : { next }) },
    ...(stopped?.error === undefined ? {} : { isError: true, error: stopped.error }),
  };
}

function stringifyItems(value: JsonValue): string {
  try {
    return stringifyExact(value);
  } catch {
    return "[the items are nested too deep to be serialized]";
  }
}

interface ReadPage {
  readonly result?: { readonly value?: JsonValue; readonly details?: JsonValue };
  readonly why?: string;
  readonly failure?: { readonly error: ToolError };
}

async function readPage(
  { tool, arguments: args }: NextCall,
  number: number,
  { runId, callId, scope }: Pick<ToolContext, "runId" | "callId" | "scope">,
): Promise<ReadPage> {
  const id = `${callId}.page${number}`;
  const key = `${runId} ${id}`;
  pageCalls.add(key);
  try {
    const outcome = await scope.execute({ id, name: tool, arguments: args });
    if (outcome.status === "interrupted") return { why: "it waits for approval" };
    const { error, result } = outcome;
    if (result.isError) {
      return {
        why: error?.message ?? "it failed",
        ...(error === undefined ? {} : { failure: { error } }),
      };
    }
    return { result };
  } finally {
    pageCalls.delete(key);
  }
}
