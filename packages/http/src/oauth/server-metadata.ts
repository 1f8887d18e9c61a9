import { ToolError, type JsonObject } from "@toolweave/core";
import type { HttpClient } from "../message/http-request.ts";
import { endpointUrl } from "./endpoint-url.ts";
import { readJsonObject, invalidResponse } from "./post-form.ts";

/** A server's metadata (RFC 8414 section 2, OpenID Connect Discovery section 3), as far as it is used. */
export interface ServerMetadata {
  readonly issuer: string;
  readonly tokenUrl?: string | undefined;
  readonly authorizationUrl?: string | undefined;
  readonly deviceAuthorizationUrl?: string | undefined;
  /** Registered names such as `client_secret_basic`. */
  readonly clientAuthentications?: readonly string[];
  /** Its answers to the person's browser name it (RFC 9207 section 3). */
  readonly namesItself: boolean;
}

const openIdSuffix = "/.well-known/openid-configuration";
const oauthSuffix = "/.well-known/oauth-authorization-server";

/**
 * Reads a server's metadata.
 *
 * @throws ToolError `upstream` for an answer that is no metadata, or is another server's; `unavailable` when the
 * server cannot answer now.
 */
export async function readMetadata(
  http: HttpClient,
  discoveryUrl: string,
  signal: AbortSignal | undefined,
): Promise<ServerMetadata> {
  const url = endpointUrl(discoveryUrl, "The authorization server's description", "internal");
  const response = await http.request({
    method: "GET",
    url,
    headers: { accept: "application/json" },
    signal,
  });
  const { status } = response;
  if (status >= 500 || status === 429) {
    throw new ToolError(
      "unavailable",
      `${url.origin} cannot describe its authorization server now (status ${status}). Try again later.`,
    );
  }
  if (URL.parse(response.url)?.origin !== url.origin) {
    throw invalidResponse(url, status, "redirected the request for its description elsewhere");
  }
  const body = status === 200 ? readJsonObject(response) : undefined;
  if (body === undefined) {
    throw invalidResponse(
      url,
      status,
      `answered with status ${status}, and not with a description of itself`,
    );
  }
  return parseMetadata(body, url);
}

function parseMetadata(body: JsonObject, url: URL): ServerMetadata {
  const { issuer } = body;
  if (typeof issuer !== "string" || !isIssuerForUrl(issuer, url)) {
    throw invalidResponse(
      url,
      200,
      "describes another issuer than the one that was asked (RFC 8414 section 3.3), so nothing it says is used. If that is meant, give the URLs of its endpoints instead of the description's",
    );
  }
  const methods = body["token_endpoint_auth_methods_supported"];
  return {
    issuer,
    tokenUrl: getString(body["token_endpoint"]),
    authorizationUrl: getString(body["authorization_endpoint"]),
    deviceAuthorizationUrl: getString(body["device_authorization_endpoint"]),
    ...(Array.isArray(methods)
      ? { clientAuthentications: methods.filter((method) => typeof method === "string") }
      : {}),
    namesItself: body["authorization_response_iss_parameter_supported"] === true,
  };
}

/** RFC 8414 section 3 and OpenID Connect Discovery section 4: where an issuer's description is. */
function isIssuerForUrl(issuer: string, { origin, pathname }: URL): boolean {
  const url = URL.parse(issuer);
  if (url === null || url.origin !== origin || url.search !== "" || url.hash !== "") return false;
  for (const suffix of [openIdSuffix, oauthSuffix]) {
    const at = pathname.indexOf(suffix);
    if (at === -1) continue;
    // Behind the issuer's path, as OpenID Connect has it, or before it.
    const path = pathname.slice(0, at) + pathname.slice(at + suffix.length);
    return withoutSlash(url.pathname) === withoutSlash(path);
  }
  return true;
}

function withoutSlash(path: string): string {
  return path.replace(/\/$/, "");
}

function getString(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}
