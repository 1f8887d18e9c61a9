import type { Interruption } from "@toolweave/core";
import type { GatewayClient } from "./gateway-client.ts";
import type { ReplicaAddress } from "../replicas/replica-address.ts";
import { invalidStateError } from "./request-port.ts";
import { Sealer } from "../replicas/sealer.ts";

/** Milliseconds for which a state is valid. */
const lifetimeMs = 3_600_000;

/** A call that waits in the memory of a process. */
interface WaitingCallState {
  readonly runId: string;
  readonly round: number;
  /** The process. Absent: the gateway has no replicas. */
  readonly replica?: ReplicaAddress;
}

/**
 * State that a client of 2026-07-28 carries between its requests: a waiting call, an interruption, or the state of a
 * provider.
 */
export type CarriedState =
  | WaitingCallState
  | { readonly interruption: Interruption }
  | { readonly passed: string };

/**
 * The `requestState` of requests (2026-07-28, basic/patterns/mrtr): valid for an hour, for the client and the request
 * that it was created for. It is encrypted and authenticated, because the client must not read the host's data of a
 * call. The executor's store makes sure that an interruption is answered once only, and a waiting call is resumed once
 * per round.
 */
export class RequestStates {
  readonly #sealer: Sealer;

  constructor(key: string | Uint8Array) {
    this.#sealer = new Sealer(key, "toolweave mcp requestState 1");
  }

  /** Binds the state to the client and the request. */
  seal({ principal }: GatewayClient, subject: string, state: CarriedState): Promise<string> {
    const sealed: Sealed = { until: Date.now() + lifetimeMs, state };
    return this.#sealer.seal(sealed, [principal, subject]);
  }

  /** @throws McpError `-32602` for the state of another client or request, and for an expired one. */
  async open({ principal }: GatewayClient, subject: string, text: string): Promise<CarriedState> {
    const sealed = (await this.#sealer.open(text, [principal, subject])) as Sealed | undefined;
    if (sealed === undefined || !(Date.now() < sealed.until)) throw invalidStateError();
    return sealed.state;
  }
}

interface Sealed {
  /** Milliseconds since the epoch. */
  readonly until: number;
  readonly state: CarriedState;
}
