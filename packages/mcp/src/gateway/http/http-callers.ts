import { createHash, timingSafeEqual } from "node:crypto";
import type { Caller } from "@toolweave/core";
import type { Authenticate, CallerRefusal, ProtectedResource } from "./http-options.ts";
import { toErrorResponse } from "./http-exchange.ts";

/** Returns the token of `Authorization: Bearer …` (RFC 6750 section 2.1); `undefined`: there is none. */
export function getBearerToken(request: Request): string | undefined {
  return /^Bearer +([\w.~+/-]+=*)$/i.exec(request.headers.get("authorization") ?? "")?.[1];
}

/** Authenticates every request with the token. */
export function tokenCallers(expectedToken: string): Authenticate {
  const expected = digest(expectedToken);
  return (request) => {
    const token = getBearerToken(request);
    if (token === undefined) return undefined;
    // The digests have equal length, so that the duration reveals nothing about the token.
    if (timingSafeEqual(digest(token), expected)) return { id: "token" };
    return { refused: "invalid_token", reason: "The token is not valid for this gateway." };
  };
}

function digest(token: string): Buffer {
  return createHash("sha256").update(token).digest();
}

/** Determines the caller of a request, or the response that rejects it. */
export class CallerCheck {
  readonly #authenticate: Authenticate;
  readonly #metadataUrl: string | undefined;
  readonly #scopes: readonly string[];

  /** @param metadataUrl URL of the protected resource's metadata. */
  constructor(
    authenticate: Authenticate,
    resource: ProtectedResource | undefined,
    metadataUrl: string,
  ) {
    this.#authenticate = authenticate;
    this.#metadataUrl = resource === undefined ? undefined : metadataUrl;
    this.#scopes = resource?.scopes ?? [];
  }

  async authenticate(request: Request): Promise<Caller | Response> {
    const found = await this.#authenticate(request);
    if (found === undefined) return this.#challenge(401, "This gateway requires a bearer token.");
    if (!("refused" in found)) return found;
    const { refused, reason } = found;
    if (refused === "unavailable") return toErrorResponse(503, reason, { "retry-after": "5" });
    return this.#challenge(refused === "insufficient_scope" ? 403 : 401, reason, refused);
  }

  /** RFC 6750 section 3 and RFC 9728 section 5.1. The response to a request without a token has no error code. */
  #challenge(status: number, reason: string, error?: CallerRefusal["refused"]): Response {
    const parts = {
      error,
      error_description: error === undefined ? undefined : reason,
      scope: this.#scopes.length === 0 ? undefined : this.#scopes.join(" "),
      resource_metadata: this.#metadataUrl,
    };
    const parameters = Object.entries(parts)
      .filter(([, value]) => value !== undefined)
      .map(([name, value]) => `${name}="${toQuotedText(String(value))}"`);
    return toErrorResponse(status, reason, {
      "www-authenticate": `Bearer ${parameters.join(", ")}`.trimEnd(),
    });
  }
}

/** Removes characters that a quoted string of a header cannot contain (RFC 9110 section 5.6.4). */
function toQuotedText(text: string): string {
  return text.replaceAll(/[^ !#-[\]-~]/g, "'");
}

const wellKnown = "/.well-known/oauth-protected-resource";

/**
 * Returns the URL of the resource's metadata (RFC 9728 section 3.1):
 * `https://x.test/.well-known/oauth-protected-resource/mcp`.
 */
export function toMetadataUrl(resource: URL): URL {
  const path = resource.pathname === "/" ? "" : resource.pathname;
  return new URL(`${wellKnown}${path}${resource.search}`, resource);
}

/** True for the path of the metadata, and for the well-known path alone, which older clients use. */
export function isMetadataPath(path: string, mcpPath: string): boolean {
  return path === wellKnown || path === `${wellKnown}${mcpPath}`;
}

/** Responds with the metadata (RFC 9728 section 2). It is public, for web pages too. */
export function metadataResponse(
  resource: URL,
  { authorizationServers, scopes }: ProtectedResource,
): Response {
  const document = {
    resource: resource.href,
    authorization_servers: authorizationServers,
    ...(scopes === undefined ? {} : { scopes_supported: scopes }),
    bearer_methods_supported: ["header"],
  };
  return Response.json(document, {
    headers: { "access-control-allow-origin": "*", "cache-control": "max-age=300" },
  });
}
