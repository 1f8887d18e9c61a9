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

/** Their scopes are partly the server's word: there may be others each time. */
const maxClients = 100;
/** An answer of an authorization server is small. */
const maxTokenBytes = 1024 * 1024;

/** The clients of a source's authorization servers. They are kept: each knows which of its tokens has replaced which. */
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

  /** The client for a scheme that asks for these scopes. */
  get(scheme: string, { options }: TokenClient, scopes: readonly string[]): OAuthClient {
    const { clientSecret: _, ...shown } = options;
    const name = JSON.stringify([scheme, shown, scopes.toSorted()]);
    let client = this.#clients.get(name);
    client ??= oauthClient({ ...options, scopes, http: this.#client() });
    // The latest last.
    this.#clients.delete(name);
    this.#clients.set(name, client);
    const [oldest] = this.#clients.keys();
    if (this.#clients.size > maxClients && oldest !== undefined) this.#clients.delete(oldest);
    return client;
  }

  /** Cancels what is under way. */
  async close(): Promise<void> {
    this.#closed = true;
    await this.#http?.close();
  }

  #client(): HttpClient {
    if (this.#http !== undefined) return this.#http;
    const { givenOrigins = [] } = this.#options;
    const own = Object.values(this.#auth.schemes ?? {}).flatMap((given) =>
      isRegistration(given) ? endpointNames.flatMap((name) => given[name] ?? []) : [],
    );
    this.#http = httpClient({
      ...this.#options,
      givenOrigins: [...givenOrigins, ...own.map((url) => new URL(url).origin)],
      maxBytes: maxTokenBytes,
    });
    if (this.#closed) void this.#http.close();
    return this.#http;
  }
}
