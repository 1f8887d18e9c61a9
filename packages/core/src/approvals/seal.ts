import { canonicalJson } from "../schema/canonical-json.ts";
import type { Interruption } from "../spec/interruption.ts";
import { base64url, fromBase64url } from "./base64url.ts";
import type { PendingCall } from "./pending-call.ts";
import type { CryptoKey, Secret } from "./secret.ts";

/** The format of a sealed state; another one gets another prefix. */
const prefix = "tw1.";
const nonceBytes = 12;

/**
 * Closes interruptions, so that whoever keeps or carries one can neither read what is inside nor
 * change anything about it: AES-256-GCM over the pending call, with all that is visible as
 * additional data.
 */
export class Seal {
  /** True when other processes can open it, too. */
  readonly shared: boolean;
  readonly #secret: Secret;
  #key: Promise<CryptoKey> | undefined;

  constructor(secret: Secret) {
    this.shared = secret.shared;
    this.#secret = secret;
  }

  /** The `state` of an interruption. */
  async seal(visible: Omit<Interruption, "state">, pending: PendingCall): Promise<string> {
    const nonce = crypto.getRandomValues(new Uint8Array(nonceBytes));
    const sealed = await crypto.subtle.encrypt(
      { name: "AES-GCM", iv: nonce, additionalData: whatIsVisible(visible) },
      await this.#derived(),
      new TextEncoder().encode(JSON.stringify(pending)),
    );
    const bytes = new Uint8Array(nonceBytes + sealed.byteLength);
    bytes.set(nonce);
    bytes.set(new Uint8Array(sealed), nonceBytes);
    return prefix + base64url(bytes);
  }

  /** What was sealed; `undefined` when anything was changed, or the key was another. Never rejects. */
  async open(interruption: Interruption): Promise<PendingCall | undefined> {
    try {
      const { state } = interruption;
      if (!state.startsWith(prefix)) return undefined;
      const bytes = fromBase64url(state.slice(prefix.length));
      const opened = await crypto.subtle.decrypt(
        {
          name: "AES-GCM",
          iv: bytes.subarray(0, nonceBytes),
          additionalData: whatIsVisible(interruption),
        },
        await this.#derived(),
        bytes.subarray(nonceBytes),
      );
      return JSON.parse(new TextDecoder().decode(opened)) as PendingCall;
    } catch {
      return undefined;
    }
  }

  #derived(): Promise<CryptoKey> {
    return (this.#key ??= this.#secret.derive("interruption 1", { name: "AES-GCM", length: 256 }));
  }
}

function whatIsVisible(interruption: Omit<Interruption, "state">): Uint8Array<ArrayBuffer> {
  const { id, runId, parentCallId, call, specHash, requests, expiresAt } = interruption;
  return new TextEncoder().encode(
    canonicalJson({ id, runId, parentCallId, call, specHash, requests, expiresAt }),
  );
}
