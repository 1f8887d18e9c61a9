import { Buffer } from "node:buffer";
import type { Interruption } from "@toolweave/core";
import type { GatewayClient } from "./gateway-client.ts";
import { invalidStateError } from "./request-port.ts";

/** Milliseconds for which a state is valid. */
const lifetimeMs = 3_600_000;
const nonceBytes = 12;

/**
 * State that a client of 2026-07-28 carries between its requests: a waiting call, an interruption, or the state of a
 * provider.
 */
export type CarriedState =
  | { readonly runId: string; readonly round: number }
  | { readonly interruption: Interruption }
  | { readonly passed: string };

/**
 * The `requestState` of requests (2026-07-28, basic/patterns/mrtr): valid for an hour, for the client and the request
 * that it was created for. It is encrypted and authenticated (AES-256-GCM), because the client must not read the
 * host's data of a call. The executor's store makes sure that an interruption is answered once only, and a waiting
 * call is resumed once per round.
 */
export class RequestStates {
  readonly #secret: string | Uint8Array;
  #key: Promise<CryptoKey> | undefined;

  constructor(key: string | Uint8Array) {
    this.#secret = key;
  }

  async seal(client: GatewayClient, subject: string, state: CarriedState): Promise<string> {
    const nonce = crypto.getRandomValues(new Uint8Array(nonceBytes));
    const sealed: Sealed = { until: Date.now() + lifetimeMs, state };
    const encrypted = await crypto.subtle.encrypt(
      parameters(nonce, client, subject),
      await this.#getKey(),
      Buffer.from(JSON.stringify(sealed)),
    );
    return Buffer.concat([nonce, Buffer.from(encrypted)]).toString("base64url");
  }

  /** @throws McpError `-32602` for the state of another client or request, and for an expired one. */
  async open(client: GatewayClient, subject: string, text: string): Promise<CarriedState> {
    const { until, state } = await this.#decrypt(client, subject, text);
    if (!(Date.now() < until)) throw invalidStateError();
    return state;
  }

  async #decrypt(client: GatewayClient, subject: string, text: string): Promise<Sealed> {
    try {
      const bytes = Buffer.from(text, "base64url");
      // The decoder accepts several texts for the same bytes; only one of them was issued.
      if (bytes.toString("base64url") !== text) throw invalidStateError();
      const opened = await crypto.subtle.decrypt(
        parameters(bytes.subarray(0, nonceBytes), client, subject),
        await this.#getKey(),
        bytes.subarray(nonceBytes),
      );
      return JSON.parse(Buffer.from(opened).toString()) as Sealed;
    } catch {
      throw invalidStateError();
    }
  }

  /** Derives a separate key: the secret may be the executor's too. */
  #getKey(): Promise<CryptoKey> {
    return (this.#key ??= deriveKey(this.#secret));
  }
}

interface Sealed {
  /** Milliseconds since the epoch. */
  readonly until: number;
  readonly state: CarriedState;
}

type CryptoKey = Awaited<ReturnType<typeof deriveKey>>;

async function deriveKey(secret: string | Uint8Array) {
  const material = await crypto.subtle.importKey("raw", Buffer.from(secret), "HKDF", false, [
    "deriveKey",
  ]);
  const info = Buffer.from("toolweave mcp requestState 1");
  return crypto.subtle.deriveKey(
    { name: "HKDF", hash: "SHA-256", salt: new Uint8Array(0), info },
    material,
    { name: "AES-GCM", length: 256 },
    false,
    ["encrypt", "decrypt"],
  );
}

/** Binds the state to the client and the request without storing them in it. */
function parameters(iv: Uint8Array<ArrayBuffer>, { principal }: GatewayClient, subject: string) {
  const additionalData = Buffer.from(JSON.stringify([principal, subject]));
  return { name: "AES-GCM", iv, additionalData };
}
