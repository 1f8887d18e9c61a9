import { ToolError, type JsonObject, type JsonValue } from "@toolweave/core";
import type { HttpClient } from "../message/http-request.ts";
import type { HttpResponse } from "../message/http-response.ts";
import { endpointUrl } from "./endpoint-url.ts";
import { readAnswer, sendToServer } from "./guarded-fetch.ts";
import { invalidResponse, isBusy, serverBusyError, serverText } from "./refusal-error.ts";

/** The metadata of an authorization server (RFC 8414 section 2, OpenID Connect Discovery section 3). */
export interface AuthorizationServerMetadata {
  /** Name of the server: its tokens and clients belong to it. */
  readonly issuer: string;
  readonly [member: string]: JsonValue | undefined;
}

/** The metadata of an API that requires tokens (RFC 9728 section 2). */
export interface ResourceMetadata {
  /** The API that tokens are requested for (RFC 8707). */
  readonly resource: string;
  /** Issuers of its authorization servers; may be empty. */
  readonly authorizationServers: readonly string[];
  /** Its default scopes. */
  readonly scopes?: readonly string[];
}

/** How metadata is requested. */
export interface DiscoveryOptions {
  /** The client that sends the requests: its guard decides which origins may be reached. */
  readonly http: HttpClient;
  /** Additional headers. */
  readonly headers?: Readonly<Record<string, string>>;
}

/**
 * Reads the metadata of an authorization server (RFC 8414 sections 3 and 5, OpenID Connect Discovery section 4).
 *
 * @param issuer The server. Metadata of another issuer is rejected (RFC 8414 section 3.3).
 * @returns `undefined` if the server publishes none.
 * @throws ToolError `upstream` for metadata that cannot be used; `unavailable` when the server cannot answer now;
 * errors of `http`.
 */
export async function discoverAuthorizationServer(
  issuer: string,
  options: DiscoveryOptions,
): Promise<AuthorizationServerMetadata | undefined> {
  const { origin, pathname } = endpointUrl(issuer, "The authorization server", "upstream");
  const path = pathname.replace(/\/$/, "");
  const paths = [
    `/.well-known/oauth-authorization-server${path}`,
    `/.well-known/openid-configuration${path}`,
    ...(path === "" ? [] : [`${path}/.well-known/openid-configuration`]),
  ];
  let unusable: unknown;
  for (const at of paths) {
    const url = new URL(at, origin);
    const response = await getJson(url, options);
    const { status } = response;
    // Some proxies send 502 for a path that their server does not have.
    if (isBusy(status) && status !== 502) throw serverBusyError(url, response);
    if (status !== 200) continue;
    let metadata: AuthorizationServerMetadata;
    try {
      metadata = readMetadata(url, response, (name) => isSameUrl(name, issuer));
    } catch (error) {
      // Some sites answer every path. Each candidate is tested by itself, so the next one may be used.
      unusable ??= error;
      continue;
    }
    checkEndpoints(metadata);
    return metadata;
  }
  if (unusable !== undefined) throw unusable;
  return undefined;
}

/**
 * Reads the metadata at a configured URL. A URL of another form than the well-known one may describe its whole origin.
 *
 * @throws ToolError as `discoverAuthorizationServer` does.
 */
export async function discoverAt(
  discoveryUrl: string,
  options: DiscoveryOptions,
): Promise<AuthorizationServerMetadata> {
  const url = endpointUrl(
    discoveryUrl,
    "The authorization server's description",
    "invalid_configuration",
  );
  const response = await getJson(url, options);
  const { status } = response;
  if (isBusy(status)) throw serverBusyError(url, response);
  if (status !== 200) {
    const what = `answered with status ${status}, and not with a description of itself`;
    throw invalidResponse(url, status, what);
  }
  const hint = ". If that is meant, give the URLs of its endpoints instead of the description's";
  return readMetadata(url, response, (name) => isIssuerAt(name, url), hint);
}

/**
 * Reads the metadata of an API (RFC 9728), at the URL of its challenge, or else at its well-known URLs. A candidate that
 * cannot be reached or used is skipped: behind a proxy, the URL of a challenge is often wrong.
 *
 * @param resource URL of the API.
 * @param metadataUrl URL of the metadata, from the challenge of the API (RFC 9728 section 5.1).
 * @returns `undefined` if the API publishes none that can be read.
 * @throws ToolError if there is none that can be used: `upstream` for the metadata of another API, and errors of `http`;
 * `permission_denied` always.
 */
export async function discoverResource(
  resource: URL,
  metadataUrl: URL | undefined,
  options: DiscoveryOptions,
): Promise<ResourceMetadata | undefined> {
  const wellKnown = "/.well-known/oauth-protected-resource";
  const path = resource.pathname.replace(/\/$/, "");
  const candidates = [
    ...(metadataUrl === undefined ? [] : [metadataUrl]),
    new URL(`${wellKnown}${path}${resource.search}`, resource),
    new URL(wellKnown, resource),
  ];
  let unusable: unknown;
  for (const href of new Set(candidates.map((url) => url.href))) {
    try {
      const response = await getJson(new URL(href), options);
      const metadata = response.status === 200 ? readAnswer(response) : undefined;
      const described = metadata && readResource(resource, metadata);
      if (described !== undefined) return described;
    } catch (error) {
      if (ToolError.is(error) && (error.code === "permission_denied" || error.code === "cancelled"))
        throw error;
      unusable ??= error;
    }
  }
  if (unusable !== undefined) throw unusable;
  return undefined;
}

function getJson(url: URL, { http, headers }: DiscoveryOptions): Promise<HttpResponse> {
  const accept = { accept: "application/json" };
  return sendToServer(http, url, { method: "GET", headers: { ...accept, ...headers } });
}

function readMetadata(
  url: URL,
  response: HttpResponse,
  isExpected: (issuer: string) => boolean,
  hint = "",
): AuthorizationServerMetadata {
  const { status } = response;
  const metadata = readAnswer(response);
  if (metadata === undefined) {
    throw invalidResponse(url, status, "answered with something else than a JSON object");
  }
  const { issuer } = metadata;
  if (typeof issuer === "string" && isExpected(issuer)) return { ...metadata, issuer };
  throw invalidResponse(
    url,
    status,
    `describes another issuer than the one that was asked (RFC 8414 section 3.3), so nothing it says is used${hint}`,
  );
}

/**
 * True if the URLs differ in a trailing slash at most. The well-known URL of both is the same (RFC 8414 section 3.1, RFC
 * 9728 section 3.1), so the same server has published them.
 */
function isSameUrl(one: string, other: string): boolean {
  return one.replace(/\/$/, "") === other.replace(/\/$/, "");
}

const wellKnownPath = /\/\.well-known\/(?:openid-configuration|oauth-authorization-server)/;

/** RFC 8414 section 3 and OpenID Connect Discovery section 4. */
function isIssuerAt(name: string, { origin, pathname }: URL): boolean {
  const issuer = URL.parse(name);
  if (issuer === null || issuer.origin !== origin) return false;
  if (issuer.search !== "" || issuer.hash !== "") return false;
  const withoutSlash = (path: string): string => path.replace(/\/$/, "");
  return (
    !wellKnownPath.test(pathname) ||
    withoutSlash(issuer.pathname) === withoutSlash(pathname.replace(wellKnownPath, ""))
  );
}

function checkEndpoints(metadata: AuthorizationServerMetadata): void {
  for (const name of ["authorization_endpoint", "registration_endpoint", "token_endpoint"]) {
    // RFC 8414 section 2: only the token endpoint is always required.
    if (metadata[name] === undefined && name !== "token_endpoint") continue;
    endpointUrl(metadata[name], `The authorization server's ${name}`, "upstream");
  }
}

function readResource(
  requested: URL,
  { resource: name, authorization_servers: servers = [], scopes_supported: scopes }: JsonObject,
): ResourceMetadata | undefined {
  const described = typeof name === "string" ? URL.parse(name) : null;
  if (described === null || !isTextList(servers)) return undefined;
  if (scopes !== undefined && !isTextList(scopes)) return undefined;
  if (!isWithin(requested, described)) {
    throw new ToolError(
      "upstream",
      `${requested.origin} publishes the metadata of another API, ${serverText(name, [])}, so no token is requested (RFC 9728 section 3.3).`,
      { audience: "host" },
    );
  }
  return {
    resource: name as string,
    authorizationServers: servers,
    ...(scopes === undefined ? {} : { scopes }),
  };
}

/** Metadata of an origin, or of a folder, is valid for the APIs in it. */
function isWithin(requested: URL, { origin, pathname }: URL): boolean {
  const folder = (path: string): string => (path.endsWith("/") ? path : `${path}/`);
  return requested.origin === origin && folder(requested.pathname).startsWith(folder(pathname));
}

function isTextList(value: JsonValue): value is readonly string[] & JsonValue {
  return Array.isArray(value) && value.every((one) => typeof one === "string");
}
