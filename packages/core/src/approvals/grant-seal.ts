import { canonicalJson } from "../json/canonical-json.ts";
import { base64url, fromBase64url } from "../text/base64.ts";
import type { Grant } from "../contract/grant.ts";
import type { CryptoKey, Secret } from "./secret.ts";

/**
 * Distinguishes grants that a person has given from grants that were written into the store by others: an HMAC-SHA-256
 * over the whole grant. Only with a key of the host's, since stores outlive processes.
 */
export class GrantSeal {
  readonly #secret: Secret;
  #key: Promise<CryptoKey> | undefined;

  constructor(secret: Secret) {
    this.#secret = secret;
  }

  /** Returns the grant with its seal, if the host has set a key. */
  async sign(grant: Grant): Promise<Grant> {
    if (!this.#secret.shared) return grant;
    const seal = await crypto.subtle.sign("HMAC", await this.#derived(), bytesOf(grant));
    return { ...grant, seal: base64url(new Uint8Array(seal)) };
  }

  /** True for a grant as it was signed, and for any grant without a key of the host's. */
  async isGenuine(grant: Grant): Promise<boolean> {
    if (!this.#secret.shared) return true;
    try {
      const seal = fromBase64url(grant.seal ?? "");
      return await crypto.subtle.verify("HMAC", await this.#derived(), seal, bytesOf(grant));
    } catch {
      return false;
    }
  }

  #derived(): Promise<CryptoKey> {
    return (this.#key ??= this.#secret.derive("grant 1", {
      name: "HMAC",
      hash: "SHA-256",
      length: 256,
    }));
  }
}

function bytesOf(grant: Grant): Uint8Array<ArrayBuffer> {
  const { seal: _, ...sealed } = grant;
  return new TextEncoder().encode(canonicalJson(sealed));
}
