import { isIP } from "node:net";
import {
  localhostAllowedHostnames,
  localhostAllowedOrigins,
  validateHostHeader,
  validateOriginHeader,
} from "@modelcontextprotocol/server";
import { refusal } from "./http-refusal.ts";

/** What a gateway listens on, and by which names it is known. */
export interface AllowedOrigins {
  readonly host: string;
  /** Host names beside its own. */
  readonly hosts: readonly string[];
  /** Origins of web pages that may read answers. */
  readonly origins: readonly string[];
}

/** True for addresses and names that only this machine reaches. */
export function isLoopback(host: string): boolean {
  return host === "localhost" || host === "::1" || (isIP(host) === 4 && host.startsWith("127."));
}

/**
 * Which requests are for this gateway at all. A page on the web can have its own name lead to a private address (DNS
 * rebinding): then the `Host` header is that name. What a page sends has its `Origin`.
 */
export class OriginGuard {
  readonly #isLocal: boolean;
  readonly #isWildcard: boolean;
  readonly #hosts: string[];
  readonly #origins: ReadonlySet<string>;

  constructor({ host, hosts, origins }: AllowedOrigins) {
    this.#isLocal = isLoopback(host);
    this.#isWildcard = host === "0.0.0.0" || host === "::";
    const own = isIP(host) === 6 ? `[${host}]` : host.toLowerCase();
    this.#hosts = [own, ...(this.#isLocal ? localhostAllowedHostnames() : []), ...hosts];
    this.#origins = new Set(origins);
  }

  /** The refusal of a request that is meant for somebody else, or comes from a page that may not; else `undefined`. */
  refusalOf(headers: Headers): Response | undefined {
    const host = headers.get("host");
    const named = validateHostHeader(host, this.#hosts);
    if (!named.ok && !(this.#isWildcard && isAddress(host))) {
      return refusal(403, "The Host header names no host of this gateway; see allowedHosts.");
    }
    const origin = headers.get("origin");
    if (origin === null || this.#origins.has(origin)) return undefined;
    if (this.#isLocal && validateOriginHeader(origin, localhostAllowedOrigins()).ok) {
      return undefined;
    }
    return refusal(403, "Pages of this origin may not use the gateway; see allowedOrigins.");
  }

  /** What a browser wants to see before a page of an allowed origin may read the answer. */
  readableBy(origin: string | null): Readonly<Record<string, string>> {
    if (origin === null || !this.#origins.has(origin)) return {};
    return {
      "access-control-allow-origin": origin,
      "access-control-expose-headers": "Mcp-Session-Id, WWW-Authenticate",
      vary: "Origin",
    };
  }

  /** The answer to a browser that asks before it sends (CORS preflight). */
  preflight(asked: Headers): Response {
    if (!this.#origins.has(asked.get("origin") ?? "")) return new Response(null, { status: 204 });
    // Arguments of a call may have headers of their own: there is no whole list of them.
    const headers = {
      "access-control-allow-methods": "GET, POST, DELETE",
      "access-control-allow-headers": asked.get("access-control-request-headers") ?? "",
      "access-control-max-age": "600",
    };
    return new Response(null, { status: 204, headers });
  }
}

/** An address in place of a name: nobody else's name can lead to it. */
function isAddress(host: string | null): boolean {
  const name = URL.parse(`http://${host}`)?.hostname ?? "";
  return isIP(name.replace(/^\[(.*)\]$/, "$1")) !== 0;
}
