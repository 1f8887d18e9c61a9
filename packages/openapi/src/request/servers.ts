import { leadsElsewhere } from "./path-template.ts";

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

/**
 * The first of the declared servers that is an `http:` or `https:` URL, relative ones seen from the document's URL
 * (OpenAPI 3.2, "Server Object"). A host's `baseUrl` goes before all of them.
 *
 * @returns a server, or the reason why there is none: the end of a sentence.
 */
export function chooseServer(
  servers: readonly string[],
  baseUrl: URL | undefined,
  documentUrl: string | undefined,
): ChosenServer | string {
  if (baseUrl !== undefined) return serverAt(baseUrl) as ChosenServer;
  const declared = servers.length === 0 ? ["/"] : servers;
  for (const server of declared) {
    const url = URL.parse(server, documentUrl);
    // Dots that the URL parser sees are gone by now, for whoever approves a call as well.
    const stays = url !== null && !leadsElsewhere(url.pathname);
    const chosen = stays ? serverAt(url) : undefined;
    if (chosen !== undefined) return chosen;
  }
  const shown = declared.map((server) => JSON.stringify(server.slice(0, 100))).join(", ");
  return servers.length === 0
    ? "the document names no server"
    : `the document's server is ${shown}, which is no absolute http: or https: URL`;
}

function serverAt(url: URL): ChosenServer | undefined {
  if (!isWebUrl(url) || url.username !== "" || url.password !== "") return undefined;
  return { origin: url.origin, path: url.pathname.replace(/\/$/, ""), url: url.href };
}

/** True for `http:` and `https:`. */
export function isWebUrl({ protocol }: URL): boolean {
  return protocol === "https:" || protocol === "http:";
}
