import { isSameIssuer } from "./stored-credentials.ts";
import {
  checkResourceAllowed,
  discoverAuthorizationServerMetadata,
  discoverOAuthProtectedResourceMetadata,
  type AuthorizationServerMetadata,
} from "@modelcontextprotocol/client";
import { ToolError, type JsonObject } from "@toolweave/core";
import { endpointUrl, serverText } from "@toolweave/http";
import type { GuardedFetch } from "./guarded-fetch.ts";
import { readOAuthErrors } from "./oauth-error.ts";

/** An authorization server, as plain JSON. */
export interface Authority {
  /** Its name; tokens and registrations are bound to it. */
  readonly issuer: string;
  /** URL under which it was found. */
  readonly url: string;
  /** Its metadata. Absent: an older server, part of the MCP server itself, with default endpoints. */
  readonly metadata?: JsonObject;
  /** Resource that tokens are issued for (RFC 8707), as the MCP server names it. */
  readonly resource?: string;
  /** Default scopes of the MCP server. */
  readonly scopes?: readonly string[];
}

/**
 * Finds the authorization server of an MCP server (RFC 9728, RFC 8414, OpenID Connect Discovery).
 *
 * @param metadataUrl URL of the MCP server's metadata.
 * @param issuer The only one that is allowed, if the host has set one.
 * @throws ToolError `upstream` when its metadata cannot be used; errors of `fetch`.
 */
export async function findAuthority(
  server: URL,
  fetch: GuardedFetch,
  metadataUrl: URL | undefined,
  issuer: string | undefined,
): Promise<Authority> {
  const resource = await protectedResource(server, metadataUrl, fetch);
  const listed = resource?.authorization_servers ?? [];
  const named =
    issuer === undefined ? listed[0] : listed.find((one) => isSameIssuer(String(one), issuer));
  if (issuer !== undefined && named === undefined && listed.length > 0) {
    throw new ToolError(
      "upstream",
      `The MCP server at ${server.origin} does not name ${issuer}, the value of auth.oauth.issuer, as its authorization server. Nothing was sent.`,
      { audience: "host" },
    );
  }
  const url = String(named ?? issuer ?? new URL("/", server));
  endpointUrl(url, "The authorization server", "upstream");
  const metadata = await readOAuthErrors(server, () =>
    discoverAuthorizationServerMetadata(url, { fetchFn: fetch }),
  );
  if (metadata === undefined && (named ?? issuer) !== undefined) {
    throw new ToolError(
      "upstream",
      `The authorization server ${new URL(url).origin} publishes no metadata (RFC 8414).`,
      { audience: "host" },
    );
  }
  if (metadata !== undefined) checkEndpoints(metadata);
  const scopes = resource?.scopes_supported;
  return {
    issuer: metadata?.issuer ?? url,
    url,
    ...(metadata === undefined ? {} : { metadata: metadata as unknown as JsonObject }),
    ...(resource === undefined ? {} : { resource: String(resource.resource) }),
    ...(scopes === undefined ? {} : { scopes }),
  };
}

/** Returns a list of strings from the metadata of an authorization server. */
export function getListed({ metadata }: Authority, member: string): readonly string[] | undefined {
  const list = metadata?.[member];
  return Array.isArray(list) ? list.filter((one) => typeof one === "string") : undefined;
}

async function protectedResource(
  server: URL,
  metadataUrl: URL | undefined,
  fetch: GuardedFetch,
): Promise<Awaited<ReturnType<typeof discoverOAuthProtectedResourceMetadata>> | undefined> {
  let resource;
  try {
    resource = await discoverOAuthProtectedResourceMetadata(
      server,
      metadataUrl === undefined ? {} : { resourceMetadataUrl: metadataUrl },
      fetch,
    );
  } catch (error) {
    // A request that was blocked or failed is no sign of a server older than RFC 9728.
    if (ToolError.is(error)) throw error;
    return undefined;
  }
  const { resource: configuredResource } = resource;
  if (checkResourceAllowed({ requestedResource: server, configuredResource })) return resource;
  throw new ToolError(
    "upstream",
    `The MCP server at ${server.origin} publishes metadata of another one, ${serverText(configuredResource, [])}, so no token is requested (RFC 9728 section 3.3).`,
    { audience: "host" },
  );
}

function checkEndpoints(metadata: AuthorizationServerMetadata): void {
  const names = ["authorization_endpoint", "token_endpoint", "registration_endpoint"] as const;
  for (const name of names) {
    const url = metadata[name];
    if (url === undefined || url === null) continue;
    endpointUrl(url, `The authorization server's ${name}`, "upstream");
  }
}
