import { mayLeavePath } from "../parameters/path-template.ts";

/** The server of an operation's requests. */
export interface Server {
  readonly origin: string;
  /** The base path, without a trailing slash. */
  readonly path: string;
}

/** A server, and the base of relative URLs in the document: its URL as declared. */
export interface ChosenServer extends Server {
  readonly url: string;
}

/** The options that determine a server beside the document. */
export interface ServerChoice {
  /** Replaces the servers of the document, and absolute servers of single paths and operations. */
  readonly baseUrl?: URL | undefined;
  /** The base of relative servers. */
  readonly documentUrl?: string | undefined;
  /** The servers are those of a single path or operation. Default: false. */
  readonly isOwn?: boolean | undefined;
  /** Returns the server that the host configured in place of one of the document. */
  replaced?(server: string): string | URL | undefined;
}

/**
 * Chooses the first declared server that is an `http:` or `https:` URL, with relative ones resolved against the
 * document's URL (OpenAPI 3.2, "Server Object"); a later one that only differs by `https:` takes precedence. The host's
 * replacement of a server takes precedence over all others, then its `baseUrl`.
 *
 * @returns a server, or the reason for which there is none: the end of a sentence.
 */
export function chooseServer(
  servers: readonly string[],
  { baseUrl, documentUrl, isOwn = false, replaced }: ServerChoice = {},
): ChosenServer | string {
  for (const server of servers) {
    const wanted = replaced?.(server);
    if (wanted !== undefined) return toServer(new URL(wanted)) as ChosenServer;
  }
  if (baseUrl !== undefined) {
    const [own] = isOwn ? servers : [];
    const isRelative = own !== undefined && !/^(?:[A-Za-z][A-Za-z0-9+.-]*:|[/\\]{2}|\{)/.test(own);
    return isRelative
      ? (toUsableServer(own, baseUrl.href) ?? describeRefusal(servers))
      : (toServer(baseUrl) as ChosenServer);
  }
  const declared = servers.length === 0 ? ["/"] : servers;
  for (const server of declared) {
    const chosen = toUsableServer(server, documentUrl);
    if (chosen === undefined) continue;
    return (
      declared
        .map((other) => toUsableServer(other, documentUrl))
        .find((other) => other !== undefined && isHttpsVersionOf(other, chosen)) ?? chosen
    );
  }
  return describeRefusal(servers);
}

/** Returns the variables without values in the URL of a server. */
export function findOpenVariables(server: string): readonly string[] {
  return Array.from(server.matchAll(/\{([^{}]*)\}/g), ([, name = ""]) => name);
}

/** Formats a server for messages, without parts that may be secret. */
export function formatServer(server: string): string {
  const plain = server.replace(/^([^/?#]*\/\/)[^/?#]*@/, "$1").replace(/[?#].*$/s, "");
  return JSON.stringify(plain.slice(0, 100));
}

function describeRefusal(servers: readonly string[]): string {
  if (servers.length === 0) return "the document has no server";
  const formatted = servers.map(formatServer).join(", ");
  const [open] = servers.flatMap(findOpenVariables);
  return open === undefined
    ? `the document's server is ${formatted}, which is not an absolute http: or https: URL`
    : `the document's server is ${formatted}, whose variable ${JSON.stringify(open.slice(0, 40))} has no value: set it in \`serverVariables\``;
}

function toUsableServer(server: string, base: string | undefined): ChosenServer | undefined {
  if (findOpenVariables(server).length > 0) return undefined;
  // Strictly, an empty URL is the location of the document; authors mean the root of its host.
  const url = URL.parse(server === "" ? "/" : server, base);
  // Dot segments were resolved by the URL parser, so the person who approves a call sees the result.
  return url !== null && !mayLeavePath(url.pathname) ? toServer(url) : undefined;
}

function isHttpsVersionOf(other: ChosenServer, chosen: ChosenServer): boolean {
  return other.url === chosen.url.replace(/^http:/, "https:") && other.url !== chosen.url;
}

function toServer(url: URL): ChosenServer | undefined {
  if (!isWebUrl(url) || url.username !== "" || url.password !== "") return undefined;
  return { origin: url.origin, path: url.pathname.replace(/\/$/, ""), url: url.href };
}

/** Returns true for `http:` and `https:`. */
export function isWebUrl({ protocol }: URL): boolean {
  return protocol === "https:" || protocol === "http:";
}
