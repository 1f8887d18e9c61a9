import type { JsonObject, JsonValue, ToolContext, ToolOutput } from "@toolweave/core";
import type { HttpResponse } from "@toolweave/http";
import type { ArgumentLayout } from "../../arguments/argument-layout.ts";
import { redactedHeader, type SentRequest } from "../responses/sent-request.ts";
import {
  findLinkedCalls,
  getSentBody,
  getSentParameter,
  type FindLinked,
  type LinkedCall,
  type ExchangeFacts,
} from "./linked-calls.ts";
import { findNextPage, withNextCall, type NextPage } from "./next-page.ts";
import type { PageArguments } from "./page-arguments.ts";

/** The properties of an operation that determine the calls that may follow. */
export interface FollowUpCall {
  readonly method: string;
  /** The name of the operation's own tool in its source. */
  readonly name: string;
  readonly layout: ArgumentLayout;
  /** Absent: no argument can request another page. */
  readonly pages?: PageArguments;
  linked: FindLinked;
}

/**
 * Adds the calls that may follow to a successful result: the call that reads the next page, as a line for the model and
 * as `details.next`, and the calls that the document's links propose, as `details.links`.
 */
export function withFollowUps(
  output: ToolOutput,
  response: HttpResponse,
  answered: SentRequest,
  call: FollowUpCall,
  args: JsonObject,
  { toolName }: Pick<ToolContext, "toolName">,
): ToolOutput {
  const { url } = answered;
  const { links } = answered.declared(response.status);
  const { value } = output;
  const linked =
    links.size === 0
      ? []
      : findLinkedCalls(links, toFacts(response, answered, call, args, value), call.linked);
  const link = call.pages === undefined ? undefined : redactedHeader(response, "link", answered);
  const next =
    (call.pages === undefined ? undefined : findNextPage({ url, link, value }, args, call.pages)) ??
    findLinkedPage(linked, call, args);
  const all = linked.map((one) => ({ ...one, tool: applyPrefix(one.tool, call.name, toolName) }));
  const withLinks =
    all.length === 0
      ? output
      : { ...output, details: { ...(output.details as JsonObject), links: all } };
  return next === undefined ? withLinks : withNextCall(withLinks, next, toolName, args);
}

/** Returns the page of a link `next` to the operation itself, for answers in which no other page is found. */
function findLinkedPage(
  linked: readonly LinkedCall[],
  { name }: FollowUpCall,
  args: JsonObject,
): NextPage | undefined {
  const own = linked.find(({ link, tool }) => tool === name && /^next/i.test(link));
  if (own === undefined) return undefined;
  const changed = Object.fromEntries(
    Object.entries(own.arguments).filter(([argument, value]) => args[argument] !== value),
  );
  return Object.keys(changed).length === 0 ? undefined : { changed, removed: [] };
}

/** Applies the prefix that the host added to this tool's name to the name of a linked tool. */
function applyPrefix(tool: string, own: string, called: string): string {
  return called.endsWith(own) ? called.slice(0, called.length - own.length) + tool : tool;
}

function toFacts(
  response: HttpResponse,
  answered: SentRequest,
  { method, layout }: FollowUpCall,
  args: JsonObject,
  value: JsonValue | undefined,
): ExchangeFacts {
  return {
    url: answered.url,
    method,
    status: response.status,
    requestBody: getSentBody(args, layout),
    responseBody: value,
    parameter: (location, name) => getSentParameter(args, layout, location, name),
    header: (name) => redactedHeader(response, name, answered),
  };
}
