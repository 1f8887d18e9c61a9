import {
  cancellationOf,
  type ItemStream,
  type JsonObject,
  type Suspension,
  type ToolContext,
  type ToolOutput,
} from "@toolweave/core";
import {
  httpClient,
  type HttpClient,
  type HttpClientOptions,
  type HttpResponse,
} from "@toolweave/http";
import type { AuthorizedCall, AuthorizedRequest, Authorizer } from "../auth/authorize.ts";
import type { PlannedRequest } from "../request/request-plan.ts";
import type { AnsweredRequest } from "./responses/answered-request.ts";
import { collectPages, isPageCall, type PageCollection } from "./follow-ups/collect-pages.ts";
import type { DeclaredAnswer } from "./responses/declared-answers.ts";
import { withFollowUps, type FollowedCall } from "./follow-ups/follow-ups.ts";
import { toolOutput } from "./responses/response.ts";
import { streamedAnswers } from "./streams/stream-answer.ts";
import { getNextCall } from "./follow-ups/with-next-call.ts";

/** What sending needs to know of an operation, beside the request. */
export interface OperationCall extends AuthorizedCall, FollowedCall {
  /** `GET /pets/{id}`, for errors. */
  readonly label: string;
  readonly writes: boolean;
  readonly expectsJson: boolean;
  /** What the document declares for an answer of that status. */
  declared(status: number): DeclaredAnswer;
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
   * Sends a request and makes an output of the answer; or asks for a person first. Rejects with a `ToolError` of the
   * HTTP client's or of the credentials'.
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
      authorized.refused !== undefined &&
      placeElsewhere(response, request) === undefined &&
      // After a redirect that made a GET of it, the request itself may have been carried out.
      response.method === request.method.toUpperCase()
    ) {
      // What was refused was not done.
      const again = await authorized.refused(response.headers);
      if (again !== undefined) {
        if (!("target" in again)) return again;
        authorized = again;
        response = await this.#send(request, authorized, ctx);
      }
    }
    const { url, secrets } = authorized;
    const passing = this.#authorizer.passingSecrets;
    const isRefused = response.status === 401 || response.status === 403;
    const elsewhere = isRefused ? placeElsewhere(response, request) : undefined;
    const answered: AnsweredRequest = {
      operation: call.label,
      url,
      writes: call.writes,
      expectsJson: call.expectsJson,
      credentials:
        elsewhere === undefined
          ? missing(call)
          : `the API redirected the request to ${elsewhere}, and they do not go there`,
      wanted: wantedBy(call),
      unsupported: call.credentials.unsupported,
      hasCredentials: secrets.length > 0 && elsewhere === undefined,
      needsCredentials: call.withheld !== undefined || call.credentials.wanted.length > 0,
      secrets: passing.length === 0 ? secrets : [...secrets, ...passing],
      ctx,
      declared: call.declared,
    };
    const pending = toolOutput(response, answered);
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
      streaming: streamedAnswers,
      whenTooLarge: "cut",
    });
  }

  /** Cancels what is under way. */
  async close(): Promise<void> {
    await Promise.all([this.#client.close(), this.#authorizer.close()]);
  }
}

/** The other origin that has answered: what it says of credentials is not about those that the API got. */
function placeElsewhere({ url }: HttpResponse, { origin }: PlannedRequest): string | undefined {
  const answered = URL.parse(url)?.origin;
  // A dot behind the host names the same host, and is not sent.
  return answered === origin.replace(/\.(?=:\d+$|$)/, "") ? undefined : answered;
}

function missing(call: OperationCall): string {
  const { withheld, credentials } = call;
  const { unsupported, wanted } = credentials;
  if (withheld !== undefined) return withheld;
  if (unsupported !== undefined) return `the operation cannot be authorised, since ${unsupported}`;
  if (wanted.length === 0) return "the host has to pass them as `auth` or `headers`";
  return `the host has to pass them as \`auth\`${wantedBy(call)}`;
}

function wantedBy({ credentials: { wanted } }: OperationCall): string {
  return wanted.length === 0 ? "" : ` (the document asks for ${wanted.join(" or ")})`;
}
