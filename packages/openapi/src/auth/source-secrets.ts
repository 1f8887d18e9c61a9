import { isDistinctive, SecretSet, TokenSecrets } from "@toolweave/core/adapter";
import { isBasic, isCertificate, isRegistration } from "./check-auth.ts";
import type { OpenApiAuth, SchemeCredential } from "./openapi-auth.ts";

const sensitiveHeader = /authorization|\bauth\b|cookie|token|secret|password|api-?key|key$|session/;

/** The secrets of a source, which are redacted in everything that leaves it. */
export class SourceSecrets {
  readonly set: SecretSet = new SecretSet();
  readonly #renewed = new TokenSecrets(this.set);

  constructor(auth: OpenApiAuth = {}, headers: Readonly<Record<string, string>> = {}) {
    const { schemes = {}, bearer, basic, apiKey } = auth;
    for (const credential of [bearer, basic, apiKey, ...Object.values(schemes)]) {
      for (const value of toSecrets(credential)) this.#add(value);
    }
    for (const [name, value] of Object.entries(headers)) {
      for (const secret of toHeaderSecrets(name, value)) this.#add(secret);
    }
  }

  /** Registers a secret that a function has supplied. */
  register(value: string): void {
    this.#renewed.add(value);
  }

  #add(value: string): void {
    if (isDistinctive(value)) this.set.add(value);
  }
}

/** Returns the secrets of a configured credential; base64 encodes a user name and a password together. */
function toSecrets(given: SchemeCredential | undefined): readonly string[] {
  if (typeof given === "string") return [given];
  if (given === undefined || typeof given === "function") return [];
  if (isRegistration(given)) return given.clientSecret === undefined ? [] : [given.clientSecret];
  if (isCertificate(given)) {
    const { privateKey, passphrase } = given;
    return passphrase === undefined ? [privateKey] : [privateKey, passphrase];
  }
  if (!isBasic(given)) return [];
  const { username, password } = given;
  return [`${username}:${password}`, password];
}

/** Returns the secrets in a header of the host; its name is in lower case. */
export function toHeaderSecrets(name: string, value: string): readonly string[] {
  if (!sensitiveHeader.test(name)) return [];
  if (name !== "cookie") return [value.slice(value.lastIndexOf(" ") + 1)];
  return value.split(";").map((pair) => pair.slice(pair.indexOf("=") + 1).trim());
}
