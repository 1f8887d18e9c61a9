import { ToolError } from "../contract/tool-error.ts";
import { canonicalJson } from "../json/canonical-json.ts";
import type { JsonObject, JsonValue } from "../json/json.ts";

const minBytes = 32;

/** A key of the platform. */
export type CryptoKey = Awaited<ReturnType<typeof crypto.subtle.importKey>>;

type Algorithm =
  | { readonly name: "AES-GCM"; readonly length: 256 }
  | { readonly name: "HMAC"; readonly hash: "SHA-256"; readonly length: 256 };

/** The key of the host, from which a separate key is derived for every use (HKDF-SHA-256). */
export class Secret {
  /** True when the host has set the key, so that other processes can have the same. */
  readonly shared: boolean;
  #bytes: Uint8Array<ArrayBuffer> | undefined;

  /**
   * @param key absent: a random key, which exists only here.
   * @throws ToolError `invalid_configuration` for a key that is too short.
   */
  constructor(key: string | Uint8Array | undefined) {
    this.shared = key !== undefined;
    this.#bytes = key === undefined ? undefined : checked(key);
  }

  /** Derives the key for the use that `use` names. */
  async derive(use: string, algorithm: Algorithm): Promise<CryptoKey> {
    const usages = algorithm.name === "HMAC" ? ["sign", "verify"] : ["encrypt", "decrypt"];
    // Created when needed: the first random number of a process takes as long as creating thousands of tools.
    this.#bytes ??= crypto.getRandomValues(new Uint8Array(minBytes));
    const secret = await crypto.subtle.importKey("raw", this.#bytes, "HKDF", false, ["deriveKey"]);
    return crypto.subtle.deriveKey(
      {
        name: "HKDF",
        hash: "SHA-256",
        salt: new Uint8Array(),
        info: new TextEncoder().encode(`toolweave ${use}`),
      },
      secret,
      algorithm,
      false,
      usages as ("encrypt" | "decrypt" | "sign" | "verify")[],
    );
  }
}

function checked(key: unknown): Uint8Array<ArrayBuffer> {
  const bytes =
    typeof key === "string"
      ? new TextEncoder().encode(key)
      : key instanceof Uint8Array
        ? new Uint8Array(key)
        : undefined;
  if (bytes !== undefined && bytes.length >= minBytes) return bytes;
  const given = bytes === undefined ? "is neither a text nor bytes" : `has ${bytes.length} bytes`;
  throw new ToolError(
    "invalid_configuration",
    `key ${given}: use at least ${minBytes} random bytes, the same in every process that resumes calls, such as what "openssl rand -base64 32" prints.`,
  );
}

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
