import { canonicalJson } from "../json/canonical-json.ts";
import type { Answer, Interruption } from "../contract/interruption.ts";
import { base64url, fromBase64url } from "../text/base64.ts";
import type { PendingCall } from "./pending-call.ts";
import type { CryptoKey, Secret } from "./secret.ts";

/** Format version of a sealed state; another format gets another prefix. */
const prefix = "tw1.";
/** Format version of a sealed outcome. */
const outcomePrefix = "two1.";
const nonceBytes = 12;

/**
 * Seals interruptions, so that a store or client can neither read the sealed state nor change any part: AES-256-GCM
 * over the pending call, with all visible members as additional data. The outcome of an answer is sealed in the same
 * way, with the answers as additional data: only the same answers open it.
 */
export class Seal {
  /** True when other processes can open it, too. */
  readonly shared: boolean;
  readonly #secret: Secret;
  #key: Promise<CryptoKey> | undefined;
  #outcomeKey: Promise<CryptoKey> | undefined;

  constructor(secret: Secret) {
    this.shared = secret.shared;
    this.#secret = secret;
  }

  /** Creates the `state` of an interruption. */
  async seal(visible: Omit<Interruption, "state">, pending: PendingCall): Promise<string> {
    const text = new TextEncoder().encode(JSON.stringify(pending));
    return prefix + (await encrypted(await this.#derived(), whatIsVisible(visible), text));
  }

  /** Opens a sealed state; `undefined` when any part was changed, or the key was another one. Never rejects. */
  async open(interruption: Interruption): Promise<PendingCall | undefined> {
    try {
      const { state } = interruption;
      if (!state.startsWith(prefix)) return undefined;
      const sealed = state.slice(prefix.length);
      const visible = whatIsVisible(interruption);
      return JSON.parse(await decrypted(await this.#derived(), visible, sealed)) as PendingCall;
    } catch {
      return undefined;
    }
  }

  /** Seals the outcome of an interruption that was answered with `answers`. */
  async sealOutcome(
    interruption: Interruption,
    answers: readonly Answer[],
    json: Uint8Array<ArrayBuffer>,
  ): Promise<string> {
    const key = await this.#derivedForOutcomes();
    return outcomePrefix + (await encrypted(key, answered(interruption, answers), json));
  }

  /**
   * Opens an outcome of `sealOutcome`; `undefined` for another interruption or other answers, and when it was changed
   * or sealed with another key. Never rejects.
   */
  async openOutcome(
    interruption: Interruption,
    answers: readonly Answer[],
    sealed: string,
  ): Promise<string | undefined> {
    try {
      if (!sealed.startsWith(outcomePrefix)) return undefined;
      const key = await this.#derivedForOutcomes();
      return await decrypted(
        key,
        answered(interruption, answers),
        sealed.slice(outcomePrefix.length),
      );
    } catch {
      return undefined;
    }
  }

  #derived(): Promise<CryptoKey> {
    return (this.#key ??= this.#secret.derive("interruption 1", { name: "AES-GCM", length: 256 }));
  }

  #derivedForOutcomes(): Promise<CryptoKey> {
    return (this.#outcomeKey ??= this.#secret.derive("outcome 1", {
      name: "AES-GCM",
      length: 256,
    }));
  }
}

/** Encrypts `text`: the nonce and the ciphertext, as base64url. */
async function encrypted(
  key: CryptoKey,
  additionalData: Uint8Array<ArrayBuffer>,
  text: Uint8Array<ArrayBuffer>,
): Promise<string> {
  const nonce = crypto.getRandomValues(new Uint8Array(nonceBytes));
  const algorithm = { name: "AES-GCM", iv: nonce, additionalData };
  const sealed = await crypto.subtle.encrypt(algorithm, key, text);
  const bytes = new Uint8Array(nonceBytes + sealed.byteLength);
  bytes.set(nonce);
  bytes.set(new Uint8Array(sealed), nonceBytes);
  return base64url(bytes);
}

/** @throws when it was encrypted with another key or other additional data. */
async function decrypted(
  key: CryptoKey,
  additionalData: Uint8Array<ArrayBuffer>,
  sealed: string,
): Promise<string> {
  const bytes = fromBase64url(sealed);
  const algorithm = { name: "AES-GCM", iv: bytes.subarray(0, nonceBytes), additionalData };
  const text = await crypto.subtle.decrypt(algorithm, key, bytes.subarray(nonceBytes));
  return new TextDecoder().decode(text);
}

/** The `state` authenticates the other members of an interruption. */
function answered(
  { id, state }: Interruption,
  answers: readonly Answer[],
): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(canonicalJson({ id, state, answers }));
}

function whatIsVisible(interruption: Omit<Interruption, "state">): Uint8Array<ArrayBuffer> {
  const { id, runId, parentCallId, call, specHash, requests, expiresAt } = interruption;
  return new TextEncoder().encode(
    canonicalJson({ id, runId, parentCallId, call, specHash, requests, expiresAt }),
  );
}
