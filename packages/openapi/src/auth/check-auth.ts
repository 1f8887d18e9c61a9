import { checkOptions, type CredentialStore } from "@toolweave/core";
import type {
  BasicCredential,
  ClientCertificate,
  OAuthRegistration,
  OpenApiAuth,
  SchemeCredential,
} from "./openapi-auth.ts";
import { invalidOption } from "../settings/invalid-option.ts";

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

const authenticationNames: readonly unknown[] = ["basic", "post", "none", undefined];

const storeMethods = ["get", "set", "delete"] as const satisfies readonly (keyof CredentialStore)[];

/**
 * Looks at the credentials that a host gives. Their values are in no text.
 *
 * @throws ToolError `internal` for what cannot be meant.
 */
export function checkAuth(auth: OpenApiAuth, hasId: boolean): void {
  checkOptions("openApiSource auth", auth, authNames);
  const { basic, schemes = {}, store } = auth;
  if (basic !== undefined) checkScheme("auth.basic", basic, isBasic);
  for (const name of ["bearer", "apiKey"] as const) {
    const secret = auth[name];
    if (secret !== undefined) checkScheme(`auth.${name}`, secret, isSecret, "a text or a function");
  }
  if (typeof schemes !== "object" || schemes === null) {
    throw invalidOption(
      "auth.schemes takes an object: credentials by the names of the document's schemes",
    );
  }
  for (const [name, given] of Object.entries(schemes)) {
    checkScheme(`auth.schemes[${JSON.stringify(name)}]`, given);
  }
  const isStore = storeMethods.every((name) => typeof store?.[name] === "function");
  if (store !== undefined && !isStore) {
    throw invalidOption("auth.store takes a CredentialStore: get, set and delete");
  }
  if (store !== undefined && !hasId) {
    throw invalidOption(
      "auth.store keeps credentials by the source's id, and this source has none of its own: pass `id`",
    );
  }
}

function checkScheme(
  where: string,
  given: SchemeCredential,
  is: (given: SchemeCredential) => boolean = () => true,
  wanted = "{ username, password }",
): void {
  const at = `openApiSource ${where}`;
  if (isRegistration(given)) {
    checkOptions(at, given, registrationNames);
    checkRegistration(where, given);
  } else if (isCertificate(given)) checkOptions(at, given, certificateNames);
  else if (isBasic(given)) checkOptions(at, given, basicNames);
  else if (typeof given !== "string" && typeof given !== "function") {
    throw invalidOption(
      `${where} is none of: a text, a function, { username, password }, { clientId, … }, { certificate, privateKey }`,
    );
  }
  if (given === "") throw invalidOption(`${where} is empty: leave it out where there is none`);
  if (!is(given)) throw invalidOption(`${where} takes ${wanted}`);
}

function checkRegistration(where: string, registration: OAuthRegistration): void {
  const { clientId, clientSecret, clientAuthentication, scopes } = registration;
  if (clientId === "") throw invalidOption(`${where}.clientId is empty`);
  if (clientSecret === "") {
    throw invalidOption(`${where}.clientSecret is empty: leave it out for a public client`);
  }
  if (scopes !== undefined && !Array.isArray(scopes)) {
    throw invalidOption(`${where}.scopes takes a list: ["read"]`);
  }
  if (!authenticationNames.includes(clientAuthentication)) {
    throw invalidOption(`${where}.clientAuthentication is one of basic, post, none`);
  }
  if (!flowNames.includes(registration.flow)) {
    throw invalidOption(
      `${where}.flow is one of clientCredentials, authorizationCode, deviceAuthorization`,
    );
  }
  if (registration.flow === "authorizationCode" && registration.redirectUri === undefined) {
    throw invalidOption(`${where} needs a redirectUri for the flow authorizationCode`);
  }
  for (const name of endpointNames) {
    const url = registration[name];
    if (url !== undefined && !/^https?:$/.test(URL.parse(url)?.protocol ?? "")) {
      throw invalidOption(`${where}.${name} takes an absolute https: URL`);
    }
  }
}

function isSecret(given: SchemeCredential): boolean {
  return typeof given === "string" || typeof given === "function";
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
