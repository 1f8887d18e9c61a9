import {
  checkResourceAllowed,
  discoverAuthorizationServerMetadata,
  discoverOAuthProtectedResourceMetadata,
  type AuthorizationServerMetadata,
} from "@modelcontextprotocol/client";
import { ToolError, type JsonObject } from "@toolweave/core";
import { endpointUrl, serverText } from "@toolweave/http";
import type { GuardedFetch } from "./guarded-fetch.ts";
import { isSameIssuer } from "./issuer.ts";
import { readOAuthErrors } from "./oauth-error.ts";

/** An authorization server, as it is needed to sign in at it. Plain JSON. */
export interface Authority {
  /** Its name; tokens and registrations are bound to it. */
  readonly issuer: string;
  /** Where it was found. */
  readonly url: string;
  /** What it says of itself. Absent: it is an old one at the MCP server itself, with endpoints of usual names. */
  readonly metadata?: JsonObject;
  /** What tokens are for (RFC 8707), as the MCP server calls itself. */
  readonly resource?: string;
  /** What the MCP server takes by default. */
  readonly scopes?: readonly string[];
}

/**
 * The authorization server of an MCP server (RFC 9728, RFC 8414, OpenID Connect Discovery).
 *
 * @param metadataUrl where the MCP server said that it describes itself.
 * @param issuer the only one that is meant, where the host has said so.
 * @throws ToolError `upstream` when what it finds cannot be used; what `fetch` throws.
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
      `The MCP server at ${server.origin} does not name ${issuer} as its authorization server, which auth.oauth.issuer says is the one. Nothing was sent.`,
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
      `The authorization server ${new URL(url).origin} does not describe itself (RFC 8414).`,
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

/** What an authorization server lists under one of its metadata's names. */
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
    // What was not let through, or could not be reached, is no server of before RFC 9728.
    if (ToolError.is(error)) throw error;
    return undefined;
  }
  const { resource: configuredResource } = resource;
  if (checkResourceAllowed({ requestedResource: server, configuredResource })) return resource;
  throw new ToolError(
    "upstream",
    `The MCP server at ${server.origin} describes another one, ${serverText(configuredResource, [])}, so that no token is asked for (RFC 9728 section 3.3).`,
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
