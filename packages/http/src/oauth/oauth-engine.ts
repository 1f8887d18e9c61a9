import { ToolError, type JsonObject } from "@toolweave/core";
import type { TokenCredential } from "@toolweave/core/stores";
import { beginAuthorization, finishAuthorization } from "./authorization-code.ts";
import { AuthorizationServer } from "./authorization-server.ts";
import { DeviceFlow } from "./device-flow.ts";
import type {
  AuthorizationStart,
  DeviceStart,
  OAuthClient,
  OAuthClientOptions,
} from "./oauth-types.ts";
import { RenewedTokens, tokenKey } from "./renewed-tokens.ts";
import { SharedWork } from "./shared-work.ts";

/** @internal What is behind `oauthClient`, loaded when a token is first needed. */
export class OAuthEngine implements OAuthClient {
  readonly #server: AuthorizationServer;
  readonly #tokens = new SharedWork<TokenCredential>();
  readonly #renewed = new RenewedTokens();
  readonly #devices: DeviceFlow;

  constructor(options: OAuthClientOptions) {
    this.#server = new AuthorizationServer(options);
    this.#devices = new DeviceFlow(this.#server);
  }

  clientCredentials(signal?: AbortSignal): Promise<TokenCredential> {
    const server = this.#server;
    const { scopes } = server.options;
    const scope = scopes?.length ? { scope: scopes.join(" ") } : undefined;
    return this.#tokens.run("client", signal, async () => {
      const grant = { grant_type: "client_credentials", ...scope };
      return (await server.token({ grant })).token;
    });
  }

  async refresh(token: TokenCredential, signal?: AbortSignal): Promise<TokenCredential> {
    const server = this.#server;
    const latest = this.#renewed.latest(token);
    if (latest !== token && isValid(latest, server.clock.now())) return latest;
    const { refreshToken } = latest;
    if (refreshToken === undefined) {
      throw new ToolError(
        "auth_required",
        "The token has expired and cannot be renewed. A person has to sign in again: repeat the call.",
      );
    }
    return this.#tokens.run(tokenKey(latest), signal, async () => {
      const { token: next } = await server.token({
        grant: { grant_type: "refresh_token", refresh_token: refreshToken },
        secret: ["refresh_token"],
        old: latest,
      });
      this.#renewed.replaced(latest, next);
      return next;
    });
  }

  beginAuthorization(signal?: AbortSignal): Promise<AuthorizationStart> {
    return beginAuthorization(this.#server, signal);
  }

  finishAuthorization(
    answer: string,
    state: JsonObject,
    signal?: AbortSignal,
  ): Promise<TokenCredential> {
    return finishAuthorization(this.#server, answer, state, signal);
  }

  beginDevice(signal?: AbortSignal): Promise<DeviceStart> {
    return this.#devices.begin(signal);
  }

  finishDevice(state: JsonObject, signal?: AbortSignal): Promise<TokenCredential | undefined> {
    return this.#devices.finish(state, signal);
  }
}

function isValid({ expiresAt }: TokenCredential, now: number): boolean {
  return expiresAt === undefined || expiresAt > now;
}
