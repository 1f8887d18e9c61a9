/** Headers that frame a message or choose its host: the HTTP client's, and nobody else's to send. */
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

/** Headers that the host wrote, by lower-case name. */
export function lowerCase(headers: Readonly<Record<string, string>> = {}): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]),
  );
}

/** The names of the cookies in a header `cookie`. */
export function cookieNames({ cookie = "" }: Readonly<Record<string, string>>): string[] {
  return cookie.split(";").map((pair) => (pair.split("=", 1)[0] as string).trim());
}
