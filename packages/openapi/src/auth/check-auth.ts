import { checkOptions, ToolError } from "@toolweave/core";
import type {
  BasicCredential,
  ClientCertificate,
  OAuthRegistration,
  OpenApiAuth,
  SchemeCredential,
} from "./openapi-auth.ts";

const authNames: readonly string[] = [
  "bearer",
  "basic",
  "apiKey",
  "schemes",
  "store",
] satisfies readonly (keyof OpenApiAuth)[];

const basicNames: readonly string[] = [
  "username",
  "password",
] satisfies readonly (keyof BasicCredential)[];

const certificateNames: readonly string[] = [
  "certificate",
  "privateKey",
  "passphrase",
] satisfies readonly (keyof ClientCertificate)[];

const registrationNames: readonly string[] = [
  "clientId",
  "clientSecret",
  "flow",
  "redirectUri",
  "scopes",
  "tokenUrl",
  "authorizationUrl",
  "deviceAuthorizationUrl",
  "discoveryUrl",
  "clientAuthentication",
  "resource",
] satisfies readonly (keyof OAuthRegistration)[];

/** The URLs of an authorization server that a host can give itself. */
export const endpointNames: readonly [
  "tokenUrl",
  "authorizationUrl",
  "deviceAuthorizationUrl",
  "discoveryUrl",
] = ["tokenUrl", "authorizationUrl", "deviceAuthorizationUrl", "discoveryUrl"];

const flowNames: readonly unknown[] = [
  "clientCredentials",
  "authorizationCode",
  "deviceAuthorization",
  undefined,
];

/**
 * Looks at the credentials that a host gives. Their values are in no text.
 *
 * @throws ToolError `internal` for what cannot be meant.
 */
export function checkAuth(auth: OpenApiAuth, hasId: boolean): void {
  checkOptions("openApiSource auth", auth, authNames);
  const { basic, schemes = {}, store } = auth;
  if (basic !== undefined) checkScheme("auth.basic", basic, isBasic);
  for (const [name, given] of Object.entries(schemes)) {
    checkScheme(`auth.schemes[${JSON.stringify(name)}]`, given);
  }
  if (store !== undefined && !hasId) {
    throw misuse(
      "auth.store keeps credentials by the source's id, and this source has none of its own: pass `id`",
    );
  }
}

function checkScheme(
  where: string,
  given: SchemeCredential,
  is: (given: SchemeCredential) => boolean = () => true,
): void {
  const at = `openApiSource ${where}`;
  if (isRegistration(given)) {
    checkOptions(at, given, registrationNames);
    checkRegistration(where, given);
  } else if (isCertificate(given)) checkOptions(at, given, certificateNames);
  else if (isBasic(given)) checkOptions(at, given, basicNames);
  else if (typeof given !== "string" && typeof given !== "function") {
    throw misuse(
      `${where} is none of: a text, a function, { username, password }, { clientId, … }, { certificate, privateKey }`,
    );
  }
  if (!is(given)) throw misuse(`${where} takes { username, password }`);
}

function checkRegistration(where: string, registration: OAuthRegistration): void {
  if (!flowNames.includes(registration.flow)) {
    throw misuse(
      `${where}.flow is one of clientCredentials, authorizationCode, deviceAuthorization`,
    );
  }
  if (registration.flow === "authorizationCode" && registration.redirectUri === undefined) {
    throw misuse(`${where} needs a redirectUri for the flow authorizationCode`);
  }
  for (const name of endpointNames) {
    const url = registration[name];
    if (url !== undefined && !/^https?:$/.test(URL.parse(url)?.protocol ?? "")) {
      throw misuse(`${where}.${name} takes an absolute https: URL`);
    }
  }
}

/** True for a registration at an authorization server. */
export function isRegistration(given: SchemeCredential): given is OAuthRegistration {
  return hasText(given, "clientId");
}

/** True for a certificate with its key. */
export function isCertificate(given: SchemeCredential): given is ClientCertificate {
  return hasText(given, "certificate") && hasText(given, "privateKey");
}

/** True for a user name with its password. */
export function isBasic(given: SchemeCredential): given is BasicCredential {
  return hasText(given, "username") && hasText(given, "password");
}

function hasText(given: unknown, member: string): boolean {
  if (typeof given !== "object" || given === null) return false;
  return typeof (given as Readonly<Record<string, unknown>>)[member] === "string";
}

function misuse(what: string): ToolError {
  return new ToolError("internal", `openApiSource: ${what}.`);
}
