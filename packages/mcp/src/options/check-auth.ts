import { ToolError } from "@toolweave/core";
import { checkOptions } from "@toolweave/core/adapter";
import type { CredentialStore } from "@toolweave/core/stores";
import type { McpHttpServer } from "./mcp-options.ts";
import type { McpAuth, McpOAuth, McpPrivateKey } from "./auth-options.ts";

const authNames: readonly string[] = [
  "bearer",
  "oauth",
  "store",
] satisfies readonly (keyof McpAuth)[];

const oauthNames: readonly string[] = [
  "clientId",
  "clientSecret",
  "privateKey",
  "clientMetadataUrl",
  "issuer",
  "flow",
  "redirectUri",
  "scopes",
] satisfies readonly (keyof McpOAuth)[];

const keyNames: readonly string[] = ["key", "algorithm"] satisfies readonly (keyof McpPrivateKey)[];

const storeMethods = ["get", "set", "delete"] as const satisfies readonly (keyof CredentialStore)[];

/**
 * Validates the credentials of a server over HTTP. Error messages do not contain their values.
 *
 * @throws ToolError `internal` when an option is invalid.
 */
export function checkAuth({ auth, headers = {}, allowOrigins = [] }: McpHttpServer): void {
  const isList = Array.isArray(allowOrigins) && allowOrigins.every(isOrigin);
  if (!isList) {
    throw invalidOption(
      'allowOrigins takes a list of origins such as "https://auth.example.com:8443"',
    );
  }
  if (auth === undefined) return;
  checkOptions("mcpSource auth", auth, authNames);
  const { bearer, oauth, store } = auth;
  if (bearer !== undefined && typeof bearer !== "function" && !isText(bearer)) {
    throw invalidOption("auth.bearer takes a string, or a function that returns one");
  }
  const hasHeader = Object.keys(headers).some((name) => name.toLowerCase() === "authorization");
  if (hasHeader && (bearer !== undefined || oauth !== undefined)) {
    throw invalidOption(
      "give either auth or the header authorization: only one of them can be sent",
    );
  }
  if (store !== undefined && !storeMethods.every((name) => typeof store[name] === "function")) {
    throw invalidOption("auth.store takes a CredentialStore: get, set and delete");
  }
  if (oauth !== undefined) checkOAuth(oauth);
}

function checkOAuth(oauth: McpOAuth): void {
  checkOptions("mcpSource auth.oauth", oauth, oauthNames);
  const { clientId, clientSecret, privateKey, clientMetadataUrl, issuer, flow, scopes } = oauth;
  const texts = { clientId, clientSecret, issuer };
  for (const [name, value] of Object.entries(texts)) {
    if (value !== undefined && !isText(value))
      throw invalidOption(`auth.oauth.${name} is not a non-empty string`);
  }
  if (privateKey !== undefined) {
    checkOptions("mcpSource auth.oauth.privateKey", privateKey, keyNames);
    if (!isText(privateKey.key) || !/^(?:ES|RS|PS)\d{3}$/.test(privateKey.algorithm)) {
      throw invalidOption(
        "auth.oauth.privateKey takes { key, algorithm }: a key in PEM, and an algorithm such as ES256",
      );
    }
  }
  const hasProof = clientSecret !== undefined || privateKey !== undefined;
  if (hasProof && clientId === undefined && clientMetadataUrl === undefined) {
    throw invalidOption("auth.oauth has a secret, but no clientId that it belongs to");
  }
  if (hasProof && issuer === undefined) {
    throw invalidOption(
      "auth.oauth.issuer is missing: set the authorization server that the secret belongs to; otherwise the MCP server could name one of its own and receive it",
    );
  }
  if (issuer !== undefined && !isWeb(issuer))
    throw invalidOption("auth.oauth.issuer takes an https URL");
  const document = URL.parse(clientMetadataUrl ?? "");
  if (
    clientMetadataUrl !== undefined &&
    !(document?.protocol === "https:" && document.pathname !== "/")
  ) {
    throw invalidOption("auth.oauth.clientMetadataUrl takes an https URL with a path");
  }
  if (flow !== undefined && flow !== "authorizationCode" && flow !== "clientCredentials") {
    throw invalidOption("auth.oauth.flow is authorizationCode or clientCredentials");
  }
  if (flow === "clientCredentials" && !hasProof) {
    throw invalidOption(
      "auth.oauth.flow clientCredentials needs a clientId with a clientSecret or a privateKey",
    );
  }
  if (oauth.redirectUri !== undefined && URL.parse(oauth.redirectUri) === null) {
    throw invalidOption("auth.oauth.redirectUri takes an absolute URL");
  }
  if (scopes !== undefined && !(Array.isArray(scopes) && scopes.every(isText))) {
    throw invalidOption('auth.oauth.scopes takes a list: ["read"]');
  }
}

function isText(value: unknown): value is string {
  return typeof value === "string" && value !== "";
}

function isWeb(text: string): boolean {
  return /^https?:$/.test(URL.parse(text)?.protocol ?? "");
}

function isOrigin(text: unknown): boolean {
  const url = typeof text === "string" ? URL.parse(text) : null;
  return url !== null && isWeb(url.href) && url.href === `${url.origin}/`;
}

function invalidOption(fault: string): ToolError {
  return new ToolError("internal", `mcpSource: ${fault}.`);
}
