import { ToolError, type Clock, type JsonObject } from "@toolweave/core";
import type { TokenCredential } from "@toolweave/core/stores";
import * as oauth from "oauth4webapi";
import { clientAuthentication, userInfo } from "./client-authentication.ts";
import { discoverAt, type AuthorizationServerMetadata } from "./discovery.ts";
import { endpointUrl } from "./endpoint-url.ts";
import { guardedFetch } from "./guarded-fetch.ts";
import type { OAuthClientOptions } from "./oauth-types.ts";
import { SharedWork } from "./shared-work.ts";
import { invalidResponse, refusalError, serverText } from "./refusal-error.ts";

/** A request for a token: the grant (RFC 6749) and its parameters. */
export interface TokenRequest {
  readonly grantType: string;
  readonly parameters: Readonly<Record<string, string | undefined>>;
  /** The token that is replaced. */
  readonly old?: TokenCredential;
  /** The value that the ID token must have. Absent: no ID token is required. */
  readonly nonce?: string | undefined;
}

/** The arguments of oauth4webapi's functions, for one request. */
export interface PreparedRequest {
  readonly url: URL;
  readonly server: [oauth.AuthorizationServer, oauth.Client];
  readonly authentication: oauth.ClientAuth;
  readonly form: URLSearchParams;
  readonly options: oauth.HttpRequestOptions<"POST", URLSearchParams>;
}

const endpoints = {
  tokenUrl: "token_endpoint",
  authorizationUrl: "authorization_endpoint",
  deviceAuthorizationUrl: "device_authorization_endpoint",
} as const;
const secretParameters = ["code", "code_verifier", "refresh_token", "device_code"];

/** Issuer where there is no metadata, and algorithms of ID tokens: their signature is not needed, as they come over TLS. */
const unknownServer = {
  issuer: "urn:unknown-issuer",
  // Not in the types of oauth4webapi: the issuer that an ID token must name.
  [Reflect.get(oauth, "_expectedIssuer") as symbol]: (token: { claims: { iss: string } }) =>
    token.claims.iss,
  id_token_signing_alg_values_supported: ["RS", "PS", "ES", "HS"]
    .flatMap((family) => [`${family}256`, `${family}384`, `${family}512`])
    .concat("EdDSA", "Ed25519"),
} as oauth.AuthorizationServer;

/** One authorization server as one client sees it: its endpoints, and requests to them. */
export class AuthorizationServer {
  readonly options: OAuthClientOptions;
  readonly clock: Clock;
  /** The scopes as they are requested; `undefined` for the server's default. */
  readonly scope: string | undefined;
  readonly #discovery = new SharedWork<AuthorizationServerMetadata>();
  #metadata: AuthorizationServerMetadata | undefined;

  constructor(options: OAuthClientOptions) {
    this.options = options;
    this.#metadata = options.metadata;
    this.clock = options.clock ?? systemClock;
    this.scope = options.scopes?.join(" ") || undefined;
  }

  /** The server's metadata, if it is known or can be discovered. */
  async metadata(signal?: AbortSignal): Promise<AuthorizationServerMetadata | undefined> {
    const { discoveryUrl, http } = this.options;
    if (discoveryUrl === undefined) return this.#metadata;
    this.#metadata ??= await this.#discovery.run("metadata", signal, () =>
      discoverAt(discoveryUrl, { http }),
    );
    return this.#metadata;
  }

  /**
   * The URL of an endpoint.
   *
   * @throws ToolError `invalid_configuration` when it is not configured; `invalid_configuration` or `upstream`, by its source, when nothing
   * secret may be sent there.
   */
  async endpoint(endpoint: keyof typeof endpoints, signal?: AbortSignal): Promise<URL> {
    const configured = this.options[endpoint];
    const url = configured ?? (await this.metadata(signal))?.[endpoints[endpoint]];
    const name = endpoints[endpoint].replaceAll("_", " ");
    if (typeof url !== "string") {
      throw new ToolError(
        "invalid_configuration",
        `The authorization server's ${name} is not known: give ${endpoint}, or the discoveryUrl of a description that names it.`,
      );
    }
    const code = configured === undefined ? "upstream" : "invalid_configuration";
    return endpointUrl(url, `The authorization server's ${name}`, code);
  }

  /** Requests a token. A refusal is thrown, as `refusalError` describes it. */
  token(request: TokenRequest, signal?: AbortSignal): Promise<TokenCredential> {
    return this.request("tokenUrl", request.parameters, signal, (prepared) =>
      this.requestToken(prepared, request),
    );
  }

  /** Requests a token with the library, whose errors it throws. */
  async requestToken(
    { url, server, authentication, form, options }: PreparedRequest,
    { grantType, old, nonce }: Omit<TokenRequest, "parameters">,
  ): Promise<TokenCredential> {
    const askedAt = this.clock.now();
    const request = [...server, authentication, grantType, form, options] as const;
    const response = await this.#withoutIdToken(
      await oauth.genericTokenEndpointRequest(...request),
    );
    const issued = await (nonce === undefined
      ? oauth.processGenericTokenEndpointResponse(...server, response)
      : oauth.processAuthorizationCodeResponse(...server, response, { expectedNonce: nonce }));
    const { scopes } = this.options;
    return readToken(issued as JsonObject, {
      url,
      askedAt,
      scopes,
      ...(old === undefined ? {} : { old }),
    });
  }

  /** Removes an ID token that was not asked for, and may be another client's. */
  async #withoutIdToken(response: Response): Promise<Response> {
    if (this.options.openId !== false) return response;
    const { id_token: _, ...answer } = (await response.json()) as JsonObject;
    return Response.json(answer, { status: response.status });
  }

  /** Prepares a request to one of the server's endpoints, and turns the errors of `send` into ToolErrors. */
  async request<T>(
    endpoint: "tokenUrl" | "deviceAuthorizationUrl",
    parameters: TokenRequest["parameters"],
    signal: AbortSignal | undefined,
    send: (prepared: PreparedRequest) => Promise<T>,
  ): Promise<T> {
    const { http, clientId, clientSecret = "", resource } = this.options;
    const url = await this.endpoint(endpoint, signal);
    const authentication = await clientAuthentication(this.options, () => this.metadata(signal));
    const form = new URLSearchParams();
    for (const [name, value] of Object.entries({ ...parameters, resource })) {
      if (value !== undefined) form.set(name, value);
    }
    const described = (this.#metadata as oauth.AuthorizationServer | undefined) ?? unknownServer;
    const as = { ...described, [endpoints[endpoint]]: url.href };
    const clockSkew = Math.round((this.clock.now() - Date.now()) / 1000);
    const secrets = secretParameters.map((name) => form.get(name) ?? "");
    if (clientSecret !== "") secrets.push(clientSecret, userInfo(clientId, clientSecret));
    return toToolErrors(url, secrets, () =>
      send({
        url,
        server: [as, { client_id: clientId, [oauth.clockSkew]: clockSkew }],
        authentication,
        form,
        options: {
          [oauth.customFetch]: guardedFetch(http, signal),
          // `endpointUrl` has checked the URL: http only on this machine.
          [oauth.allowInsecureRequests]: true,
        },
      }),
    );
  }
}

const systemClock: Clock = {
  now: () => Date.now(),
  setTimeout: (callback, ms) => setTimeout(callback, ms),
  clearTimeout: (timer) => clearTimeout(timer as NodeJS.Timeout),
};

/**
 * Runs a step of the library and turns its errors into ToolErrors. They are not the cause: they hold the server's answer.
 *
 * @param secrets what was sent, and must not appear in an error.
 */
async function toToolErrors<T>(
  url: URL,
  secrets: readonly string[],
  step: () => Promise<T>,
): Promise<T> {
  try {
    return await step();
  } catch (error) {
    if (error instanceof oauth.ResponseBodyError) {
      const { status, error: code, error_description: description } = error;
      throw refusalError(url.origin, {
        // RFC 6749 section 5.2, as long as any that is registered.
        error: /^[!#-[\]-~]{1,64}$/.test(code) ? serverText(code, secrets) : `${status}`,
        description: serverText(description, secrets),
        status,
      });
    }
    const isInvalid =
      error instanceof oauth.OperationProcessingError ||
      error instanceof oauth.UnsupportedOperationError;
    if (!isInvalid) throw error;
    const { cause, message } = error;
    if (cause instanceof Response && cause.status >= 400) {
      const { status } = cause;
      throw refusalError(url.origin, { error: `${status}`, description: "", status });
    }
    throw invalidResponse(url, 200, `gave an invalid answer: ${message}`);
  }
}

/** Describes the token that a response is expected to hold. */
interface ExpectedToken {
  /** The endpoint that gave the answer. */
  readonly url: URL;
  /** Time of the request, in milliseconds since the epoch. */
  readonly askedAt: number;
  /** The token that is replaced; fields that the response omits are taken from it. */
  readonly old?: TokenCredential;
  readonly scopes?: readonly string[] | undefined;
}

const leewayMs = 30_000;
/** Characters of a grant; what is longer cannot be asked for again. */
const maxScopeLength = 10_000;

/**
 * The token in a server's answer (RFC 6749 section 5.1). It counts as expired 30 seconds before its server says so,
 * since it has to reach the API in time; a short-lived one after half its life.
 *
 * @throws ToolError `upstream` for an answer without a bearer token (RFC 6750).
 */
function readToken(issued: JsonObject, expected: ExpectedToken): TokenCredential {
  const { url, askedAt, old } = expected;
  const { access_token: accessToken, token_type: type, refresh_token: refreshToken } = issued;
  if (!isSecret(accessToken)) {
    throw invalidResponse(url, 200, "answered without an access token that can be sent");
  }
  if (typeof type !== "string" || type.toLowerCase() !== "bearer") {
    throw invalidResponse(url, 200, "issued a token that is not a bearer token");
  }
  if (refreshToken !== undefined && refreshToken !== null && !isSecret(refreshToken)) {
    throw invalidResponse(url, 200, "issued a refresh token that cannot be sent");
  }
  const lifeMs = lifetimeMs(issued["expires_in"]);
  const renewal = refreshToken ?? old?.refreshToken;
  const scopes = grantedScopes(issued["scope"]) ?? old?.scopes ?? expected.scopes;
  return {
    type: "token",
    accessToken,
    ...(lifeMs === undefined
      ? {}
      : { expiresAt: askedAt + lifeMs - Math.min(leewayMs, lifeMs / 2) }),
    ...(renewal === undefined ? {} : { refreshToken: renewal }),
    ...(scopes === undefined ? {} : { scopes }),
  };
}

/** RFC 6749 appendix A.12: what it consists of can stand in a header. */
function isSecret(value: unknown): value is string {
  return typeof value === "string" && /^[!-~]{1,100000}$/.test(value);
}

/** Some servers write the number as a text, and 0 for a token that never expires; one that had expired would be none. */
function lifetimeMs(seconds: unknown): number | undefined {
  const number =
    typeof seconds === "string" && /^\d{1,15}$/.test(seconds) ? Number(seconds) : seconds;
  if (typeof number !== "number" || !(number > 0)) return undefined;
  // A century is as good as for ever, and stays a date.
  return Math.min(number, 3_155_760_000) * 1000;
}

function grantedScopes(scope: unknown): readonly string[] | undefined {
  if (typeof scope !== "string" || scope.length > maxScopeLength) return undefined;
  return scope.split(" ").filter((name) => name !== "");
}
