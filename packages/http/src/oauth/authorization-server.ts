import { ToolError, type Clock } from "@toolweave/core";
import type { TokenCredential } from "@toolweave/core/stores";
import { endpointUrl } from "./endpoint-url.ts";
import { postForm, type FormResponse } from "./post-form.ts";
import type { OAuthClientOptions } from "./oauth-types.ts";
import { readToken } from "./read-token.ts";
import { refusalError } from "./refusal-error.ts";
import { readMetadata, type ServerMetadata } from "./server-metadata.ts";
import { SharedWork } from "./shared-work.ts";

/** A request for a token, beside what the client always sends. */
export interface TokenRequest {
  /** RFC 6749: `grant_type` and what belongs to it. */
  readonly grant: Readonly<Record<string, string>>;
  /** Which of them must not come out. */
  readonly secret?: readonly string[];
  readonly old?: TokenCredential;
  readonly signal?: AbortSignal | undefined;
}

/** A token, with the ID token that may have come along. */
export interface IssuedToken {
  readonly token: TokenCredential;
  readonly idToken: unknown;
}

type Endpoint = "tokenUrl" | "authorizationUrl" | "deviceAuthorizationUrl";

const endpointNames: Readonly<Record<Endpoint, string>> = {
  tokenUrl: "token endpoint",
  authorizationUrl: "authorization endpoint",
  deviceAuthorizationUrl: "device authorization endpoint",
};

/** One authorization server as one client sees it: where its endpoints are, and how it is asked. */
export class AuthorizationServer {
  readonly options: OAuthClientOptions;
  readonly clock: Clock;
  readonly #reading = new SharedWork<ServerMetadata>();
  #metadata: ServerMetadata | undefined;

  constructor(options: OAuthClientOptions) {
    this.options = options;
    this.clock = options.clock ?? systemClock;
  }

  /** The server's metadata; `undefined` without a discoveryUrl. */
  async metadata(signal?: AbortSignal): Promise<ServerMetadata | undefined> {
    const { discoveryUrl, http } = this.options;
    if (discoveryUrl === undefined) return undefined;
    this.#metadata ??= await this.#reading.run("metadata", signal, () =>
      readMetadata(http, discoveryUrl, undefined),
    );
    return this.#metadata;
  }

  /**
   * Where one of its endpoints is.
   *
   * @throws ToolError `internal` when it is not configured; `internal` or `upstream`, by its source, when nothing
   * secret may be sent there.
   */
  async endpoint(endpoint: Endpoint, signal?: AbortSignal): Promise<URL> {
    const configured = this.options[endpoint];
    const url = configured ?? (await this.metadata(signal))?.[endpoint];
    const name = endpointNames[endpoint];
    if (url === undefined) {
      throw new ToolError(
        "internal",
        `The authorization server's ${name} is not known: give ${endpoint}, or the discoveryUrl of a description that names it.`,
      );
    }
    const code = configured === undefined ? "upstream" : "internal";
    return endpointUrl(url, `The authorization server's ${name}`, code);
  }

  /** Asks the token endpoint. What it refuses is thrown, as `refusalError` has it. */
  async token(request: TokenRequest): Promise<IssuedToken> {
    const url = await this.endpoint("tokenUrl", request.signal);
    const askedAt = this.clock.now();
    const answer = await this.post(url, request);
    if (answer.refusal !== undefined) throw refusalError(url.origin, answer.refusal);
    return this.issued(url, answer, { askedAt, old: request.old });
  }

  /** Reads what the token endpoint has issued. */
  issued(
    url: URL,
    { issued }: Extract<FormResponse, { refusal?: undefined }>,
    { askedAt, old }: { readonly askedAt: number; readonly old?: TokenCredential | undefined },
  ): IssuedToken {
    const { scopes } = this.options;
    const token = readToken(issued, {
      url,
      askedAt,
      scopes,
      ...(old === undefined ? {} : { old }),
    });
    return { token, idToken: issued["id_token"] };
  }

  /** Posts a form to one of the server's endpoints, with the proof of who the client is. */
  async post(url: URL, { grant, secret = [], signal }: TokenRequest): Promise<FormResponse> {
    const { http, clientId, clientSecret, resource } = this.options;
    const form = new URLSearchParams(grant);
    if (resource !== undefined) form.set("resource", resource);
    const secrets = secret.map((name) => grant[name] ?? "");
    if (clientSecret !== undefined) secrets.push(clientSecret);
    const by = await this.#clientAuthentication(signal);
    if (by === "basic") {
      const userInfo = `${formEncoded(clientId)}:${formEncoded(clientSecret ?? "")}`;
      const authorization = `Basic ${Buffer.from(userInfo).toString("base64")}`;
      secrets.push(userInfo);
      return postForm(http, { url, form, headers: { authorization }, secrets, signal });
    }
    form.set("client_id", clientId);
    if (by === "post") form.set("client_secret", clientSecret ?? "");
    return postForm(http, { url, form, secrets, signal });
  }

  async #clientAuthentication(signal: AbortSignal | undefined): Promise<"basic" | "post" | "none"> {
    const { clientAuthentication, clientSecret } = this.options;
    if (clientAuthentication !== undefined) return clientAuthentication;
    if (clientSecret === undefined) return "none";
    const taken = (await this.metadata(signal))?.clientAuthentications;
    if (taken === undefined || taken.includes("client_secret_basic")) return "basic";
    return taken.includes("client_secret_post") ? "post" : "basic";
  }
}

/** RFC 6749 section 2.3.1: id and secret are encoded as in a form before they become a user name and a password. */
function formEncoded(text: string): string {
  return new URLSearchParams([["", text]]).toString().slice(1);
}

const systemClock: Clock = {
  now: () => Date.now(),
  setTimeout: (callback, ms) => setTimeout(callback, ms),
  clearTimeout: (timer) => clearTimeout(timer as NodeJS.Timeout),
};
