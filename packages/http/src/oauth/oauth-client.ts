import { ToolError } from "@toolweave/core";
import { checkOptions } from "@toolweave/core/adapter";
import type { OAuthClient, OAuthClientOptions } from "./oauth-types.ts";

const optionNames: readonly string[] = [
  "http",
  "clientId",
  "clientSecret",
  "tokenUrl",
  "authorizationUrl",
  "deviceAuthorizationUrl",
  "discoveryUrl",
  "metadata",
  "redirectUri",
  "scopes",
  "clientAuthentication",
  "privateKey",
  "openId",
  "resource",
  "clock",
] satisfies readonly (keyof OAuthClientOptions)[];

/**
 * A client of the authorization server that `options` name. Nothing is sent before it is asked for a token. Keep it as
 * long as its tokens are used: it remembers which token has replaced which, and when it has polled.
 *
 * @throws ToolError `invalid_configuration` for options that make no sense.
 */
export function oauthClient(options: OAuthClientOptions): OAuthClient {
  checkOptions("oauthClient", options, optionNames);
  const { clientId, clientSecret, clientAuthentication } = options;
  if (typeof clientId !== "string" || clientId === "") {
    throw new ToolError(
      "invalid_configuration",
      "oauthClient needs the clientId that the server knows it by.",
    );
  }
  const needsSecret = clientAuthentication === "basic" || clientAuthentication === "post";
  if (needsSecret && clientSecret === undefined) {
    throw new ToolError(
      "invalid_configuration",
      `oauthClient: clientAuthentication "${clientAuthentication}" needs a clientSecret.`,
    );
  }
  let engine: Promise<OAuthClient> | undefined;
  // Loaded lazily: a host that never needs a token does not pay for it.
  const loaded = (): Promise<OAuthClient> =>
    (engine ??= import("./oauth-engine.ts").then(({ createOAuthEngine }) =>
      createOAuthEngine(options),
    ));
  return {
    clientCredentials: async (signal) => (await loaded()).clientCredentials(signal),
    refresh: async (token, signal) => (await loaded()).refresh(token, signal),
    beginAuthorization: async (signal) => (await loaded()).beginAuthorization(signal),
    finishAuthorization: async (answer, state, signal) =>
      (await loaded()).finishAuthorization(answer, state, signal),
    beginDevice: async (signal) => (await loaded()).beginDevice(signal),
    finishDevice: async (state, signal) => (await loaded()).finishDevice(state, signal),
  };
}
