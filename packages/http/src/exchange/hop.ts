import { ToolError } from "@toolweave/core";
import type { ClientState } from "./client-state.ts";
import { type Reach, isWebPort, parseRequestUrl, parseUrl } from "../address/origin.ts";
import { isBuffered, type HttpRequest, type RequestBody } from "../message/http-request.ts";
import {
  headersForOtherOrigin,
  headersWithoutBody,
  outgoingHeaders,
  type HeaderList,
} from "./outgoing-headers.ts";
import { tlsIdentity, type TlsIdentity } from "../connection/tls-identity.ts";

/** One request on the wire: the first one, or one that follows a redirect. */
export interface Hop {
  readonly url: URL;
  readonly origin: string;
  readonly reach: Reach;
  readonly method: string;
  /** The method of the first request: a redirect may have changed it to `GET`. */
  readonly originalMethod: string;
  readonly headers: HeaderList;
  readonly body: RequestBody | undefined;
  readonly identity: TlsIdentity | undefined;
  /** Origin of the URL, for error texts. */
  readonly chooser: Chooser;
}

type Chooser = "the document" | "a redirect";

const redirectStatuses = new Set([301, 302, 303, 307, 308]);

/** Formats the option that allows a refused origin. */
export function allowOriginHint(origin: string): string {
  return `To allow it: allowOrigins: [${JSON.stringify(origin)}].`;
}

/** Returns true for a status that redirects the client. */
export function isRedirect(status: number): boolean {
  return redirectStatuses.has(status);
}

/**
 * Creates the first hop. Throws `invalid_arguments` or `permission_denied` for a request that cannot or must not be
 * sent.
 */
export function firstHop(request: HttpRequest, state: ClientState): Hop {
  const url = parseRequestUrl(request.url);
  // Case-sensitive (RFC 9110 section 9.1).
  const { method } = request;
  if (!/^[!#$%&'*+\-.^_`|~0-9A-Z]+$/i.test(method) || /^connect$/i.test(method)) {
    throw new ToolError(
      "invalid_arguments",
      `${JSON.stringify(method.slice(0, 32))} is not a method that can be sent.`,
    );
  }
  const { origin } = url;
  return {
    url,
    origin,
    reach: getReach(url, origin, state, "the document"),
    method,
    originalMethod: method,
    headers: withLength(outgoingHeaders(request.headers), request),
    body: isBuffered(request.body) && request.body.length === 0 ? undefined : request.body,
    identity: getIdentity(url, request, state),
    chooser: "the document",
  };
}

/**
 * Creates the hop to which a redirect leads (RFC 9110, section 15.4; methods as in the Fetch standard). Throws
 * `upstream` for a redirect that must not be followed.
 */
export function nextHop(
  hop: Hop,
  status: number,
  location: string | readonly string[] | undefined,
  request: HttpRequest,
  state: ClientState,
): Hop {
  const url = redirectUrl(hop, status, location);
  const { origin } = url;
  const leaves = origin !== hop.origin;
  const toGet = status === 303 ? hop.method !== "HEAD" : status < 303 && hop.method === "POST";
  const method = toGet ? "GET" : hop.method;
  const body = toGet ? undefined : hop.body;
  if (leaves && (body !== undefined || (method !== "GET" && method !== "HEAD"))) {
    throw refusedRedirectError(
      hop,
      status,
      `to ${origin}, and a ${method} is not repeated at another origin. Send it to the new address if that is meant.`,
    );
  }
  if (body !== undefined && !isBuffered(body)) {
    throw refusedRedirectError(
      hop,
      status,
      `to ${origin}, and a body that was a stream cannot be sent twice. Send it to the new address.`,
    );
  }
  let { headers } = hop;
  if (toGet) headers = headersWithoutBody(headers);
  if (leaves) {
    headers = headersForOtherOrigin(headers, request.credentials);
    for (const name of request.credentials ?? []) {
      // Checked first, because deleting serializes the whole query again.
      if (url.searchParams.has(name)) url.searchParams.delete(name);
    }
  }
  const chooser = "a redirect";
  const reach = getReach(url, origin, state, chooser);
  const identity = leaves ? tlsIdentity(undefined, state.certificateAuthorities) : hop.identity;
  const { originalMethod } = hop;
  return { url, origin, reach, method, originalMethod, headers, body, identity, chooser };
}

function withLength(headers: HeaderList, { body, bodyLength }: HttpRequest): HeaderList {
  if (bodyLength === undefined || body === undefined || isBuffered(body)) return headers;
  if (!Number.isSafeInteger(bodyLength) || bodyLength < 0) {
    throw new ToolError("invalid_arguments", `A body cannot have ${bodyLength} bytes.`);
  }
  headers.push("content-length", `${bodyLength}`);
  return headers;
}

function getIdentity(
  url: URL,
  { certificate }: HttpRequest,
  { certificateAuthorities }: ClientState,
): TlsIdentity | undefined {
  if (certificate !== undefined && url.protocol !== "https:") {
    throw new ToolError(
      "permission_denied",
      `The request needs a client certificate, and ${url.origin} is not https, where there is none.`,
    );
  }
  return tlsIdentity(certificate, certificateAuthorities);
}

/** @param origin the one of the URL, which `URL` composes at each access. */
function getReach(url: URL, origin: string, state: ClientState, chooser: Chooser): Reach {
  const reach = state.origins.get(origin) ?? "public";
  if (reach === "public" && !isWebPort(url)) {
    throw new ToolError(
      "permission_denied",
      `${origin} has a port where no web service is expected, and ${chooser} chose it, not you. ${allowOriginHint(origin)}`,
    );
  }
  return reach;
}

/** The URL to which a redirect leads. Throws `upstream` for one that must not be followed. */
export function redirectUrl(
  hop: Hop,
  status: number,
  location: string | readonly string[] | undefined,
): URL {
  if (typeof location !== "string") {
    throw refusedRedirectError(hop, status, "without a location.");
  }
  // Header values arrive as Latin-1, but servers write UTF-8.
  const url = parseUrl(Buffer.from(location, "latin1").toString(), hop.url.href);
  if (url === undefined) {
    throw refusedRedirectError(hop, status, "to something that is not a URL.");
  }
  if (url.protocol !== "https:" && url.protocol !== "http:") {
    throw refusedRedirectError(
      hop,
      status,
      `to a ${url.protocol} URL; only http: and https: are followed.`,
    );
  }
  if (url.protocol === "http:" && hop.url.protocol === "https:") {
    throw refusedRedirectError(hop, status, `from https to ${url.origin}, which is not encrypted.`);
  }
  if (url.username !== "" || url.password !== "") {
    throw refusedRedirectError(
      hop,
      status,
      `to ${url.origin} with a user name or password in the URL.`,
    );
  }
  return url;
}

function refusedRedirectError(hop: Hop, status: number, where: string): ToolError {
  return new ToolError("upstream", `${hop.origin} redirected (${status}) ${where}`, { status });
}
