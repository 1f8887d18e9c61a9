import { createServer, type RequestListener } from "node:http";
import { Provider, type Configuration } from "oidc-provider";
import { vi } from "vitest";
import { startServer } from "./start-server.ts";

export type { ClientMetadata } from "oidc-provider";

/** An authorization server, and its observed state. */
export interface StartedAuthorizationServer {
  readonly provider: Provider;
  readonly origin: string;
  /** Method and path of every request, in order of arrival. */
  readonly requests: string[];
}

/**
 * Starts oidc-provider on loopback until the test ends. Refresh tokens can be used once; a second
 * use ends the grant.
 */
export async function startAuthorizationServer(
  configuration: Configuration,
): Promise<StartedAuthorizationServer> {
  // It warns that it is not set up for production.
  vi.spyOn(console, "info").mockReturnValue();
  vi.spyOn(console, "warn").mockReturnValue();
  const requests: string[] = [];
  let listener: RequestListener = () => {};
  const origin = await startServer(
    createServer((request, response) => {
      requests.push(`${request.method} ${request.url?.replace(/[?].*/, "")}`);
      listener(request, response);
    }),
  );
  const provider = new Provider(origin, {
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
  listener = provider.callback() as RequestListener;
  return { provider, origin, requests };
}
