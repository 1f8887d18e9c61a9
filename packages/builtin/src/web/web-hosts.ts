import { ToolError, type JsonObject, type PermissionRequest } from "@toolweave/core";
import {
  AllowedHosts,
  httpClient,
  parseRequestUrl,
  type HostTarget,
  type HttpRequest,
  type HttpResponse,
  type NetworkRules,
} from "@toolweave/http";

/** A request that a tool intends. */
export interface IntendedRequest {
  readonly method: string;
  /** Parsed by `parseWebUrl`. */
  readonly url: URL;
  /** Facts for the person who decides. */
  readonly details?: JsonObject;
}

/** Characters of a URL that a person can still decide about. */
const maxUrl = 8_000;

/**
 * Parses the URL of a call.
 *
 * @throws ToolError `invalid_arguments`, `permission_denied`
 */
export function parseWebUrl(text: string): URL {
  if (text.length > maxUrl) {
    throw new ToolError(
      "invalid_arguments",
      `The URL has ${text.length} characters, and the maximum is ${maxUrl}.`,
    );
  }
  const url = parseRequestUrl(text);
  url.hash = "";
  return url;
}

const securedSchemes: ReadonlySet<string> = new Set(["https:", "wss:"]);

/** The host and the port of a URL of the web. */
export function toTarget({ hostname, port, protocol }: URL): HostTarget {
  return {
    hostname: hostname.replace(/^\[|\]$/g, "").replace(/\.$/, ""),
    port: Number(port === "" ? (securedSchemes.has(protocol) ? 443 : 80) : port),
  };
}

/** The hosts that tools for the web reach. */
export class WebHosts {
  readonly #allowed: AllowedHosts;

  /** @throws ToolError `invalid_configuration` for an entry that is no host. */
  constructor(where: string, rules: NetworkRules) {
    this.#allowed = new AllowedHosts(where, rules);
  }

  /** The addresses that a URL may lead to; undefined: its host is not on the list. */
  getReach(url: URL): "public" | "given" | undefined {
    return this.getTargetReach(toTarget(url));
  }

  /** The same for a host and a port. */
  getTargetReach(target: HostTarget): "public" | "given" | undefined {
    return this.#allowed.getReach(target);
  }

  /** The permissions that a request needs: a host that is not on the list needs one of its own. */
  permissions({ method, url, details }: IntendedRequest): readonly PermissionRequest[] {
    const request: PermissionRequest = {
      kind: "network",
      target: `${method} ${url.href}`,
      summary: `${method} ${shorten(`${url.pathname}${url.search}`)} on ${url.origin}`,
      ...(details === undefined ? {} : { details }),
    };
    if (this.getReach(url) !== undefined) return [request];
    return [
      request,
      {
        kind: "custom.unlisted_host",
        target: url.origin,
        summary: `Connect to ${url.host}, which is not on the list of hosts`,
      },
    ];
  }

  /**
   * Sends a request to a host that was decided about, at an address that it may have.
   *
   * @throws ToolError (by rejecting) as `HttpClient` does.
   */
  async send(
    request: HttpRequest & { readonly url: URL },
    limits: { readonly timeoutMs: number; readonly maxBytes: number },
  ): Promise<HttpResponse> {
    const { host, origin } = request.url;
    const isPrivate = this.getReach(request.url) === "given";
    // Connections are shared by all clients.
    const client = httpClient({ ...limits, ...(isPrivate ? { givenOrigins: [origin] } : {}) });
    try {
      return await client.request(request);
    } catch (error) {
      if (!ToolError.is(error) || error.code !== "permission_denied") throw error;
      // The remedy of the client is an option that these tools do not have.
      throw new ToolError(
        "permission_denied",
        `${host} is not reached: it has a private address, or a port where no web service is expected. A host of your own network has to be listed in allowPrivate; a cloud's metadata are never reached.`,
        { cause: error },
      );
    }
  }
}

/** Whether a redirect stays at the host that was decided about: the same one, perhaps with encryption from now on. */
export function staysAt(from: URL): (target: URL) => boolean {
  return (target) =>
    target.origin === from.origin ||
    (target.hostname === from.hostname &&
      `${from.protocol}${from.port}` === "http:" &&
      `${target.protocol}${target.port}` === "https:");
}

const maxShort = 300;

function shorten(path: string): string {
  return path.length > maxShort ? `${path.slice(0, maxShort)}…` : path;
}

/** The hosts that one browser may reach: those of the list, and those that were approved. */
export class ReachableHosts {
  readonly #hosts: WebHosts;
  readonly #approved = new Set<string>();

  constructor(hosts: WebHosts) {
    this.#hosts = hosts;
  }

  /** Adds the host of a URL, whose addresses have to be public. */
  approve(url: URL): void {
    const { hostname, port } = toTarget(url);
    this.#approved.add(`${hostname}:${port}`);
  }

  getReach(target: HostTarget): "public" | "given" | undefined {
    const isApproved = this.#approved.has(`${target.hostname}:${target.port}`);
    return this.#hosts.getTargetReach(target) ?? (isApproved ? "public" : undefined);
  }
}
