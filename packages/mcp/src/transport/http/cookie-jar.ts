import { parseCookieDate } from "./cookie-date.ts";

/** Maximum number of cookies; the oldest is dropped. */
const maxCookies = 50;

/** Maximum number of characters of a cookie (RFC 6265, section 6.1). */
const maxLength = 4_096;

/** Characters that cannot be sent in a header. */
// oxlint-disable-next-line no-control-regex
const invalidCharacters = /[\u0000-\u0008\u000a-\u001f\u007f]|[^\u0000-\u00ff]/;

interface Cookie {
  readonly name: string;
  readonly value: string;
  readonly path: string;
  readonly isSecure: boolean;
  /** Milliseconds since the epoch. */
  readonly expiresAt: number;
}

/**
 * The cookies of one connection, for its own origin only: a load balancer finds the back end of a session by them
 * (RFC 6265). They are never shared with other connections, whose credentials may be another caller's.
 */
export class CookieJar {
  readonly #origin: URL;
  /** In the order of their creation, by name and path. */
  readonly #cookies = new Map<string, Cookie>();

  /** @param url Any URL of the origin. */
  constructor(url: URL) {
    this.#origin = url;
  }

  /** Stores the cookies of a response (RFC 6265, section 5.3). */
  store(url: string, headers: readonly string[] | undefined): void {
    if (headers === undefined || new URL(url).origin !== this.#origin.origin) return;
    for (const header of headers) {
      const cookie = this.#read(header, new URL(url).pathname);
      if (cookie === undefined) continue;
      const key = `${cookie.path};${cookie.name}`;
      if (cookie.expiresAt <= Date.now()) this.#cookies.delete(key);
      // A replaced cookie keeps its place.
      else this.#cookies.set(key, cookie);
      const [oldest = key] = this.#cookies.keys();
      if (this.#cookies.size > maxCookies) this.#cookies.delete(oldest);
    }
  }

  /**
   * Returns the `cookie` header of a request (RFC 6265, section 5.4); `undefined`: it has none.
   *
   * @param given Value of the header that the host has set: its cookies are sent first, and instead of stored ones of
   * the same name.
   */
  header(url: URL, given?: string): string | undefined {
    if (this.#cookies.size === 0 || url.origin !== this.#origin.origin) return given;
    const names = new Set(given?.split(";").map((pair) => pair.split("=")[0]?.trim()));
    const now = Date.now();
    const sent = [...this.#cookies.values()]
      .filter(
        ({ name, path, isSecure, expiresAt }) =>
          expiresAt > now &&
          !names.has(name) &&
          matchesPath(url.pathname, path) &&
          (!isSecure || url.protocol === "https:"),
      )
      // The sort is stable: of equal lengths the older cookie comes first.
      .sort((one, other) => other.path.length - one.path.length)
      .map(({ name, value }) => `${name}=${value}`);
    return [...(given === undefined ? [] : [given]), ...sent].join("; ") || undefined;
  }

  /** RFC 6265, section 5.2. `undefined`: it is invalid, or not for this origin. */
  #read(header: string, requestPath: string): Cookie | undefined {
    if (header.length > maxLength || invalidCharacters.test(header)) return undefined;
    const [pair = "", ...attributes] = header.split(";");
    const [name, value] = splitPair(pair);
    if (name === "" || !pair.includes("=")) return undefined;
    const last = new Map(attributes.map(splitPair).map(([key, text]) => [key.toLowerCase(), text]));
    const domain = last.get("domain")?.replace(/^\./, "").toLowerCase() ?? "";
    if (domain !== "" && !matchesDomain(this.#origin.hostname, domain)) return undefined;
    const path = last.get("path") ?? "";
    return {
      name,
      value,
      path: path.startsWith("/") ? path : toDefaultPath(requestPath),
      isSecure: last.has("secure"),
      expiresAt: readExpiry(last.get("max-age"), last.get("expires")),
    };
  }
}

/** Splits `name=value`; without `=` the value is empty. */
function splitPair(pair: string): [string, string] {
  const at = pair.indexOf("=");
  return at === -1 ? [pair.trim(), ""] : [pair.slice(0, at).trim(), pair.slice(at + 1).trim()];
}

/** `max-age` has precedence; an invalid value is ignored. */
function readExpiry(maxAge: string | undefined, expires: string | undefined): number {
  if (maxAge !== undefined && /^-?\d+$/.test(maxAge))
    return Number(maxAge) <= 0 ? 0 : Date.now() + 1_000 * Number(maxAge);
  return (expires === undefined ? undefined : parseCookieDate(expires)) ?? Infinity;
}

/** RFC 6265, section 5.1.3. */
function matchesDomain(host: string, domain: string): boolean {
  return host === domain || (host.endsWith(`.${domain}`) && !/^[\d.]+$|:/.test(host));
}

/** RFC 6265, section 5.1.4. */
function toDefaultPath(path: string): string {
  return path.slice(0, path.lastIndexOf("/")) || "/";
}

/** RFC 6265, section 5.1.4. */
function matchesPath(path: string, prefix: string): boolean {
  if (!path.startsWith(prefix)) return false;
  return path.length === prefix.length || prefix.endsWith("/") || path[prefix.length] === "/";
}
