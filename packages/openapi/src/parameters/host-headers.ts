/** Headers that frame a message or choose its host: only the HTTP client may set them. */
export const framingHeaders: ReadonlySet<string> = new Set([
  "host",
  "content-length",
  "transfer-encoding",
  "connection",
  "keep-alive",
  "proxy-connection",
  "upgrade",
  "te",
  "trailer",
  "expect",
]);

/** Returns the host's headers by lower-case name. */
export function toLowerCaseNames(
  headers: Readonly<Record<string, string>> = {},
): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]),
  );
}

/** Returns the names of the cookies in a `cookie` header. */
export function parseCookieNames({ cookie = "" }: Readonly<Record<string, string>>): string[] {
  return cookie.split(";").map((pair) => (pair.split("=", 1)[0] as string).trim());
}
