import {
  httpClient,
  oauthClient,
  type HttpClient,
  type HttpClientOptions,
  type OAuthClient,
} from "@toolweave/http";
import { endpointNames, isRegistration } from "./check-auth.ts";
import type { OpenApiAuth } from "./openapi-auth.ts";
import type { TokenClient } from "./token-client.ts";

/** Maximum number of clients. Their scopes depend partly on the server, so there may be different ones each time. */
const maxClients = 100;
/** Maximum size of a response of an authorization server. */
const maxTokenBytes = 1024 * 1024;

/**
 * The clients of a source's authorization servers. They are cached, because each knows which of its tokens have been
 * replaced, and by which.
 */
export class OAuthClients {
  readonly #options: HttpClientOptions;
  readonly #auth: OpenApiAuth;
  readonly #clients = new Map<string, OAuthClient>();
  #http: HttpClient | undefined;
  #closed = false;

  /** @param options for the requests; the origins of the host's own registrations are added. */
  constructor(options: HttpClientOptions, auth: OpenApiAuth) {
    this.#options = options;
    this.#auth = auth;
  }

  /** Returns the client for a scheme that requests these scopes. */
  get(scheme: string, { options }: TokenClient, scopes: readonly string[]): OAuthClient {
    const { clientSecret: _, ...publicOptions } = options;
    const name = JSON.stringify([scheme, publicOptions, scopes.toSorted()]);
    let client = this.#clients.get(name);
    client ??= oauthClient({ ...options, scopes, http: this.#getHttpClient() });
    // The most recently used last.
    this.#clients.delete(name);
    this.#clients.set(name, client);
    const [oldest] = this.#clients.keys();
    if (this.#clients.size > maxClients && oldest !== undefined) this.#clients.delete(oldest);
    return client;
  }

  /** Cancels all requests in progress. */
  async close(): Promise<void> {
    this.#closed = true;
    await this.#http?.close();
  }

  #getHttpClient(): HttpClient {
    if (this.#http !== undefined) return this.#http;
    const { givenOrigins = [] } = this.#options;
    const registered = Object.values(this.#auth.schemes ?? {}).flatMap((given) =>
      isRegistration(given) ? endpointNames.flatMap((name) => given[name] ?? []) : [],
    );
    this.#http = httpClient({
      ...this.#options,
      givenOrigins: [...givenOrigins, ...registered.map((url) => new URL(url).origin)],
      maxBytes: maxTokenBytes,
    });
    if (this.#closed) void this.#http.close();
    return this.#http;
  }
}
