import {
  ToolError,
  type CertificateCredential,
  type Credential,
  type PasswordCredential,
} from "@toolweave/core";
import type { SecurityScheme } from "../document/operation.ts";
import { framingHeaders } from "../parameters/host-headers.ts";

/** How the credential of a scheme is written into a request. */
export type CredentialForm = TextForm | { readonly type: "basic" | "digest" | "certificate" };

/** A secret behind a prefix: `Bearer `. */
interface TextForm {
  readonly type: "text";
  readonly in: "header" | "query" | "cookie";
  /** Header names in lower case. */
  readonly name: string;
  readonly prefix: string;
}

/** What a credential adds to a request. */
export type Material = TextMaterial | DigestMaterial | CertificateMaterial;

/** A header, a query parameter or a cookie, as it is sent. */
interface TextMaterial extends Pick<TextForm, "type" | "in" | "name"> {
  readonly value: string;
  /** Must not come out. */
  readonly secrets: readonly string[];
}

/** A password that answers a challenge. */
export interface DigestMaterial {
  readonly type: "digest";
  readonly scheme: string;
  readonly password: PasswordCredential;
  readonly secrets: readonly string[];
}

/** What the connection shows. */
interface CertificateMaterial {
  readonly type: "certificate";
  readonly certificate: CertificateCredential;
  readonly secrets: readonly string[];
}

/** As RFC 6750 section 2.1 says. */
export const bearerForm: TextForm = {
  type: "text",
  in: "header",
  name: "authorization",
  prefix: "Bearer ",
};

/**
 * How a scheme's credential is sent (OpenAPI 3.2 section 4.27, "Security Scheme Object").
 *
 * @returns the form, or what the declaration lacks: the end of a sentence.
 */
export function credentialForm(declaration: SecurityScheme): CredentialForm | string {
  switch (declaration.type) {
    case "apiKey": {
      const { name, in: place = "header" } = declaration;
      if (name === undefined || name === "") return "of which the document says no name";
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
        return "of which the document says no HTTP scheme";
      }
      // In lower case it is the same; some servers know only the one that they write themselves.
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

/** What a form takes in a request; no two credentials can stand there. */
export function getPlace(form: CredentialForm): string {
  if (form.type === "certificate") return "client certificate";
  return form.type === "text" ? `${form.in} ${form.name}` : "header authorization";
}

/**
 * What a credential adds to a request.
 *
 * @throws ToolError `auth_required` when it is empty, or of another kind than the scheme takes.
 */
export function toMaterial(scheme: string, form: CredentialForm, credential: Credential): Material {
  if (form.type === "certificate") {
    if (credential.type !== "certificate") throw unfit(scheme, "a certificate with its key");
    const { certificate, privateKey, passphrase } = credential;
    if (!isText(certificate) || !isText(privateKey))
      throw unfit(scheme, "a certificate with its key");
    const secrets = passphrase === undefined ? [privateKey] : [privateKey, passphrase];
    return { type: "certificate", certificate: credential, secrets };
  }
  if (form.type === "text") {
    const secret = getText(credential);
    if (!isText(secret)) throw unfit(scheme, "a text");
    const { type, in: place, name, prefix } = form;
    if (place === "query" ? loneSurrogate.test(secret) : notInHeaders.test(secret)) {
      throw unfit(scheme, `a text without line breaks that a ${place} can hold`);
    }
    return { type, in: place, name, value: prefix + secret, secrets: [secret] };
  }
  if (credential.type !== "password") throw unfit(scheme, "a user name with its password");
  const { username, password } = credential;
  // One of them may be empty: some APIs take a key in place of either.
  if (typeof username !== "string" || typeof password !== "string" || username + password === "") {
    throw unfit(scheme, "a user name with its password");
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

/** What no value of a header may hold: line breaks, other controls, characters beyond Latin-1. */
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

function unfit(scheme: string, wanted: string): ToolError {
  return new ToolError(
    "auth_required",
    `The credential "${scheme}" is missing: what the host gave for it is not ${wanted}, or empty. Sign in again or check \`auth\`.`,
  );
}
