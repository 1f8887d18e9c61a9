import { ToolError } from "@toolweave/core";
import type { TokenCredential } from "@toolweave/core/stores";
import { beginAuthorization, finishAuthorization } from "./authorization-code.ts";
import { AuthorizationServer } from "./authorization-server.ts";
import { DeviceFlow } from "./device-flow.ts";
import type { OAuthClient, OAuthClientOptions } from "./oauth-types.ts";
import { RenewedTokens, tokenKey } from "./renewed-tokens.ts";
import { SharedWork } from "./shared-work.ts";

/** @internal The implementation of `oauthClient`, loaded with oauth4webapi when a token is first needed. */
export function createOAuthEngine(options: OAuthClientOptions): OAuthClient {
  const server = new AuthorizationServer(options);
  const devices = new DeviceFlow(server);
  const requests = new SharedWork<TokenCredential>();
  const renewed = new RenewedTokens();
  return {
    clientCredentials: (signal) =>
      requests.run("client", signal, () => {
        const { scope } = server;
        return server.token({ grantType: "client_credentials", parameters: { scope } });
      }),
    refresh: async (token, signal) => {
      const latest = renewed.latest(token);
      if (latest !== token && isValid(latest, server.clock.now())) return latest;
      const { refreshToken } = latest;
      if (refreshToken === undefined) {
        throw new ToolError(
          "auth_required",
          "The token has expired and cannot be renewed. A person has to sign in again: repeat the call.",
        );
      }
      return requests.run(tokenKey(latest), signal, async () => {
        const parameters = { refresh_token: refreshToken };
        const next = await server.token({ grantType: "refresh_token", parameters, old: latest });
        renewed.replaced(latest, next);
        return next;
      });
    },
    beginAuthorization: (signal) => beginAuthorization(server, signal),
    finishAuthorization: (answer, state, signal) =>
      finishAuthorization(server, answer, state, signal),
    beginDevice: (signal) => devices.begin(signal),
    finishDevice: (state, signal) => devices.finish(state, signal),
  };
}

function isValid({ expiresAt }: TokenCredential, now: number): boolean {
  return expiresAt === undefined || expiresAt > now;
}
