import type { HttpRefusal } from "../transport/messages/mcp-connection.ts";
import type { Challenge } from "./sign-in-required.ts";

/** More scopes are in no challenge that is meant. */
const mostScopes = 100;

/** What a refusal asks for. Of several challenges the bearer one; a URL that cannot be meant is left out. */
export function readChallenge({ status, wwwAuthenticate = "" }: HttpRefusal): Challenge {
  const bearer =
    /(?:^|,\s*)bearer(?:\s|$)([^]*)/i.exec(wwwAuthenticate.slice(0, 10_000))?.[1] ?? "";
  const parameters = new Map<string, string>();
  for (const [, name = "", quoted, bare = ""] of bearer.matchAll(
    /(?:^|[\s,])([\w-]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s,"]+))/g,
  )) {
    const value = quoted?.replace(/\\(.)/g, "$1") ?? bare;
    if (!parameters.has(name.toLowerCase())) parameters.set(name.toLowerCase(), value);
  }
  const url = URL.parse(parameters.get("resource_metadata") ?? "");
  const error = parameters.get("error");
  // RFC 6749 appendix A.4: what a scope consists of.
  const scopes = (parameters.get("scope") ?? "")
    .split(" ")
    .filter((one) => /^[!#-[\]-~]+$/.test(one));
  return {
    status,
    ...(url === null ? {} : { metadataUrl: url }),
    scopes: [...new Set(scopes)].slice(0, mostScopes),
    ...(error === undefined ? {} : { error }),
  };
}
