import { ToolError } from "@toolweave/core";
import { checks, type OptionChecks } from "@toolweave/core/adapter";

/** Hosts to which something else than the host's own code may connect, over HTTP and HTTPS. */
export interface NetworkRules {
  /**
   * Names such as `registry.npmjs.org`, `*.example.com` for all names below one, or `example.com:8443` for another port
   * than 80 and 443. `*` is every name. Their addresses have to be public.
   */
  readonly allow?: readonly string[];
  /** The same for hosts whose addresses may be private, such as `localhost:4873`. Never those of a cloud's metadata. */
  readonly allowPrivate?: readonly string[];
}

/** The checks of `NetworkRules`, for options that contain them. `AllowedHosts` checks each host. */
export const networkChecks: OptionChecks<NetworkRules> = {
  allow: checks.list(checks.filledText),
  allowPrivate: checks.list(checks.filledText),
};

/** A host and a port. */
export interface HostTarget {
  readonly hostname: string;
  readonly port: number;
}

interface HostRule {
  /** Without the `*.` of a rule for all names below it; empty for `*`. */
  readonly hostname: string;
  readonly isWildcard: boolean;
  /** Undefined: 80 and 443. */
  readonly port: number | undefined;
  readonly reach: "public" | "given";
}

/** The compiled list of hosts. */
export class AllowedHosts {
  readonly #rules: readonly HostRule[];

  /**
   * @param where the name of the options, for errors.
   * @throws ToolError `invalid_configuration` for an entry that is no host.
   */
  constructor(where: string, { allow = [], allowPrivate = [] }: NetworkRules) {
    this.#rules = [
      ...allow.map((entry) => parseRule(where, entry, "public")),
      ...allowPrivate.map((entry) => parseRule(where, entry, "given")),
    ];
  }

  /** The addresses that a target may have; undefined: the target is not on the list. */
  getReach({ hostname, port }: HostTarget): "public" | "given" | undefined {
    const matching = this.#rules.filter(
      (rule) =>
        (rule.port === undefined ? port === 80 || port === 443 : port === rule.port) &&
        (rule.isWildcard
          ? rule.hostname === "" || hostname.endsWith(`.${rule.hostname}`)
          : hostname === rule.hostname),
    );
    return matching.find(({ reach }) => reach === "given")?.reach ?? matching[0]?.reach;
  }
}

/**
 * Reads a host and a port as a URL parser does, so that no spelling of a host is another one. Undefined: it is none.
 *
 * @param defaultPort the port if the text has none.
 */
export function parseTarget(text: string, defaultPort: number): HostTarget | undefined {
  // Anything else, such as user information, a NUL or a space, is no host and port.
  if (!/^(?:\[[\da-f:.]+\]|[\w.-]+)(?::\d{1,5})?$/i.test(text)) return undefined;
  const url = URL.parse(`http://${text}`);
  if (url === null) return undefined;
  const written = /:(\d+)$/.exec(text)?.[1];
  const port = written === undefined ? defaultPort : Number(written);
  const hostname = url.hostname.replace(/^\[|\]$/g, "").replace(/\.$/, "");
  return port === 0 || port > 65_535 || hostname === "" ? undefined : { hostname, port };
}

function parseRule(where: string, entry: string, reach: "public" | "given"): HostRule {
  // All hosts at once are no list of private ones.
  if (entry === "*" && reach === "public") {
    return { hostname: "", isWildcard: true, port: undefined, reach };
  }
  const isWildcard = typeof entry === "string" && entry.startsWith("*.");
  const target =
    typeof entry === "string" ? parseTarget(entry.replace(/^\*\./, ""), 443) : undefined;
  if (target === undefined) {
    throw new ToolError(
      "invalid_configuration",
      `${where}: ${JSON.stringify(entry)} is no host; use "example.com", "*.example.com" or "example.com:8443".`,
    );
  }
  const { hostname, port } = target;
  return { hostname, isWildcard, port: /:\d+$/.test(entry) ? port : undefined, reach };
}
