import type { ProtectedResource } from "./http-options.ts";

const wellKnown = "/.well-known/oauth-protected-resource";

/** Where the metadata of the resource stands (RFC 9728 section 3.1): `https://x.test/.well-known/oauth-protected-resource/mcp`. */
export function toMetadataUrl(resource: URL): URL {
  const path = resource.pathname === "/" ? "" : resource.pathname;
  return new URL(`${wellKnown}${path}${resource.search}`, resource);
}

/** True for its path, and for the well-known one alone, where older clients look. */
export function isMetadataPath(path: string, mcpPath: string): boolean {
  return path === wellKnown || path === `${wellKnown}${mcpPath}`;
}

/** The metadata (RFC 9728 section 2). Anybody may read it, a web page, too. */
export function metadataAnswer(
  resource: URL,
  { authorizationServers, scopes }: ProtectedResource,
): Response {
  const document = {
    resource: resource.href,
    authorization_servers: authorizationServers,
    ...(scopes === undefined ? {} : { scopes_supported: scopes }),
    bearer_methods_supported: ["header"],
  };
  return Response.json(document, {
    headers: { "access-control-allow-origin": "*", "cache-control": "max-age=300" },
  });
}
