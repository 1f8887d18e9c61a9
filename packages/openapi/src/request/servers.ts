import { leadsElsewhere } from "../parameters/path-template.ts";

/** Where an operation's requests go. */
export interface Server {
  readonly origin: string;
  /** The path before every path, without a slash at its end. */
  readonly path: string;
}

/** A server, and what relative URLs of the document are seen from: its address as it is declared. */
export interface ChosenServer extends Server {
  readonly url: string;
}

/** What decides about a server beside the document. */
export interface ServerChoice {
  /** Stands for the servers of the document, and for absolute ones of single paths and operations. */
  readonly baseUrl?: URL | undefined;
  /** Relative servers are seen from it. */
  readonly documentUrl?: string | undefined;
  /** The servers are those of a single path or operation. Default: false. */
  readonly isOwn?: boolean | undefined;
  /** What the host wants in place of a server of the document. */
  replaced?(server: string): string | URL | undefined;
}

/**
 * The first of the declared servers that is an `http:` or `https:` URL, relative ones seen from the document's URL
 * (OpenAPI 3.2, "Server Object"); the next one in its place when that is the same with `https:`. What the host wants in
 * place of one of them goes before all, then its `baseUrl`.
 *
 * @returns a server, or the reason why there is none: the end of a sentence.
 */
export function chooseServer(
  servers: readonly string[],
  { baseUrl, documentUrl, isOwn = false, replaced }: ServerChoice = {},
): ChosenServer | string {
  for (const server of servers) {
    const wanted = replaced?.(server);
    if (wanted !== undefined) return serverAt(new URL(wanted)) as ChosenServer;
  }
  if (baseUrl !== undefined) {
    const [own] = isOwn ? servers : [];
    const isRelative = own !== undefined && !/^(?:[A-Za-z][A-Za-z0-9+.-]*:|[/\\]{2}|\{)/.test(own);
    return isRelative
      ? (usable(own, baseUrl.href) ?? refusal(servers))
      : (serverAt(baseUrl) as ChosenServer);
  }
  const declared = servers.length === 0 ? ["/"] : servers;
  for (const server of declared) {
    const chosen = usable(server, documentUrl);
    if (chosen === undefined) continue;
    return (
      declared
        .map((other) => usable(other, documentUrl))
        .find((other) => other !== undefined && isHttpsVersionOf(other, chosen)) ?? chosen
    );
  }
  return refusal(servers);
}

/** The names of variables in the URL of a server that have no value. */
export function openVariables(server: string): readonly string[] {
  return Array.from(server.matchAll(/\{([^{}]*)\}/g), ([, name = ""]) => name);
}

/** A server as messages quote it: without what may be secret in it. */
export function formatServer(server: string): string {
  const plain = server.replace(/^([^/?#]*\/\/)[^/?#]*@/, "$1").replace(/[?#].*$/s, "");
  return JSON.stringify(plain.slice(0, 100));
}

function refusal(servers: readonly string[]): string {
  if (servers.length === 0) return "the document names no server";
  const shown = servers.map(formatServer).join(", ");
  const [open] = servers.flatMap(openVariables);
  return open === undefined
    ? `the document's server is ${shown}, which is no absolute http: or https: URL`
    : `the document's server is ${shown}, whose variable ${JSON.stringify(open.slice(0, 40))} has no value; \`serverVariables\` gives it one`;
}

function usable(server: string, base: string | undefined): ChosenServer | undefined {
  if (openVariables(server).length > 0) return undefined;
  // An empty URL is the place of the document by its letter, and means the root of its host.
  const url = URL.parse(server === "" ? "/" : server, base);
  // Dots that the URL parser sees are gone by now, for whoever approves a call as well.
  return url !== null && !leadsElsewhere(url.pathname) ? serverAt(url) : undefined;
}

function isHttpsVersionOf(other: ChosenServer, chosen: ChosenServer): boolean {
  return other.url === chosen.url.replace(/^http:/, "https:") && other.url !== chosen.url;
}

function serverAt(url: URL): ChosenServer | undefined {
  if (!isWebUrl(url) || url.username !== "" || url.password !== "") return undefined;
  return { origin: url.origin, path: url.pathname.replace(/\/$/, ""), url: url.href };
}

/** True for `http:` and `https:`. */
export function isWebUrl({ protocol }: URL): boolean {
  return protocol === "https:" || protocol === "http:";
}
