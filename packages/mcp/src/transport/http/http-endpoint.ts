import { SdkErrorCode, SdkHttpError } from "@modelcontextprotocol/client";
import { httpClient, type HttpClient, type HttpResponse } from "@toolweave/http";
import type { McpHttpServer } from "../../options/mcp-options.ts";
import { maxMessageBytes, type Stop } from "../messages/channel.ts";
import { CookieJar } from "./cookie-jar.ts";
import type { HttpAuthorization, HttpRejection } from "../messages/mcp-connection.ts";

/** Number of times that a request is sent again with new credentials. */
const maxCredentialRetries = 2;

/** Characters of an error body that are stored at most. */
const maxErrorLength = 65_536;

/** Options of event streams: no timeout and no limit of bytes, because the reader limits each event. */
const streaming = {
  accepts: (status: number, mediaType: string | undefined): boolean =>
    status === 200 && mediaType === "text/event-stream",
  idleMs: 0,
  maxBytes: Infinity,
};

/** One HTTP request to the server. */
export interface EndpointRequest {
  readonly method: "GET" | "POST" | "DELETE";
  /** Default: the URL of the server. */
  readonly url?: URL | undefined;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | undefined;
  /** The request is not queued behind others: it keeps a stream open, or an open request may wait for it. */
  readonly unqueued?: boolean;
  readonly stop?: Stop | undefined;
  /** True for a rejection with 401 that is not about the credentials. */
  readonly isOtherRejection?: (answer: HttpResponse) => boolean;
}

/** The server's URL with the guarded HTTP client and the credentials of its requests. */
export class HttpEndpoint {
  readonly url: URL;
  readonly #headers: Readonly<Record<string, string>>;
  readonly #authorization: HttpAuthorization | undefined;
  readonly #client: HttpClient;
  readonly #cookies: CookieJar;

  constructor(server: McpHttpServer, authorization: HttpAuthorization | undefined) {
    this.url = new URL(server.url);
    this.#cookies = new CookieJar(this.url);
    this.#headers = Object.fromEntries(
      Object.entries(server.headers ?? {}).map(([name, value]) => [name.toLowerCase(), value]),
    );
    this.#authorization = authorization;
    this.#client = httpClient({
      givenOrigins: [this.url.origin],
      // The executor limits the time of a call; a stream lasts as long as its connection.
      timeoutMs: 0,
      maxBytes: maxMessageBytes,
    });
  }

  /**
   * Sends a request, again with new credentials if they are rejected. Any status is a response; an event stream under
   * 200 is not buffered.
   */
  async request(request: EndpointRequest): Promise<HttpResponse> {
    const authorization = this.#authorization;
    if (authorization === undefined) return this.#send(request, undefined);
    for (let attempt = 0; ; attempt++) {
      const sent = await authorization.headers();
      const answer = await this.#send(request, sent);
      const { status } = answer;
      const header = answer.headers["www-authenticate"];
      const wwwAuthenticate = typeof header === "string" ? header : header?.join(", ");
      const isDenied = status === 403 && wwwAuthenticate !== undefined;
      if ((status !== 401 && !isDenied) || attempt === maxCredentialRetries) return answer;
      // After a redirect that turned it into a GET, the request itself may have been carried out.
      if (answer.method !== request.method) return answer;
      if (request.isOtherRejection?.(answer) === true) return answer;
      const signal = request.stop?.toSignal();
      const refusal: HttpRejection = { status, wwwAuthenticate, sent, attempt, signal };
      if (!(await authorization.onRejected(refusal))) return answer;
    }
  }

  close(): Promise<void> {
    return this.#client.close();
  }

  async #send(
    { method, url = this.url, headers, body, unqueued = method === "GET", stop }: EndpointRequest,
    credentials: Readonly<Record<string, string>> | undefined,
  ): Promise<HttpResponse> {
    const cookie = this.#cookies.header(url, this.#headers["cookie"]);
    const answer = await this.#client.request({
      method,
      url,
      headers: {
        ...this.#headers,
        ...(cookie === undefined ? {} : { cookie }),
        ...credentials,
        ...headers,
      },
      body,
      signal: stop,
      unqueued,
      streaming,
    });
    this.#cookies.store(answer.url, answer.headers["set-cookie"]);
    return answer;
  }
}

/**
 * Error of an unsuccessful status. The SDK detects the protocol of a server by it.
 *
 * @param method Method of the request, which a redirect may have changed.
 */
export function statusError(answer: HttpResponse, method = "POST"): Error {
  const { status, statusText } = answer;
  const text = answer.text().slice(0, maxErrorLength);
  const redirectedTo = answer.method === method ? undefined : withoutQuery(answer.url);
  return new SdkHttpError(
    SdkErrorCode.ClientHttpNotImplemented,
    `The server answered with the status ${status}.`,
    { status, statusText, text, ...(redirectedTo === undefined ? {} : { redirectedTo }) },
  );
}

/** A query may contain secrets. */
function withoutQuery(url: string): string {
  const { origin, pathname } = new URL(url);
  return origin + pathname;
}

/** Returns a header that is not empty. */
export function getHeader(answer: HttpResponse, name: string): string | undefined {
  const value = answer.headers[name];
  return typeof value === "string" && value !== "" ? value : undefined;
}

/** Discards the body. */
export function discardBody(answer: HttpResponse): void {
  void answer.stream?.[Symbol.asyncIterator]().return?.();
}
