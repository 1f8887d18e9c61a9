import { once } from "node:events";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { Provider, type ClientMetadata, type Configuration } from "oidc-provider";
import { onTestFinished, vi } from "vitest";
import { httpClient, type HttpClient } from "../../../src/index.ts";

/** The redirect URI of the clients of these tests; nothing listens there. */
export const redirectUri = "http://127.0.0.1:9/callback?app=museum";

const grants = [
  "authorization_code",
  "refresh_token",
  "client_credentials",
  "urn:ietf:params:oauth:grant-type:device_code",
];

const common = {
  application_type: "native",
  redirect_uris: [redirectUri],
  grant_types: grants,
} satisfies Partial<ClientMetadata>;

const clients: readonly ClientMetadata[] = [
  { ...common, client_id: "shop", client_secret: "s3cret: with %, + & more" },
  {
    ...common,
    client_id: "poster",
    client_secret: "posted-secret",
    token_endpoint_auth_method: "client_secret_post",
  },
  {
    ...common,
    client_id: "app",
    token_endpoint_auth_method: "none",
    grant_types: grants.filter((grant) => grant !== "client_credentials"),
  },
];

/** An authorization server, and its observed state. */
export interface AuthorizationServer {
  readonly origin: string;
  readonly discoveryUrl: string;
  /** Method and path of every request, in order of arrival. */
  readonly requests: string[];
  /** A guarded client that may reach it. */
  readonly http: HttpClient;
  /** True while the server accepts an access token. */
  isGood(accessToken: string): Promise<boolean>;
}

/**
 * oidc-provider on loopback, closed when the test ends. Refresh tokens can be used once; a second
 * use ends the grant.
 */
export async function authorizationServer(
  configuration: Configuration = {},
): Promise<AuthorizationServer> {
  // It warns that it is not set up for production.
  vi.spyOn(console, "info").mockReturnValue();
  vi.spyOn(console, "warn").mockReturnValue();
  const requests: string[] = [];
  let listener: (request: IncomingMessage, response: never) => unknown = () => undefined;
  const server = createServer((request, response) => {
    requests.push(`${request.method} ${request.url?.replace(/[?].*/, "")}`);
    void listener(request, response as never);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const provider = new Provider(origin, {
    clients: [...clients],
    scopes: ["openid", "offline_access", "read", "write"],
    features: { clientCredentials: { enabled: true }, deviceFlow: { enabled: true } },
    issueRefreshToken: async () => true,
    rotateRefreshToken: true,
    pkce: { required: () => true },
    cookies: { keys: ["only for tests"] },
    ttl: {
      AccessToken: 600,
      ClientCredentials: 600,
      AuthorizationCode: 60,
      DeviceCode: 600,
      RefreshToken: 600,
      Interaction: 600,
      Session: 600,
      Grant: 600,
      IdToken: 600,
    },
    ...configuration,
  });
  listener = provider.callback() as never;
  return {
    origin,
    discoveryUrl: `${origin}/.well-known/openid-configuration`,
    requests,
    http: httpClient({ givenOrigins: [origin] }),
    isGood: async (accessToken) => {
      const headers = { authorization: `Bearer ${accessToken}` };
      return (await fetch(`${origin}/me`, { headers })).status === 200;
    },
  };
}
