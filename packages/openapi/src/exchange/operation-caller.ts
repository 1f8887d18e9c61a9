import type { JsonObject, Suspension, ToolContext, ToolOutput, JsonValue } from "@toolweave/core";
import { cancellationOf, type ItemStream } from "@toolweave/core/adapter";
import {
  httpClient,
  type HttpClient,
  type HttpClientOptions,
  type HttpResponse,
} from "@toolweave/http";
import type { AuthorizedCall, AuthorizedRequest, Authorizer } from "../auth/authorize.ts";
import type { PlannedRequest } from "../request/request-plan.ts";
import {
  redactedHeader,
  type SentRequest,
  type ResponseDeclaration,
} from "./responses/sent-request.ts";
import { collectPages, isPageCall, type PageCollection } from "./follow-ups/collect-pages.ts";
import type { PageArguments } from "./follow-ups/page-arguments.ts";
import { toOutput } from "./responses/to-output.ts";
import { streamedResponses } from "./streams/stream-response.ts";
import {
  getNextCall,
  findNextPage,
  withNextCall,
  type NextPage,
  type PagedResponse,
} from "./follow-ups/next-page.ts";
import type { ArgumentLayout } from "../arguments/argument-layout.ts";
import {
  findLinkedCalls,
  getSentBody,
  getSentParameter,
  type FindLinked,
  type LinkedCall,
  type ExchangeFacts,
} from "./follow-ups/linked-calls.ts";

/** The properties of an operation that sending needs, beside the request. */
export interface OperationCall extends AuthorizedCall, FollowUpCall {
  /** `GET /pets/{id}`, for errors. */
  readonly label: string;
  readonly writes: boolean;
  /** Returns the document's declaration of an answer with that status. */
  declared(status: number): ResponseDeclaration;
  /** Absent: one call reads one page. */
  readonly collectPages?: PageCollection;
}

/** Sends the requests of one source. Loaded, with the HTTP client, when the first is sent. */
export class OperationCaller {
  readonly #client: HttpClient;
  readonly #authorizer: Authorizer;

  constructor(options: HttpClientOptions, authorizer: Authorizer) {
    this.#client = httpClient(options);
    this.#authorizer = authorizer;
  }

  /**
   * Sends a request and converts the answer to an output, or returns a suspension if a person has to sign in first.
   * Rejects with a `ToolError` of the HTTP client or of the credentials.
   */
  async call(
    call: OperationCall,
    request: PlannedRequest,
    ctx: ToolContext,
    args: JsonObject,
  ): Promise<ToolOutput | Suspension | ItemStream> {
    let authorized = await this.#authorizer.authorize(call, request, ctx);
    if (!("target" in authorized)) return authorized;
    let response = await this.#send(request, authorized, ctx);
    if (
      response.status === 401 &&
      authorized.handleUnauthorized !== undefined &&
      getOtherOrigin(response, request) === undefined &&
      // After a redirect that changed the method to GET, the original request may have been carried out.
      response.method === request.method
    ) {
      // A refused request was not carried out, so it may be sent again.
      const again = await authorized.handleUnauthorized(response.headers);
      if (again !== undefined) {
        if (!("target" in again)) return again;
        authorized = again;
        response = await this.#send(request, authorized, ctx);
      }
    }
    const { url, secrets } = authorized;
    const passing = this.#authorizer.recentSecrets;
    const isRefused = response.status === 401 || response.status === 403;
    const elsewhere = isRefused ? getOtherOrigin(response, request) : undefined;
    const answered: SentRequest = {
      operation: call.label,
      url,
      writes: call.writes,
      credentials:
        elsewhere === undefined
          ? describeMissing(call)
          : `the API redirected the request to ${elsewhere}, and credentials are not sent there`,
      wanted: formatWanted(call),
      unsupported: call.credentials.unsupported,
      hasCredentials: secrets.length > 0 && elsewhere === undefined,
      needsCredentials: call.withheld !== undefined || call.credentials.wanted.length > 0,
      secrets: passing.length === 0 ? secrets : [...secrets, ...passing],
      ctx,
      declared: call.declared,
    };
    const pending = toOutput(response, answered);
    const output = pending instanceof Promise ? await pending : pending;
    if (!("content" in output) || output.isError === true) return output;
    const followed = withFollowUps(output, response, answered, call, args, ctx);
    const bound = call.collectPages;
    if (bound === undefined || getNextCall(followed.details) === undefined || isPageCall(ctx)) {
      return followed;
    }
    return collectPages(followed, bound, ctx, args);
  }

  #send(
    { method, body }: PlannedRequest,
    { target, headers, names, certificate }: AuthorizedRequest,
    ctx: ToolContext,
  ): Promise<HttpResponse> {
    return this.#client.request({
      method,
      url: target,
      headers,
      body,
      signal: cancellationOf(ctx),
      credentials: names,
      certificate,
      streaming: streamedResponses,
      whenTooLarge: "cut",
    });
  }

  /** Cancels all requests in progress. */
  async close(): Promise<void> {
    await Promise.all([this.#client.close(), this.#authorizer.close()]);
  }
}

/** Returns the other origin that has answered after a redirect: its refusal does not concern the API's credentials. */
function getOtherOrigin({ url }: HttpResponse, { origin }: PlannedRequest): string | undefined {
  const answered = URL.parse(url)?.origin;
  // A trailing dot of the host name is not sent; both forms name the same host.
  return answered === origin.replace(/\.(?=:\d+$|$)/, "") ? undefined : answered;
}

function describeMissing(call: OperationCall): string {
  const { withheld, credentials } = call;
  const { unsupported, wanted } = credentials;
  if (withheld !== undefined) return withheld;
  if (unsupported !== undefined) return `the operation cannot be authorized, since ${unsupported}`;
  if (wanted.length === 0 && credentials.optional) {
    return "the document declares that no credentials are needed: if that is wrong, the host has to set `headers`";
  }
  if (wanted.length === 0) return "the host has to configure them as `auth` or `headers`";
  return `the host has to configure them as \`auth\`${formatWanted(call)}`;
}

/** The credentials that the document asks for beside those that the host has configured: a mismatch is visible. */
function formatWanted({ credentials: { wanted, configured } }: OperationCall): string {
  if (wanted.length === 0) return "";
  const has =
    configured.length === 0 ? "" : `; the host has configured ${configured.join(" and ")}`;
  return ` (the document asks for ${wanted.join(" or ")}${has})`;
}

/** The properties of an operation that determine the calls that may follow. */
interface FollowUpCall {
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
function withFollowUps(
  output: ToolOutput,
  response: HttpResponse,
  answered: SentRequest,
  call: FollowUpCall,
  args: JsonObject,
  { toolName }: Pick<ToolContext, "toolName">,
): ToolOutput {
  const { links } = answered.declared(response.status);
  const { value } = output;
  const linked =
    links.size === 0
      ? []
      : findLinkedCalls(links, toFacts(response, answered, call, args, value), call.linked);
  const next =
    (call.pages === undefined
      ? undefined
      : findNextPage(toPagedResponse(response, answered, value), args, call.pages)) ??
    findLinkedPage(linked, call, args);
  const all = linked.map((one) => ({ ...one, tool: applyPrefix(one.tool, call.name, toolName) }));
  const withLinks =
    all.length === 0
      ? output
      : { ...output, details: { ...(output.details as JsonObject), links: all } };
  return next === undefined ? withLinks : withNextCall(withLinks, next, toolName, args);
}

function toPagedResponse(
  response: HttpResponse,
  answered: SentRequest,
  value: JsonValue | undefined,
): PagedResponse {
  const header = (name: string): string | undefined => redactedHeader(response, name, answered);
  return { url: answered.url, link: header("link"), header, value };
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
