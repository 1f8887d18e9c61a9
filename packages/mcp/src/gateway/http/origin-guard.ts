import { isIP } from "node:net";
import {
  localhostAllowedHostnames,
  localhostAllowedOrigins,
  validateHostHeader,
  validateOriginHeader,
} from "@modelcontextprotocol/server";
import { toErrorResponse } from "./http-exchange.ts";

/** The address that a gateway listens on, and its allowed names. */
export interface AllowedOrigins {
  readonly host: string;
  /** Further host names. */
  readonly hosts: readonly string[];
  /** Origins of web pages that may read responses. */
  readonly origins: readonly string[];
}

/** True for addresses and names that only this machine can reach. */
export function isLoopback(host: string): boolean {
  return host === "localhost" || host === "::1" || (isIP(host) === 4 && host.startsWith("127."));
}

/**
 * Checks whether a request is meant for this gateway. A web page can make its own name resolve to a private address
 * (DNS rebinding): then the `Host` header is that name. A request of a page has its `Origin`.
 */
export class OriginGuard {
  readonly #isLocal: boolean;
  readonly #isWildcard: boolean;
  readonly #hosts: string[];
  readonly #origins: ReadonlySet<string>;

  constructor({ host, hosts, origins }: AllowedOrigins) {
    this.#isLocal = isLoopback(host);
    this.#isWildcard = host === "0.0.0.0" || host === "::";
    const ownName = isIP(host) === 6 ? `[${host}]` : host.toLowerCase();
    this.#hosts = [ownName, ...(this.#isLocal ? localhostAllowedHostnames() : []), ...hosts];
    this.#origins = new Set(origins);
  }

  /** Returns the response that rejects a request for another host, or of a page that is not allowed; else `undefined`. */
  check(headers: Headers): Response | undefined {
    const host = headers.get("host");
    const named = validateHostHeader(host, this.#hosts);
    if (!named.ok && !(this.#isWildcard && isAddress(host))) {
      return toErrorResponse(
        403,
        "The Host header does not name a host of this gateway; see allowedHosts.",
      );
    }
    const origin = headers.get("origin");
    if (origin === null || this.#origins.has(origin)) return undefined;
    if (this.#isLocal && validateOriginHeader(origin, localhostAllowedOrigins()).ok) {
      return undefined;
    }
    return toErrorResponse(
      403,
      "This origin is not allowed to use the gateway; see allowedOrigins.",
    );
  }

  /** Returns the headers that a browser requires before a page of an allowed origin may read the response. */
  corsHeaders(origin: string | null): Readonly<Record<string, string>> {
    if (origin === null || !this.#origins.has(origin)) return {};
    return {
      "access-control-allow-origin": origin,
      "access-control-expose-headers": "Mcp-Session-Id, WWW-Authenticate",
      vary: "Origin",
    };
  }

  /** Responds to a CORS preflight. */
  preflight(requested: Headers): Response {
    if (!this.#origins.has(requested.get("origin") ?? ""))
      return new Response(null, { status: 204 });
    // Arguments of a call may have headers of their own, so the list cannot be fixed.
    const headers = {
      "access-control-allow-methods": "GET, POST, DELETE",
      "access-control-allow-headers": requested.get("access-control-request-headers") ?? "",
      "access-control-max-age": "600",
    };
    return new Response(null, { status: 204, headers });
  }
}

/** True for an address instead of a name: no foreign name can be one. */
function isAddress(host: string | null): boolean {
  const name = URL.parse(`http://${host}`)?.hostname ?? "";
  return isIP(name.replace(/^\[(.*)\]$/, "$1")) !== 0;
}
