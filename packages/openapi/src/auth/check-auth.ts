import { checkOptions, type SourceProblem } from "@toolweave/core/adapter";
import type { CredentialStore } from "@toolweave/core/stores";
import type {
  BasicCredential,
  ClientCertificate,
  OAuthRegistration,
  OpenApiAuth,
  SchemeCredential,
} from "./openapi-auth.ts";
import { invalidOptionError } from "../settings/operation-options.ts";
import type { ApiDocument } from "../operations/document.ts";

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

/** The URLs of an authorization server that a host can configure. */
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
 * Checks the credentials that a host configures. Messages never contain their values.
 *
 * @throws ToolError `invalid_configuration` for invalid ones.
 */
export function checkAuth(auth: OpenApiAuth, hasId: boolean): void {
  checkOptions("openApiSource auth", auth, authNames);
  const { basic, schemes = {}, store } = auth;
  if (basic !== undefined) checkScheme("auth.basic", basic, isBasic);
  for (const name of ["bearer", "apiKey"] as const) {
    const secret = auth[name];
    if (secret !== undefined)
      checkScheme(`auth.${name}`, secret, isSecret, "a string or a function");
  }
  if (typeof schemes !== "object" || schemes === null) {
    throw invalidOptionError(
      "auth.schemes must be an object: credentials by the names of the document's security schemes",
    );
  }
  for (const [name, given] of Object.entries(schemes)) {
    checkScheme(`auth.schemes[${JSON.stringify(name)}]`, given);
  }
  const isStore = storeMethods.every((name) => typeof store?.[name] === "function");
  if (store !== undefined && !isStore) {
    throw invalidOptionError("auth.store must be a CredentialStore with get, set and delete");
  }
  if (store !== undefined && !hasId) {
    throw invalidOptionError(
      "auth.store stores credentials by the source's id, and this source has no id of its own: set `id`",
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
    throw invalidOptionError(
      `${where} must be one of: a string, a function, { username, password }, { clientId, … }, { certificate, privateKey }`,
    );
  }
  if (given === "") throw invalidOptionError(`${where} is empty: omit it if there is none`);
  if (!is(given)) throw invalidOptionError(`${where} must be ${wanted}`);
}

function checkRegistration(where: string, registration: OAuthRegistration): void {
  const { clientId, clientSecret, clientAuthentication, scopes } = registration;
  if (clientId === "") throw invalidOptionError(`${where}.clientId is empty`);
  if (clientSecret === "") {
    throw invalidOptionError(`${where}.clientSecret is empty: omit it for a public client`);
  }
  if (scopes !== undefined && !Array.isArray(scopes)) {
    throw invalidOptionError(`${where}.scopes must be a list: ["read"]`);
  }
  if (!authenticationNames.includes(clientAuthentication)) {
    throw invalidOptionError(`${where}.clientAuthentication must be one of basic, post, none`);
  }
  if (!flowNames.includes(registration.flow)) {
    throw invalidOptionError(
      `${where}.flow must be one of clientCredentials, authorizationCode, deviceAuthorization`,
    );
  }
  if (registration.flow === "authorizationCode" && registration.redirectUri === undefined) {
    throw invalidOptionError(`${where} needs a redirectUri for the flow authorizationCode`);
  }
  for (const name of endpointNames) {
    const url = registration[name];
    if (url !== undefined && !/^https?:$/.test(URL.parse(url)?.protocol ?? "")) {
      throw invalidOptionError(`${where}.${name} must be an absolute https: URL`);
    }
  }
}

function isSecret(given: SchemeCredential): boolean {
  return typeof given === "string" || typeof given === "function";
}

/** Returns true for a registration with an authorization server. */
export function isRegistration(given: SchemeCredential): given is OAuthRegistration {
  return hasText(given, "clientId");
}

/** Returns true for a certificate with its key. */
export function isCertificate(given: SchemeCredential): given is ClientCertificate {
  return hasText(given, "certificate") && hasText(given, "privateKey");
}

/** Returns true for a user name with its password. */
export function isBasic(given: SchemeCredential): given is BasicCredential {
  return hasText(given, "username") && hasText(given, "password");
}

function hasText(given: unknown, member: string): boolean {
  if (typeof given !== "object" || given === null) return false;
  return typeof (given as Readonly<Record<string, unknown>>)[member] === "string";
}

/**
 * Creates a warning for each credential that is never sent: for a name in `schemes` that the document does not declare,
 * and for general credentials if the document declares that none are needed.
 *
 * @param subject the subject of the warnings.
 */
export function warnOfUnusedAuth(
  { schemes = {}, bearer, basic }: OpenApiAuth,
  { schemeNames, version, hasEmptySecurity }: ApiDocument,
  subject: string,
): readonly SourceProblem[] {
  const declared = schemeNames.length === 0 ? "none" : schemeNames.map(quoted).join(", ");
  const unused: readonly SourceProblem[] =
    hasEmptySecurity && (bearer ?? basic) !== undefined
      ? [
          {
            subject,
            message: `auth has credentials, but the document declares \`security: []\`, that none are needed: they are sent only for operations that declare others. If that is wrong, set \`headers\`.`,
            pointer: "/security",
            severity: "warning",
          },
        ]
      : [];
  const unknown = Object.keys(schemes)
    .filter((name) => !schemeNames.includes(name) && !(version === "3.2" && /[#/]/.test(name)))
    .map((name) => ({
      subject,
      message: `auth.schemes has ${quoted(name)}, which is not a security scheme of the document. It declares ${declared}.`,
      severity: "warning" as const,
    }));
  return [...unused, ...unknown];
}

function quoted(name: string): string {
  return JSON.stringify(name);
}
