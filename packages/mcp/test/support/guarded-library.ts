import { createServer } from "node:http";
import { createMcpHandler } from "@modelcontextprotocol/server";
import {
  startAuthorizationServer,
  type ClientMetadata,
} from "@toolweave/test-support/authorization-server";
import { startServer } from "@toolweave/test-support/start-server";
import { answer } from "./http-library.ts";
import { library as libraryServer } from "./library.ts";

/** A library that requires tokens, and the authorization server that issues them. */
export interface GuardedLibrary {
  readonly url: string;
  /** Of the authorization server, which is its issuer as well. */
  readonly authority: string;
  /** Method and path of the authorization server's requests. */
  readonly asked: string[];
  /** The tokens of all requests to the library. */
  readonly tokens: (string | undefined)[];
  /** The owner of a token. */
  findOwner(token: string): Promise<string | undefined>;
  /** The scope that a tool requires beside `read`, by its name. */
  readonly needs: Map<string, string>;
  /** No scope is enough for the tools that require one. */
  isNeverContent: boolean;
  /** The lost data of the authorization server about a token. */
  revoke(token: string): Promise<void>;
}

/** Starts both on loopback; they end with the test. Refresh tokens can be used once. */
export async function guardedLibrary(
  clients: readonly ClientMetadata[] = [],
): Promise<GuardedLibrary> {
  const {
    provider,
    origin: authority,
    requests: asked,
  } = await startAuthorizationServer({
    clients: [...clients],
    features: {
      registration: { enabled: true },
      clientCredentials: { enabled: true },
      resourceIndicators: {
        enabled: true,
        getResourceServerInfo: (_, resource) => ({
          scope: "read write",
          audience: resource,
          accessTokenFormat: "opaque",
        }),
        useGrantedResource: () => true,
      },
    },
  });
  const tokens: (string | undefined)[] = [];
  const needs = new Map<string, string>();
  const handler = createMcpHandler(() => libraryServer({ edition: 0 }));
  const server = createServer((request, response) => {
    const { url = "/", headers } = request;
    if (url.startsWith("/.well-known/oauth-protected-resource")) {
      const described = {
        resource: `${origin}/mcp`,
        authorization_servers: [authority],
        scopes_supported: ["read"],
      };
      response.setHeader("content-type", "application/json").end(JSON.stringify(described));
      return;
    }
    const token = headers.authorization?.replace(/^Bearer /, "");
    tokens.push(token);
    void findRefusal(token, String(headers["mcp-name"])).then((refusal) => {
      if (refusal === undefined) return answer(handler.fetch, request, response);
      const challenge = `Bearer resource_metadata="${origin}/.well-known/oauth-protected-resource/mcp", ${refusal.says}`;
      request.resume();
      response.writeHead(refusal.status, { "www-authenticate": challenge }).end();
      return undefined;
    });
  });
  const origin = await startServer(server);
  const found = async (token: string) =>
    (await provider.AccessToken.find(token)) ?? (await provider.ClientCredentials.find(token));

  /** The reason why a request is rejected; undefined: it is answered. */
  const findRefusal = async (token: string | undefined, tool: string) => {
    const known = token === undefined ? undefined : await found(token);
    if (known?.aud !== `${origin}/mcp`) return { status: 401, says: 'scope="read"' };
    const needed = needs.get(tool);
    const isEnough = !library.isNeverContent && known.scope?.split(" ").includes(`${needed}`);
    if (needed === undefined || isEnough === true) return undefined;
    return { status: 403, says: `error="insufficient_scope", scope="${needed}"` };
  };

  const library: GuardedLibrary = {
    url: `${origin}/mcp`,
    isNeverContent: false,
    authority,
    asked,
    tokens,
    needs,
    findOwner: async (token) => (await provider.AccessToken.find(token))?.accountId,
    revoke: async (token) => void (await (await found(token))?.destroy()),
  };
  return library;
}
