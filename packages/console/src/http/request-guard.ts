import { ToolError } from "@toolweave/core";
import { formatValue } from "@toolweave/core/adapter";
import { Problem } from "./problem.ts";

/**
 * Rejects requests that another web page has caused. A page can send requests to any address, and make its own name
 * resolve to this one (DNS rebinding).
 */
export class RequestGuard {
  readonly #hosts: ReadonlySet<string>;
  readonly #origins: ReadonlySet<string>;

  /**
   * @param origins the addresses of this server, exactly: `http://127.0.0.1:8138`.
   * @throws ToolError `invalid_configuration` for none, and for a value that is no origin.
   */
  constructor(origins: readonly string[]) {
    if (!Array.isArray(origins) || origins.length === 0) throw invalidOrigins("none");
    for (const origin of origins as readonly unknown[]) {
      const url = typeof origin === "string" ? URL.parse(origin) : null;
      if (url === null || url.origin !== origin || !/^https?:$/.test(url.protocol)) {
        throw invalidOrigins(formatValue(origin));
      }
    }
    this.#origins = new Set(origins);
    this.#hosts = new Set(origins.map((origin: string) => new URL(origin).host));
  }

  /**
   * @param mayNavigate the request may be one that a person makes, by opening a link from outside of the browser.
   * @throws Problem for a request that was not sent to this server, or was sent by another page.
   */
  check(request: Request, mayNavigate: boolean): void {
    const { headers } = request;
    // Requests of HTTP/2 have no such header: there the URL has the authority.
    const host = headers.get("host") ?? URL.parse(request.url)?.host ?? "";
    if (!this.#hosts.has(host.toLowerCase())) {
      throw new Problem(
        "host_not_allowed",
        "The Host header does not name this server: use the address that it was configured with.",
      );
    }
    const origin = headers.get("origin");
    const site = headers.get("sec-fetch-site");
    const isOwn = origin === null || this.#origins.has(origin);
    const isSameSite = site === null || site === "same-origin" || (mayNavigate && site === "none");
    if (isOwn && isSameSite) return;
    throw new Problem(
      "origin_not_allowed",
      "Pages of other origins cannot use this API: send the request from a program or from a page of this server.",
    );
  }
}

function invalidOrigins(value: string): ToolError {
  return new ToolError(
    "invalid_configuration",
    `consoleHandler: origins must list the addresses of the server (scheme, host and port), such as "https://agents.example.com" or "http://127.0.0.1:8138", not ${value}.`,
  );
}
