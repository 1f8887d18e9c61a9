import { ToolError } from "@toolweave/core";
import type { ClientCredential } from "@toolweave/core/stores";
import type { HttpClient } from "../message/http-request.ts";
import type { AuthorizationServerMetadata } from "./discovery.ts";
import { endpointUrl, isLoopback } from "./endpoint-url.ts";
import { readAnswer, sendToServer } from "./guarded-fetch.ts";
import { invalidResponse, isBusy, serverBusyError, serverText } from "./refusal-error.ts";

/** The client that is registered at an authorization server. */
export interface ClientRegistration {
  /** The client that sends the request: its guard decides which origins may be reached. */
  readonly http: HttpClient;
  /** Metadata of the server, with its `registration_endpoint`. */
  readonly metadata: AuthorizationServerMetadata;
  /** Name that the server displays to people. */
  readonly clientName: string;
  /** URL that the server redirects people to. */
  readonly redirectUri: string;
  /** Scopes that the client may request. Default: the server's. */
  readonly scopes?: readonly string[];
}

/**
 * Registers a client for the authorization code flow and refresh tokens (RFC 7591). It has no secret if the server
 * allows that, since a program on a person's machine cannot protect one.
 *
 * @returns the client, bound to the issuer.
 * @throws ToolError `upstream` when the server does not register it; `unavailable` when the server cannot answer now;
 * errors of `http`.
 */
export async function registerClient(registration: ClientRegistration): Promise<ClientCredential> {
  const { http, metadata, clientName, redirectUri, scopes = [] } = registration;
  const what = "The authorization server's registration_endpoint";
  const url = endpointUrl(metadata["registration_endpoint"], what, "upstream");
  const method = toAuthenticationMethod(metadata);
  const response = await sendToServer(http, url, {
    method: "POST",
    headers: { accept: "application/json", "content-type": "application/json" },
    body: JSON.stringify({
      client_name: clientName,
      redirect_uris: [redirectUri],
      grant_types: ["authorization_code", "refresh_token"],
      response_types: ["code"],
      application_type: isNative(redirectUri) ? "native" : "web",
      token_endpoint_auth_method: method,
      scope: scopes.length === 0 ? undefined : scopes.join(" "),
    }),
  });
  const { status } = response;
  if (isBusy(status)) throw serverBusyError(url, response);
  const answer = readAnswer(response);
  // RFC 7591 section 3.2.1: 201. Some servers send 200.
  if (status !== 200 && status !== 201) {
    const isMissing = status === 404 || status === 405;
    const isPage = /^\s*</.test(response.text());
    const text = isPage ? "" : serverText(response.text(), []);
    const reason = isMissing
      ? `has no registration at ${url.pathname} (status ${status}). If another server issues the tokens, set its issuer; otherwise register the host`
      : `did not register the host (status ${status}${text === "" ? "" : `: ${text}`}). Register it`;
    throw new ToolError(
      "upstream",
      `The authorization server ${url.origin} ${reason} there by hand, and set its clientId.`,
      { status, audience: "host" },
    );
  }
  const {
    client_id: clientId,
    client_secret: clientSecret,
    client_secret_expires_at: ends,
    token_endpoint_auth_method: registeredMethod = method,
  } = answer ?? {};
  if (typeof clientId !== "string" || clientId === "") {
    throw invalidResponse(url, status, "registered the host without a client id");
  }
  return {
    type: "client",
    issuer: metadata.issuer,
    clientId,
    ...(typeof clientSecret === "string" ? { clientSecret } : {}),
    ...(typeof registeredMethod === "string" ? { clientAuthentication: registeredMethod } : {}),
    redirectUri,
    ...(scopes.length === 0 ? {} : { scopes }),
    // Zero: never (RFC 7591 section 3.2.1).
    ...(typeof ends === "number" && ends !== 0 ? { expiresAt: ends * 1_000 } : {}),
  };
}

function toAuthenticationMethod(metadata: AuthorizationServerMetadata): string | undefined {
  const supported = metadata["token_endpoint_auth_methods_supported"];
  if (!Array.isArray(supported)) return undefined;
  const methods = ["none", "client_secret_basic", "client_secret_post"];
  return methods.find((one) => supported.includes(one));
}

/** True if people are redirected to this machine or to an app (RFC 8252, OpenID Connect Registration section 2). */
function isNative(redirectUri: string): boolean {
  const url = new URL(redirectUri);
  return url.protocol !== "https:" || isLoopback(url);
}
