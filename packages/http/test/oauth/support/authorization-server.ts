import {
  startAuthorizationServer,
  type ClientMetadata,
} from "@toolweave/test-support/authorization-server";
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

/** Starts it until the test ends. Refresh tokens can be used once, unless configured otherwise. */
export async function authorizationServer(
  configuration: { readonly rotateRefreshToken?: boolean } = {},
): Promise<AuthorizationServer> {
  const { origin, requests } = await startAuthorizationServer({
    clients: [...clients],
    ...configuration,
  });
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
