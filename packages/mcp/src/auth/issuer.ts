/**
 * True for two names of one authorization server. One trailing slash is no difference: the URL of a server that has no
 * path is written in both ways.
 */
export function isSameIssuer(one: string, other: string): boolean {
  return one.replace(/\/$/, "") === other.replace(/\/$/, "");
}
