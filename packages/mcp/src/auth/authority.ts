import { LATEST_PROTOCOL_VERSION } from "@modelcontextprotocol/client";
import { ToolError } from "@toolweave/core";
import {
  discoverAuthorizationServer,
  discoverResource,
  type AuthorizationServerMetadata,
  type HttpClient,
} from "@toolweave/http";
import { isSameIssuer } from "./stored-credentials.ts";

/** The authorization server of an MCP server, as plain JSON. */
export interface Authority {
  readonly metadata: AuthorizationServerMetadata;
  /** Resource that tokens are issued for (RFC 8707), as the MCP server names it. */
  readonly resource?: string;
  /** Default scopes of the MCP server. */
  readonly scopes?: readonly string[];
}

/** The server's metadata may depend on the version (MCP 2025-03-26, "Server Metadata Discovery"). */
const headers = { "mcp-protocol-version": LATEST_PROTOCOL_VERSION };

/**
 * Finds the authorization server of an MCP server (MCP specification, "Authorization Server Discovery").
 *
 * @param metadataUrl URL of the MCP server's metadata.
 * @param issuer The only one that is allowed, if the host has set one.
 * @throws ToolError `upstream` when its metadata cannot be used; errors of `http`.
 */
export async function findAuthority(
  server: URL,
  http: HttpClient,
  metadataUrl: URL | undefined,
  issuer: string | undefined,
): Promise<Authority> {
  const described = await discoverResource(server, metadataUrl, { http, headers });
  const listed = described?.authorizationServers ?? [];
  const named = issuer === undefined ? undefined : listed.find((one) => isSameIssuer(one, issuer));
  if (issuer !== undefined && named === undefined && listed.length > 0) {
    throw new ToolError(
      "upstream",
      `The MCP server at ${server.origin} does not name ${issuer}, the value of auth.oauth.issuer, as its authorization server. Nothing was sent.`,
      { audience: "host" },
    );
  }
  // RFC 9728 section 2: the client may use any of them.
  const urls = issuer === undefined && listed.length > 0 ? listed : [named ?? issuer];
  const found = await discoverFirst(urls, server, http);
  return {
    metadata: found ?? defaultMetadata(server),
    ...(described === undefined ? {} : { resource: described.resource }),
    ...(described?.scopes === undefined ? {} : { scopes: described.scopes }),
  };
}

/**
 * Returns the metadata of the first server that publishes some.
 *
 * @param urls Their issuers. `undefined`: the MCP server may be one, and `undefined` is returned if it is none.
 */
async function discoverFirst(
  urls: readonly (string | undefined)[],
  server: URL,
  http: HttpClient,
): Promise<AuthorizationServerMetadata | undefined> {
  let failure: unknown;
  for (const url of urls) {
    try {
      const found = await discoverAuthorizationServer(url ?? `${server.origin}/`, {
        http,
        headers,
      });
      if (found !== undefined || url === undefined) return found;
      failure ??= new ToolError(
        "upstream",
        `The authorization server ${new URL(url).origin} publishes no metadata (RFC 8414).`,
        { audience: "host" },
      );
    } catch (error) {
      if (!ToolError.is(error) || error.code !== "upstream") throw error;
      failure ??= error;
    }
  }
  throw failure;
}

/** An older MCP server that is its own authorization server (MCP 2025-03-26, "Fallbacks for Servers without Metadata"). */
function defaultMetadata({ origin }: URL): AuthorizationServerMetadata {
  return {
    issuer: origin,
    authorization_endpoint: `${origin}/authorize`,
    token_endpoint: `${origin}/token`,
    registration_endpoint: `${origin}/register`,
    response_types_supported: ["code"],
    code_challenge_methods_supported: ["S256"],
  };
}

/** True if a list in the metadata of an authorization server contains a value. */
export function lists(
  metadata: AuthorizationServerMetadata,
  member: string,
  value: string,
): boolean {
  const list = metadata[member];
  return Array.isArray(list) && list.includes(value);
}
