import { Buffer } from "node:buffer";
import type { JsonValue } from "@toolweave/core";

const nonceBytes = 12;

/**
 * Encrypts and authenticates values that leave the process (AES-256-GCM), under a key that is derived from the
 * gateway's secret for one purpose (HKDF-SHA-256): a value that was sealed for another purpose cannot be opened.
 */
export class Sealer {
  readonly #secret: string | Uint8Array;
  readonly #purpose: string;
  #key: Promise<CryptoKey> | undefined;

  /** @param purpose Name and version, such as `toolweave mcp requestState 1`. */
  constructor(secret: string | Uint8Array, purpose: string) {
    this.#secret = secret;
    this.#purpose = purpose;
  }

  /**
   * Seals a value as a text in base64url.
   *
   * @param context What the value is bound to, without being stored in it.
   */
  async seal(value: unknown, context: JsonValue): Promise<string> {
    const nonce = crypto.getRandomValues(new Uint8Array(nonceBytes));
    const encrypted = await crypto.subtle.encrypt(
      parameters(nonce, context),
      await this.#getKey(),
      Buffer.from(JSON.stringify(value)),
    );
    return Buffer.concat([nonce, Buffer.from(encrypted)]).toString("base64url");
  }

  /** Opens a sealed value; `undefined`: it was not sealed with this secret for this purpose and context. */
  async open(text: string, context: JsonValue): Promise<unknown> {
    try {
      const bytes = Buffer.from(text, "base64url");
      // The decoder accepts several texts for the same bytes; only one of them was issued.
      if (bytes.toString("base64url") !== text) return undefined;
      const opened = await crypto.subtle.decrypt(
        parameters(bytes.subarray(0, nonceBytes), context),
        await this.#getKey(),
        bytes.subarray(nonceBytes),
      );
      return JSON.parse(Buffer.from(opened).toString()) as unknown;
    } catch {
      return undefined;
    }
  }

  /** Derives a separate key: the secret may be the executor's too. */
  #getKey(): Promise<CryptoKey> {
    return (this.#key ??= deriveKey(this.#secret, this.#purpose));
  }
}

type CryptoKey = Awaited<ReturnType<typeof deriveKey>>;

async function deriveKey(secret: string | Uint8Array, purpose: string) {
  const material = await crypto.subtle.importKey("raw", Buffer.from(secret), "HKDF", false, [
    "deriveKey",
  ]);
  const info = Buffer.from(purpose);
  return crypto.subtle.deriveKey(
    { name: "HKDF", hash: "SHA-256", salt: new Uint8Array(0), info },
    material,
    { name: "AES-GCM", length: 256 },
    false,
    ["encrypt", "decrypt"],
  );
}

function parameters(iv: Uint8Array<ArrayBuffer>, context: JsonValue) {
  return { name: "AES-GCM", iv, additionalData: Buffer.from(JSON.stringify(context)) };
}
