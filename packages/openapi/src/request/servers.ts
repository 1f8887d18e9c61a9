import { mayLeavePath } from "../parameters/path-template.ts";
import type { SourceProblem } from "@toolweave/core/adapter";
import type { ApiDocument } from "../operations/document.ts";
import type { Operation } from "../document/operation.ts";

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
        .find((other) => other !== undefined && isHttpsVariant(other, chosen)) ?? chosen
    );
  }
  return describeRefusal(servers);
}

/** Returns the variables without values in the URL of a server. */
function findOpenVariables(server: string): readonly string[] {
  return Array.from(server.matchAll(/\{([^{}]*)\}/g), ([, name = ""]) => name);
}

/** Formats a server for messages, without parts that may be secret. */
function formatServer(server: string): string {
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

function isHttpsVariant(other: ChosenServer, chosen: ChosenServer): boolean {
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

type KnownServers = Pick<ApiDocument, "servers" | "version">;

/** Returns the server that `servers` has in place of one of the document, by its URL with or without values. */
export function findReplacedServer(
  server: string,
  servers: Readonly<Record<string, string | URL>> = {},
  { serverTemplates }: Pick<ApiDocument, "serverTemplates">,
): string | URL | undefined {
  const template = serverTemplates.get(server) ?? server;
  for (const written of [server, template]) {
    if (Object.hasOwn(servers, written)) return servers[written];
  }
  return undefined;
}

/**
 * Returns the problems of the document's own servers, once for all operations that use them: there is none, or a
 * variable has no value. `baseUrl` solves all of them.
 */
export function findServerProblems(
  { servers, version }: KnownServers,
  operations: readonly Operation[],
  choice: ServerChoice,
): SourceProblem[] {
  if (choice.baseUrl !== undefined) return [];
  const problems: SourceProblem[] = [];
  // Swagger 2.0 uses other fields, and a missing server has no location.
  const pointer = servers.length === 0 || version === "2.0" ? "" : "/servers";
  const chosen = chooseServer(servers, choice);
  if (typeof chosen === "string") {
    const count = operations.filter(({ hasOwnServers }) => hasOwnServers !== true).length;
    if (count === 0) return [];
    const which =
      count === operations.length ? "no tool" : `${count} of ${operations.length} tools`;
    const cannot = count === operations.length ? "can be called" : "cannot be called";
    const reason = `${chosen.charAt(0).toUpperCase()}${chosen.slice(1)}`;
    const message = `${reason}: ${which} ${cannot}. Set \`baseUrl\`.`;
    return [{ subject: "servers", message, pointer, severity: "warning" }];
  }
  for (const server of servers) {
    const [open] = findOpenVariables(server);
    if (open === undefined || choice.replaced?.(server) !== undefined) continue;
    const message = `The server ${formatServer(server)} is not used, because its variable ${JSON.stringify(open.slice(0, 40))} has no value. Set it in \`serverVariables\`.`;
    problems.push({
      subject: "servers",
      message,
      pointer,
      severity: "warning",
    });
  }
  return problems;
}
