import type { JsonObject, Suspension, ToolContext, ToolOutput } from "@toolweave/core";
import { cancellationOf, type ItemStream } from "@toolweave/core/adapter";
import {
  httpClient,
  type HttpClient,
  type HttpClientOptions,
  type HttpResponse,
} from "@toolweave/http";
import type { AuthorizedCall, AuthorizedRequest, Authorizer } from "../auth/authorize.ts";
import type { PlannedRequest } from "../request/request-plan.ts";
import type { SentRequest, ResponseDeclaration } from "./responses/sent-request.ts";
import { collectPages, isPageCall, type PageCollection } from "./follow-ups/collect-pages.ts";
import { withFollowUps, type FollowUpCall } from "./follow-ups/follow-ups.ts";
import { toOutput } from "./responses/to-output.ts";
import { streamedResponses } from "./streams/stream-response.ts";
import { getNextCall } from "./follow-ups/next-page.ts";

/** The properties of an operation that sending needs, beside the request. */
export interface OperationCall extends AuthorizedCall, FollowUpCall {
  /** `GET /pets/{id}`, for errors. */
  readonly label: string;
  readonly writes: boolean;
  readonly expectsJson: boolean;
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
      response.method === request.method.toUpperCase()
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
      expectsJson: call.expectsJson,
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
  if (wanted.length === 0) return "the host has to configure them as `auth` or `headers`";
  return `the host has to configure them as \`auth\`${formatWanted(call)}`;
}

function formatWanted({ credentials: { wanted } }: OperationCall): string {
  return wanted.length === 0 ? "" : ` (the document asks for ${wanted.join(" or ")})`;
}
