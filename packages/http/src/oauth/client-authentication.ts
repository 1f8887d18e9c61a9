import { createPrivateKey } from "node:crypto";
import { ToolError } from "@toolweave/core";
import * as oauth from "oauth4webapi";
import type { AuthorizationServerMetadata } from "./discovery.ts";
import type { OAuthClientOptions, OAuthPrivateKey } from "./oauth-types.ts";

/**
 * Returns how the client proves who it is (RFC 6749 section 2.3, RFC 7523).
 *
 * @param getMetadata Returns the metadata of the server, if there is any. Called only if the way depends on it.
 * @throws ToolError `invalid_configuration` for a private key that cannot be used.
 */
export async function clientAuthentication(
  options: OAuthClientOptions,
  getMetadata: () => Promise<AuthorizationServerMetadata | undefined>,
): Promise<oauth.ClientAuth> {
  const { clientAuthentication: configured, clientSecret, privateKey } = options;
  if (privateKey !== undefined) {
    // The audience of the assertion is the issuer, so that no other server can use it (RFC 7523 section 3).
    if ((await getMetadata()) !== undefined) {
      return oauth.PrivateKeyJwt(importPrivateKey(privateKey));
    }
    throw new ToolError(
      "invalid_configuration",
      "oauthClient: a privateKey needs the discoveryUrl or the metadata of the server.",
    );
  }
  if (clientSecret === undefined) return oauth.None();
  const method = configured ?? toSupportedMethod(await getMetadata());
  if (method === "none" || (method === "post" && clientSecret === "")) return oauth.None();
  if (method === "post") return oauth.ClientSecretPost(clientSecret);
  // oauth4webapi's own encodes `-`, `.` and `_` too: servers that do not decode would not find the client.
  return (_as, { client_id: clientId }, _body, headers) => {
    const credentials = Buffer.from(userInfo(clientId, clientSecret)).toString("base64");
    headers.set("authorization", `Basic ${credentials}`);
  };
}

/** RFC 6749 section 2.3.1: id and secret are encoded as in a form. */
export function userInfo(clientId: string, clientSecret: string): string {
  const encode = (text: string): string => new URLSearchParams([["", text]]).toString().slice(1);
  return `${encode(clientId)}:${encode(clientSecret)}`;
}

function toSupportedMethod(
  metadata: AuthorizationServerMetadata | undefined,
): "basic" | "post" | "none" {
  const supported = metadata?.["token_endpoint_auth_methods_supported"];
  const isSupported = (method: string): boolean =>
    Array.isArray(supported) && supported.includes(method);
  if (isSupported("client_secret_basic")) return "basic";
  if (isSupported("client_secret_post")) return "post";
  return isSupported("none") ? "none" : "basic";
}

const curves: Readonly<Record<string, string>> = { ES256: "P-256", ES384: "P-384", ES512: "P-521" };

/** Imports a PKCS #8 key for an algorithm of JSON Web Signatures (RFC 7518 section 3.1). */
function importPrivateKey({ key, algorithm }: OAuthPrivateKey): oauth.CryptoKey {
  const namedCurve = curves[algorithm];
  const name = algorithm.startsWith("PS") ? "RSA-PSS" : "RSASSA-PKCS1-v1_5";
  const parameters =
    namedCurve === undefined
      ? { name, hash: `SHA-${algorithm.slice(2)}` }
      : { name: "ECDSA", namedCurve };
  try {
    return createPrivateKey(key).toCryptoKey(parameters, false, ["sign"]);
  } catch {
    throw new ToolError(
      "invalid_configuration",
      `oauthClient: the privateKey is no PKCS #8 key in PEM for ${algorithm}.`,
    );
  }
}
