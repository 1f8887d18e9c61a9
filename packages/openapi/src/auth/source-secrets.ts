import { SecretSet, type Unregister } from "@toolweave/core";
import { isBasic, isCertificate, isRegistration } from "./check-auth.ts";
import type { OpenApiAuth, SchemeCredential } from "./openapi-auth.ts";

/** Of those that functions supply so many are known, the latest: they are renewed without end. */
const maxRenewed = 100;

const sensitiveHeader = /authorization|\bauth\b|cookie|token|secret|password|api-?key|key$|session/;

/** What a source holds of credentials, for whoever takes them out of what leaves. */
export class SourceSecrets {
  readonly set: SecretSet = new SecretSet();
  /** By value, the latest last. */
  readonly #renewed = new Map<string, Unregister>();

  constructor(auth: OpenApiAuth = {}, headers: Readonly<Record<string, string>> = {}) {
    const { schemes = {}, bearer, basic, apiKey } = auth;
    for (const credential of [bearer, basic, apiKey, ...Object.values(schemes)]) {
      for (const value of secretValues(credential)) this.#add(value);
    }
    for (const value of headerSecrets(headers)) this.#add(value);
  }

  /** What a function has just supplied. */
  renewed(value: string): void {
    const known = this.#renewed.get(value);
    const forget = known ?? this.#add(value);
    this.#renewed.delete(value);
    this.#renewed.set(value, forget);
    if (this.#renewed.size <= maxRenewed) return;
    const [[oldest, forgetOldest] = []] = this.#renewed;
    if (oldest !== undefined) this.#renewed.delete(oldest);
    forgetOldest?.();
  }

  #add(value: string): Unregister {
    return isDistinctive(value) ? this.set.add(value) : () => {};
  }
}

/** A name and its password are in base64 together. */
function secretValues(given: SchemeCredential | undefined): readonly string[] {
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

/** What headers of the host's own hold that is secret; their names are in lower case. */
export function headerSecrets(headers: Readonly<Record<string, string>>): readonly string[] {
  return Object.entries(headers).flatMap(([name, value]) => {
    if (!sensitiveHeader.test(name)) return [];
    if (name !== "cookie") return [value.slice(value.lastIndexOf(" ") + 1)];
    return value.split(";").map((pair) => pair.slice(pair.indexOf("=") + 1).trim());
  });
}

/** A short plain word, such as the password "password", stands in answers that say nothing of it. */
export function isDistinctive(secret: unknown): boolean {
  if (typeof secret !== "string") return false;
  return secret.length >= 16 || (secret.length >= 6 && !/^[A-Za-z]*$/.test(secret));
}
