import { ToolError } from "@toolweave/core";

/**
 * The addresses that requests to an origin may reach. `public`: only public addresses; `given`: the host configured the
 * origin, which may be private; `allowed`: `allowOrigins` names it, even if it is a metadata address.
 */
export type Reach = "public" | "given" | "allowed";

/**
 * Parses an absolute URL so that one host has one origin: the WHATWG parser normalises case, numeric hosts and
 * default ports; a trailing dot names the same host and is dropped here. `undefined` when it is no URL.
 */
export function parseUrl(text: string, base?: string): URL | undefined {
  const url = URL.parse(text, base);
  if (url === null) return undefined;
  const { hostname } = url;
  if (hostname.endsWith(".")) url.hostname = hostname.slice(0, -1);
  return url;
}

/**
 * Parses the URL of a request: absolute, `http:` or `https:`, without control characters, user name and password.
 *
 * @throws ToolError `invalid_arguments` for one that is no such URL, `permission_denied` for another scheme or credentials.
 */
export function parseRequestUrl(input: string | URL): URL {
  // A URL object is copied: the caller may change its own while the request waits.
  const text = typeof input === "string" ? input : input.href;
  // The WHATWG parser silently drops line breaks and tabs, so they are checked first.
  if (/[\u0000-\u001f\u007f]/.test(text)) {
    throw new ToolError(
      "invalid_arguments",
      "The URL holds control characters. Percent-encode the values in it.",
    );
  }
  const url = parseUrl(text);
  if (url === undefined) {
    throw new ToolError(
      "invalid_arguments",
      "The request has no absolute URL. Write one such as https://api.example.com/items.",
    );
  }
  const { protocol } = url;
  if (protocol !== "https:" && protocol !== "http:") {
    throw new ToolError(
      "permission_denied",
      `A ${protocol} URL is not requested: only http: and https: are.`,
    );
  }
  if (url.username !== "" || url.password !== "") {
    throw new ToolError(
      "permission_denied",
      `The URL at ${url.origin} holds a user name or password, which is refused. Send an authorization header instead.`,
    );
  }
  return url;
}

// Services on high ports that a well-formed HTTP request can damage or trigger.
const servicePorts = new Set([
  "1433", // SQL Server
  "1521", // Oracle
  "2049", // NFS
  "2375", // Docker
  "2379", // etcd
  "3306", // MySQL
  "3389", // RDP
  "5432", // PostgreSQL
  "5672", // AMQP
  "5900", // VNC
  "6000", // X11
  "6379", // Redis
  "6667", // IRC
  "9042", // Cassandra
  "9092", // Kafka
  "11211", // memcached
  "27017", // MongoDB
]);

/**
 * Returns false for ports that do not belong to the web: those below 1024 except 80 and 443, and those of well-known
 * services.
 */
export function isWebPort({ port }: URL): boolean {
  if (port === "" || port === "80" || port === "443") return true;
  return port.length > 3 && Number(port) >= 1024 && !servicePorts.has(port);
}
