import { SdkErrorCode, SdkHttpError } from "@modelcontextprotocol/client";
import { httpClient, type HttpClient, type HttpResponse } from "@toolweave/http";
import type { McpHttpServer } from "../../options/mcp-options.ts";
import { maxMessageBytes, type Stop } from "../messages/channel.ts";
import type { HttpAuthorization, HttpRefusal } from "../messages/mcp-connection.ts";

/** How often one request is sent again with new credentials. */
const mostRefusals = 2;

/** Characters of a refusal that are kept. */
const mostOfRefusal = 65_536;

/** A stream lasts as long as it is wanted, and its reader counts: one event after the other is let go. */
const streaming = {
  accepts: (status: number, mediaType: string | undefined): boolean =>
    status === 200 && mediaType === "text/event-stream",
  idleMs: 0,
  maxBytes: Infinity,
};

/** One HTTP request to the server. */
export interface EndpointRequest {
  readonly method: "GET" | "POST" | "DELETE";
  /** Default: the server's own. */
  readonly url?: URL | undefined;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | undefined;
  /** Waits for no other request: a stream that stays open, or what a request that is open may wait for. */
  readonly unqueued?: boolean;
  readonly stop?: Stop | undefined;
}

/** A server's URL, with the guarded client and the credentials that its requests go out with. */
export class HttpEndpoint {
  readonly url: URL;
  readonly #headers: Readonly<Record<string, string>>;
  readonly #authorization: HttpAuthorization | undefined;
  readonly #client: HttpClient;

  constructor(server: McpHttpServer, authorization: HttpAuthorization | undefined) {
    this.url = new URL(server.url);
    this.#headers = Object.fromEntries(
      Object.entries(server.headers ?? {}).map(([name, value]) => [name.toLowerCase(), value]),
    );
    this.#authorization = authorization;
    this.#client = httpClient({
      givenOrigins: [this.url.origin],
      // How long a call takes is for the executor to say, and a stream is as long as its connection.
      timeoutMs: 0,
      maxBytes: maxMessageBytes,
    });
  }

  /** Sends it, with new credentials where they are refused. Any status is an answer; a 200 stream comes piece by piece. */
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
      if ((status !== 401 && !isDenied) || attempt === mostRefusals) return answer;
      // After a redirect that made a GET of it, the request itself may have been carried out.
      if (answer.method !== request.method) return answer;
      const signal = request.stop?.toSignal();
      const refusal: HttpRefusal = { status, wwwAuthenticate, sent, attempt, signal };
      if (!(await authorization.refused(refusal))) return answer;
    }
  }

  close(): Promise<void> {
    return this.#client.close();
  }

  #send(
    { method, url = this.url, headers, body, unqueued = method === "GET", stop }: EndpointRequest,
    credentials: Readonly<Record<string, string>> | undefined,
  ): Promise<HttpResponse> {
    return this.#client.request({
      method,
      url,
      headers: { ...this.#headers, ...credentials, ...headers },
      body,
      signal: stop,
      unqueued,
      streaming,
    });
  }
}

/**
 * The error of a status that is no success; by it the SDK tells which protocol a server speaks.
 *
 * @param isStale the request was not run, since it stands on a session or a version that the server does not know.
 */
export function statusError(answer: HttpResponse, isStale = false): Error {
  const { status, statusText } = answer;
  const text = answer.text().slice(0, mostOfRefusal);
  return new SdkHttpError(
    SdkErrorCode.ClientHttpNotImplemented,
    `The server answered with the status ${status}.`,
    { status, statusText, text, ...(isStale ? { isStale } : {}) },
  );
}
