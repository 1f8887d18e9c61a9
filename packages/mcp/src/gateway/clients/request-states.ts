import { Buffer } from "node:buffer";
import type { Interruption } from "@toolweave/core";
import type { GatewayClient } from "./gateway-client.ts";
import { invalidState } from "./request-port.ts";

/** Milliseconds for which a client can come back. */
const lifetimeMs = 3_600_000;
const nonceBytes = 12;

/**
 * What a client of 2026-07-28 carries between its requests: a call that waits here, one that was put aside, or what a
 * provider wants back.
 */
export type CarriedState =
  | { readonly runId: string; readonly round: number }
  | { readonly interruption: Interruption }
  | { readonly passed: string };

/**
 * The `requestState` of calls (2026-07-28, basic/patterns/mrtr): for an hour, and for the client and the request that it
 * was made for. It is encrypted and authenticated (AES-256-GCM): what the host keeps with a call is none of the client's
 * business. That an interruption is answered once only is seen to by the executor's store, and a call that waits here goes
 * on once for each round.
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
      await this.#derived(),
      Buffer.from(JSON.stringify(sealed)),
    );
    return Buffer.concat([nonce, Buffer.from(encrypted)]).toString("base64url");
  }

  /** @throws McpError `-32602` for one that is not this client's, for this request, or too old. */
  async open(client: GatewayClient, subject: string, text: string): Promise<CarriedState> {
    const { until, state } = await this.#opened(client, subject, text);
    if (!(Date.now() < until)) throw invalidState();
    return state;
  }

  async #opened(client: GatewayClient, subject: string, text: string): Promise<Sealed> {
    try {
      const bytes = Buffer.from(text, "base64url");
      // Reading takes more than one text for the same bytes, and what was handed out is one of them.
      if (bytes.toString("base64url") !== text) throw invalidState();
      const opened = await crypto.subtle.decrypt(
        parameters(bytes.subarray(0, nonceBytes), client, subject),
        await this.#derived(),
        bytes.subarray(nonceBytes),
      );
      return JSON.parse(Buffer.from(opened).toString()) as Sealed;
    } catch {
      throw invalidState();
    }
  }

  /** A key of its own: the same secret may be the executor's. */
  #derived(): Promise<CryptoKey> {
    return (this.#key ??= derivedFrom(this.#secret));
  }
}

interface Sealed {
  /** Milliseconds since the epoch. */
  readonly until: number;
  readonly state: CarriedState;
}

type CryptoKey = Awaited<ReturnType<typeof derivedFrom>>;

async function derivedFrom(secret: string | Uint8Array) {
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

/** Whose it is and what for stands in no state: another one just does not open it. */
function parameters(iv: Uint8Array<ArrayBuffer>, { principal }: GatewayClient, subject: string) {
  const additionalData = Buffer.from(JSON.stringify([principal, subject]));
  return { name: "AES-GCM", iv, additionalData };
}
