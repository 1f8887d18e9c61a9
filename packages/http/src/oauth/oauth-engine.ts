import { ToolError } from "@toolweave/core";
import type { TokenCredential } from "@toolweave/core/stores";
import { beginAuthorization, finishAuthorization } from "./authorization-code.ts";
import { AuthorizationServer } from "./authorization-server.ts";
import { DeviceFlow } from "./device-flow.ts";
import type { OAuthClient, OAuthClientOptions } from "./oauth-types.ts";
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

const maxTokens = 1_000;

/**
 * Remembers which token has replaced which. A caller with an old token gets the new one: to send the old refresh token once
 * more could end the whole sign-in (RFC 9700 section 4.14.2).
 */
class RenewedTokens {
  readonly #successors = new Map<string, TokenCredential>();

  /** The token that has taken the place of `token` by now; itself when none has. */
  latest(token: TokenCredential): TokenCredential {
    let latest = token;
    for (;;) {
      const next = this.#successors.get(tokenKey(latest));
      if (next === undefined) return latest;
      latest = next;
    }
  }

  replaced(old: TokenCredential, token: TokenCredential): void {
    const name = tokenKey(old);
    // A server that issues the same again has replaced nothing, and would lead `latest` in a circle.
    if (tokenKey(this.latest(token)) === name) return;
    this.#successors.delete(name);
    this.#successors.set(name, token);
    const [oldest] = this.#successors.keys();
    if (this.#successors.size > maxTokens && oldest !== undefined) this.#successors.delete(oldest);
  }
}

/** A key that identifies a token. */
function tokenKey({ accessToken, refreshToken }: TokenCredential): string {
  return JSON.stringify([accessToken, refreshToken]);
}
