import { canonicalJson } from "../json/canonical-json.ts";
import type { JsonObject } from "../json/json.ts";
import type { CryptoKey, Secret } from "./secret.ts";

/**
 * Identifies a call's arguments without revealing them: HMAC-SHA-256 of their canonical JSON, in hexadecimal digits,
 * with a key of the executor's. A plain hash of a short secret could be found by brute force.
 */
export class ArgumentsHash {
  readonly #secret: Secret;
  #key: Promise<CryptoKey> | undefined;

  constructor(secret: Secret) {
    this.#secret = secret;
  }

  async of(args: JsonObject | undefined): Promise<string> {
    const bytes = new TextEncoder().encode(canonicalJson(args));
    this.#key ??= this.#secret.derive("arguments 1", {
      name: "HMAC",
      hash: "SHA-256",
      length: 256,
    });
    const hash = new Uint8Array(await crypto.subtle.sign("HMAC", await this.#key, bytes));
    return Array.from(hash, (byte) => byte.toString(16).padStart(2, "0")).join("");
  }
}
