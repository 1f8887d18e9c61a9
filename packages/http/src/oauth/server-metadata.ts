import * as oauth from "oauth4webapi";
import type { HttpClient } from "../message/http-request.ts";
import { endpointUrl } from "./endpoint-url.ts";
import { guardedFetch } from "./guarded-fetch.ts";
import { toToolErrors } from "./library-errors.ts";
import { invalidResponse } from "./refusal-error.ts";

const wellKnown = /\/\.well-known\/(?:openid-configuration|oauth-authorization-server)/;

/**
 * Reads a server's metadata (RFC 8414, OpenID Connect Discovery).
 *
 * @throws ToolError `upstream` for an answer that is no metadata, or is another server's; `unavailable` when the
 * server cannot answer now.
 */
export function readMetadata(
  http: HttpClient,
  discoveryUrl: string,
): Promise<oauth.AuthorizationServer> {
  const url = endpointUrl(discoveryUrl, "The authorization server's description", "internal");
  return toToolErrors(url, [], async () => {
    const response = await guardedFetch(http, undefined)(url.href, {
      method: "GET",
      headers: { accept: "application/json" },
      body: undefined,
      redirect: "manual",
    });
    const { status } = response;
    if (status !== 200) {
      throw invalidResponse(
        url,
        status,
        `answered with status ${status}, and not with a description of itself`,
      );
    }
    const { issuer } = (await response.clone().json()) as { readonly issuer?: unknown };
    const expected = typeof issuer === "string" ? URL.parse(issuer) : null;
    if (expected === null || !isIssuerForUrl(expected, url)) {
      throw invalidResponse(
        url,
        status,
        "describes another issuer than the one that was asked (RFC 8414 section 3.3), so nothing it says is used. If that is meant, give the URLs of its endpoints instead of the description's",
      );
    }
    return oauth.processDiscoveryResponse(expected, response);
  });
}

/** RFC 8414 section 3 and OpenID Connect Discovery section 4. An address of another form may describe its whole origin. */
function isIssuerForUrl(issuer: URL, { origin, pathname }: URL): boolean {
  if (issuer.origin !== origin || issuer.search !== "" || issuer.hash !== "") return false;
  const withoutSlash = (path: string): string => path.replace(/\/$/, "");
  return (
    !wellKnown.test(pathname) ||
    withoutSlash(issuer.pathname) === withoutSlash(pathname.replace(wellKnown, ""))
  );
}
