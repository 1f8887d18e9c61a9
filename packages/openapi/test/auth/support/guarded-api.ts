import { createServer } from "node:http";
import {
  startAuthorizationServer,
  type ClientMetadata,
} from "@toolweave/test-support/authorization-server";
import { startServer } from "@toolweave/test-support/start-server";

/** The redirect URI of a sign-in; nothing listens there. */
export const redirectUri = "http://127.0.0.1:9/callback";

/** The credentials of the registered client. */
export const clientSecret = "S3cret-of-the-shop-4711";

const clients: readonly ClientMetadata[] = [
  {
    client_id: "shop",
    client_secret: clientSecret,
    application_type: "native",
    redirect_uris: [redirectUri],
    grant_types: [
      "authorization_code",
      "refresh_token",
      "client_credentials",
      "urn:ietf:params:oauth:grant-type:device_code",
    ],
  },
];

/** An API behind an authorization server, both on loopback. */
export interface GuardedApi {
  /**
   * Of the API; `/whoami` returns the owner of the received token, `/echo` everything it received.
   */
  readonly origin: string;
  /** Of the authorization server. */
  readonly issuer: string;
  /** The authorization server's `METHOD /path`s, in order of arrival. */
  readonly asked: string[];
  /** The tokens that reached the API, in order of arrival. */
  readonly tokens: (string | undefined)[];
  /** Revokes a token, and its refresh token with it if requested. */
  revoke(token: string, whole?: "with the refresh token"): Promise<void>;
}

/** Starts both, until the test ends. */
export async function guardedApi(): Promise<GuardedApi> {
  const {
    provider,
    origin: issuer,
    requests: asked,
  } = await startAuthorizationServer({
    clients: [...clients],
  });
  const tokens: (string | undefined)[] = [];
  const origin = await startServer(
    createServer((request, response) => {
      void (async () => {
        const [, token] = /^Bearer (.+)$/.exec(request.headers.authorization ?? "") ?? [];
        tokens.push(token);
        const found =
          token === undefined
            ? undefined
            : ((await provider.AccessToken.find(token)) ??
              (await provider.ClientCredentials.find(token)));
        if (found === undefined) {
          const challenge = 'Bearer error="invalid_token"';
          response.writeHead(401, { "www-authenticate": challenge }).end(`no: ${token}`);
          return;
        }
        const who = "accountId" in found ? found.accountId : `client ${found.clientId}`;
        const answer = { who, scope: found.scope, headers: request.headers };
        const { who: _, ...rest } = answer;
        const json =
          request.url?.startsWith("/echo") === true
            ? { ...rest, who }
            : { who, scope: found.scope };
        response.setHeader("content-type", "application/json").end(JSON.stringify(json));
      })();
    }),
  );
  return {
    origin,
    issuer,
    asked,
    tokens,
    revoke: async (token, whole) => {
      const access = await provider.AccessToken.find(token);
      const client = await provider.ClientCredentials.find(token);
      if (whole !== undefined && access?.grantId !== undefined) {
        await provider.RefreshToken.revokeByGrantId(access.grantId);
      }
      await access?.destroy();
      await client?.destroy();
    },
  };
}
