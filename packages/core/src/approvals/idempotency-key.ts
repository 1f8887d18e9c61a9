import { canonicalJson } from "../json/canonical-json.ts";
import type { JsonValue } from "../json/json.ts";
import type { CryptoKey, Secret } from "./secret.ts";

/**
 * Identifies a call for another system without revealing it: HMAC-SHA-256, in hexadecimal digits, with a key of the
 * executor's. Executors with the same `key` create the same identifiers.
 */
export class IdempotencyKeys {
  readonly #secret: Secret;
  #key: Promise<CryptoKey> | undefined;

  constructor(secret: Secret) {
    this.#secret = secret;
  }

  /** @param call the values that distinguish the call from every other. */
  async of(call: readonly (JsonValue | undefined)[]): Promise<string> {
    const bytes = new TextEncoder().encode(canonicalJson(call.map((part) => part ?? null)));
    this.#key ??= this.#secret.derive("idempotency 1", {
      name: "HMAC",
      hash: "SHA-256",
      length: 256,
    });
    const hash = new Uint8Array(await crypto.subtle.sign("HMAC", await this.#key, bytes));
    return Array.from(hash, (byte) => byte.toString(16).padStart(2, "0")).join("");
  }
}
