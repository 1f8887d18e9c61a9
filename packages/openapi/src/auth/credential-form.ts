import { ToolError, type Awaitable } from "@toolweave/core";
import type { CertificateCredential, Credential, PasswordCredential } from "@toolweave/core/stores";
import type { SecurityScheme } from "../document/operation.ts";
import { framingHeaders } from "../parameters/reserved-names.ts";
import { isThenable } from "@toolweave/core/adapter";
import type {
  BasicCredential,
  ClientCertificate,
  CredentialRequest,
  Secret,
} from "./openapi-auth.ts";
import { isBasic, isCertificate } from "./check-auth.ts";

/** The way in which the credential of a scheme is written into a request. */
export type CredentialForm = TextForm | { readonly type: "basic" | "digest" | "certificate" };

/** A secret behind a prefix: `Bearer `. */
interface TextForm {
  readonly type: "text";
  readonly in: "header" | "query" | "cookie";
  /** Header names in lower case. */
  readonly name: string;
  readonly prefix: string;
}

/** The data that a credential adds to a request. */
export type CredentialMaterial = TextMaterial | DigestMaterial | CertificateMaterial;

/** A header, a query parameter or a cookie, as it is sent. */
interface TextMaterial extends Pick<TextForm, "type" | "in" | "name"> {
  readonly value: string;
  /** Redacted in all results. */
  readonly secrets: readonly string[];
}

/** A password that answers a challenge. */
export interface DigestMaterial {
  readonly type: "digest";
  readonly scheme: string;
  readonly password: PasswordCredential;
  readonly secrets: readonly string[];
}

/** The certificate that the connection presents. */
interface CertificateMaterial {
  readonly type: "certificate";
  readonly certificate: CertificateCredential;
  readonly secrets: readonly string[];
}

/** The form of RFC 6750 section 2.1. */
export const bearerForm: TextForm = {
  type: "text",
  in: "header",
  name: "authorization",
  prefix: "Bearer ",
};

/**
 * Returns the form in which a scheme's credential is sent (OpenAPI 3.2 section 4.27, "Security Scheme Object").
 *
 * @returns the form, or the description of what the declaration lacks: the end of a sentence.
 */
export function getCredentialForm(declaration: SecurityScheme): CredentialForm | string {
  switch (declaration.type) {
    case "apiKey": {
      const { name, in: place = "header" } = declaration;
      if (name === undefined || name === "") return "for which the document has no name";
      const written = place === "header" ? name.toLowerCase() : name;
      if (!canBeSent(place, written)) {
        return `whose ${place} ${JSON.stringify(name.slice(0, 64))} cannot be sent`;
      }
      return { type: "text", in: place, name: written, prefix: "" };
    }
    case "http": {
      const { scheme, raw } = declaration;
      if (scheme === "basic" || scheme === "digest") return { type: scheme };
      if (scheme === "bearer") return bearerForm;
      if (scheme === undefined || !/^[!#$%&'*+.^_`|~\w-]+$/.test(scheme)) {
        return "for which the document has no HTTP scheme";
      }
      // The case has no meaning here; some servers only accept the one that they document.
      const written = (raw as { readonly scheme?: unknown }).scheme;
      return { ...bearerForm, prefix: `${typeof written === "string" ? written : scheme} ` };
    }
    case "oauth2":
    case "openIdConnect":
      return bearerForm;
    case "mutualTLS":
      return { type: "certificate" };
  }
}

/** Returns the part of a request that a form occupies; no two credentials can occupy the same one. */
export function getPlace(form: CredentialForm): string {
  if (form.type === "certificate") return "client certificate";
  return form.type === "text" ? `${form.in} ${form.name}` : "header authorization";
}

/**
 * Converts a credential to the material that it adds to a request.
 *
 * @throws ToolError `auth_required` if it is empty, or of another kind than the scheme takes.
 */
export function toMaterial(
  scheme: string,
  form: CredentialForm,
  credential: Credential,
): CredentialMaterial {
  if (form.type === "certificate") {
    if (credential.type !== "certificate")
      throw invalidCredentialError(scheme, "a certificate with its key");
    const { certificate, privateKey, passphrase } = credential;
    if (!isText(certificate) || !isText(privateKey))
      throw invalidCredentialError(scheme, "a certificate with its key");
    const secrets = passphrase === undefined ? [privateKey] : [privateKey, passphrase];
    return { type: "certificate", certificate: credential, secrets };
  }
  if (form.type === "text") {
    const secret = getText(credential);
    if (!isText(secret)) throw invalidCredentialError(scheme, "a string");
    const { type, in: place, name, prefix } = form;
    if (place === "query" ? loneSurrogate.test(secret) : notInHeaders.test(secret)) {
      throw invalidCredentialError(
        scheme,
        `a string without line breaks that a ${place} can contain`,
      );
    }
    return { type, in: place, name, value: prefix + secret, secrets: [secret] };
  }
  if (credential.type !== "password")
    throw invalidCredentialError(scheme, "a user name with its password");
  const { username, password } = credential;
  // One of them may be empty: some APIs take a key in place of either.
  if (typeof username !== "string" || typeof password !== "string" || username + password === "") {
    throw invalidCredentialError(scheme, "a user name with its password");
  }
  if (form.type === "digest") {
    return { type: "digest", scheme, password: credential, secrets: [password] };
  }
  const pair = Buffer.from(`${username}:${password}`).toString("base64");
  return {
    type: "text",
    in: "header",
    name: "authorization",
    value: `Basic ${pair}`,
    secrets: [pair, password],
  };
}

/** Matches characters that no header value may contain: line breaks, other controls, characters beyond Latin-1. */
const notInHeaders = /[^\t\u0020-\u007e\u0080-\u00ff]/;
const loneSurrogate = /\p{Surrogate}/u;

function canBeSent(place: TextForm["in"], name: string): boolean {
  if (place === "query") return !loneSurrogate.test(name);
  if (place === "cookie") return /^[!#-+\--:<>-~]+$/.test(name);
  const isName = /^[!#$%&'*+.^_`|~\w-]+$/.test(name) && name !== "__proto__";
  return isName && !framingHeaders.has(name);
}

function getText(credential: Credential): unknown {
  if (credential.type === "secret") return credential.secret;
  return credential.type === "token" ? credential.accessToken : undefined;
}

function isText(value: unknown): value is string {
  return typeof value === "string" && value !== "";
}

function invalidCredentialError(scheme: string, wanted: string): ToolError {
  return new ToolError(
    "auth_required",
    `The credential "${scheme}" is missing: the configured value is empty or is not ${wanted}. Sign in again or check \`auth\`.`,
  );
}

/** The credentials that a host can configure, other than a registration. */
export type ConfiguredCredential = Secret | BasicCredential | ClientCertificate;

/** Returns a credential that does not depend on the request; `undefined` for a function, which has to be called. */
export function toFixedCredential(given: ConfiguredCredential): Credential | undefined {
  if (typeof given === "string") return { type: "secret", secret: given };
  if (typeof given === "function") return undefined;
  if (isCertificate(given)) return { type: "certificate", ...given };
  return isBasic(given) ? { type: "password", ...given } : { type: "secret", secret: "" };
}

/**
 * Returns the configured credential, or the one that the host's function returns for this request. `undefined`: the
 * function has none for it.
 *
 * @throws ToolError `auth_required` if the function fails, or returns something that is not a credential.
 */
export function resolveCredential(
  given: ConfiguredCredential,
  request: CredentialRequest,
): Awaitable<Credential | undefined> {
  if (typeof given !== "function") return toFixedCredential(given) as Credential;
  const { scheme } = request;
  const failed = (cause: unknown): never => {
    throw new ToolError(
      "auth_required",
      `The credential "${scheme}" could not be obtained: the host's function for it failed. Sign in again or check \`auth\`.`,
      { cause },
    );
  };
  let value: Awaitable<string | Credential | undefined>;
  try {
    value = given(request);
  } catch (error) {
    return failed(error);
  }
  return isThenable(value)
    ? Promise.resolve(value).then(toCredential, failed)
    : toCredential(value);
}

/** Converts the result of a function. Errors in it are reported only when it is checked against its scheme. */
function toCredential(value: unknown): Credential | undefined {
  if (value === undefined) return undefined;
  if (typeof value === "object" && value !== null && "type" in value) return value as Credential;
  return { type: "secret", secret: typeof value === "string" ? value : "" };
}
