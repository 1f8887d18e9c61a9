import {
  canonicalJson,
  stringifyExact,
  text,
  type ContentBlock,
  type JsonObject,
  type JsonValue,
  type ToolContext,
  type ToolError,
  type ToolOutput,
} from "@toolweave/core";
import { listIn } from "./page-patterns.ts";
import { getNextCall, type NextCall } from "./with-next-call.ts";

/** How many pages one call reads. */
export interface PageCollection {
  /** Pages of one call, the first among them. */
  readonly maxPages: number;
  /** Items after which no further page is asked for. Default: no limit. */
  readonly maxItems?: number;
}

/** Calls that read a page for another call: those do not collect again. By the run, since ids are unique in it. */
const pageCalls = new Set<string>();

/** True for a call that `collectPages` has made. */
export function isPageCall({ runId, callId }: Pick<ToolContext, "runId" | "callId">): boolean {
  return pageCalls.size > 0 && pageCalls.has(`${runId} ${callId}`);
}

/**
 * The first page with those after it in one list, each read by a call of its own: under the same policy, rates and
 * limits. It ends at the bound, at the last page, at a page that was there before, and at one that fails, which makes
 * the whole an error that holds what came.
 *
 * @param args those of the call that read the first.
 */
export async function collectPages(
  first: ToolOutput,
  { maxPages, maxItems = Infinity }: PageCollection,
  ctx: Pick<ToolContext, "runId" | "callId" | "scope" | "progress">,
  args: JsonObject,
): Promise<ToolOutput> {
  const start = listIn(first.value);
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
      stopped = { why: "the API names a page as the next that was read before" };
      next = undefined;
      break;
    }
    asked.add(key);
    const page = await readPage(next, pages + 1, ctx);
    const list = page.result === undefined ? undefined : listIn(page.result.value);
    if (page.result === undefined || list?.member !== member) {
      const why = page.why ?? "its answer is no list as before";
      stopped = { why: `page ${pages + 1} could not be read: ${why}`, ...page.failure };
      break;
    }
    pages += 1;
    // It may be longer than what a function can be called with.
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
    content: [text(written(value)), ...content],
    value,
    details: { ...details, pages, ...(next === undefined ? {} : { next }) },
    ...(stopped?.error === undefined ? {} : { isError: true, error: stopped.error }),
  };
}

function written(value: JsonValue): string {
  try {
    return stringifyExact(value);
  } catch {
    return "[the items nest too deep to be written down]";
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
    if (outcome.status === "interrupted") return { why: "it waits for a person" };
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
