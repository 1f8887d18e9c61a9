import type { JsonObject, JsonValue, ToolContext, ToolOutput } from "@toolweave/core";
import type { HttpResponse } from "@toolweave/http";
import type { ArgumentLayout } from "../../arguments/argument-layout.ts";
import { cleanHeader, type AnsweredRequest } from "../responses/answered-request.ts";
import {
  linkedCalls,
  sentBody,
  sentParameter,
  type FindLinked,
  type LinkedCall,
} from "./linked-calls.ts";
import { nextPage, type NextPage } from "./next-page.ts";
import type { PageArguments } from "./page-arguments.ts";
import type { ExchangeFacts } from "./runtime-expression.ts";
import { withNextCall } from "./with-next-call.ts";

/** What of an operation says how its calls can go on. */
export interface FollowedCall {
  readonly method: string;
  /** The operation's own tool, as the source calls it. */
  readonly name: string;
  readonly layout: ArgumentLayout;
  /** Absent: no argument can ask for another page. */
  readonly pages?: PageArguments;
  linked: FindLinked;
}

/**
 * Says in a success how to go on: the call that gives the next page, as a line for the model and `details.next`, and the
 * calls that the document's links propose, as `details.links`.
 */
export function withFollowUps(
  output: ToolOutput,
  response: HttpResponse,
  answered: AnsweredRequest,
  call: FollowedCall,
  args: JsonObject,
  { toolName }: Pick<ToolContext, "toolName">,
): ToolOutput {
  const { url } = answered;
  const { links } = answered.declared(response.status);
  const { value } = output;
  const linked =
    links.size === 0
      ? []
      : linkedCalls(links, toFacts(response, answered, call, args, value), call.linked);
  const link = call.pages === undefined ? undefined : cleanHeader(response, "link", answered);
  const next =
    (call.pages === undefined ? undefined : nextPage({ url, link, value }, args, call.pages)) ??
    currentPage(linked, call, args);
  const all = linked.map((one) => ({ ...one, tool: renamed(one.tool, call.name, toolName) }));
  const withLinks =
    all.length === 0
      ? output
      : { ...output, details: { ...(output.details as JsonObject), links: all } };
  return next === undefined ? withLinks : withNextCall(withLinks, next, toolName, args);
}

/** A link `next` to the operation itself, where no page is found otherwise. */
function currentPage(
  linked: readonly LinkedCall[],
  { name }: FollowedCall,
  args: JsonObject,
): NextPage | undefined {
  const own = linked.find(({ link, tool }) => tool === name && /^next/i.test(link));
  if (own === undefined) return undefined;
  const changed = Object.fromEntries(
    Object.entries(own.arguments).filter(([argument, value]) => args[argument] !== value),
  );
  return Object.keys(changed).length === 0 ? undefined : { changed, removed: [] };
}

/** Where the host has put something before this tool's name, it stands before its neighbours', too. */
function renamed(tool: string, own: string, called: string): string {
  return called.endsWith(own) ? called.slice(0, called.length - own.length) + tool : tool;
}

function toFacts(
  response: HttpResponse,
  answered: AnsweredRequest,
  { method, layout }: FollowedCall,
  args: JsonObject,
  value: JsonValue | undefined,
): ExchangeFacts {
  return {
    url: answered.url,
    method,
    status: response.status,
    requestBody: sentBody(args, layout),
    responseBody: value,
    parameter: (location, name) => sentParameter(args, layout, location, name),
    header: (name) => cleanHeader(response, name, answered),
  };
}
