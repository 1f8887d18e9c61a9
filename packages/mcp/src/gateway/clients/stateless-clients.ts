import type { Caller } from "@toolweave/core";
import { callerKey } from "./caller-key.ts";
import type { CallerBudgets } from "./caller-budgets.ts";
import { GatewayClient } from "./gateway-client.ts";

/** Callers that are remembered. */
const mostClients = 10_000;

/**
 * Clients of the newer protocol over HTTP, which has no sessions: everything that one caller does counts as one client,
 * and so does everything that is done on nobody's behalf.
 */
export class StatelessClients {
  readonly #budgets: CallerBudgets;
  /** The one that was used longest ago first. */
  readonly #clients = new Map<string, GatewayClient>();

  constructor(budgets: CallerBudgets) {
    this.#budgets = budgets;
  }

  of(caller: Caller | undefined): GatewayClient {
    const key = callerKey(caller);
    const known = this.#clients.get(key);
    const client = known ?? this.#new(caller);
    this.#clients.delete(key);
    this.#clients.set(key, client);
    return client;
  }

  #new(caller: Caller | undefined): GatewayClient {
    for (const [key, { running }] of this.#clients) {
      if (this.#clients.size < mostClients) break;
      // What a client has under way is held against it.
      if (running === 0) this.#clients.delete(key);
    }
    const principal = `caller ${JSON.stringify(caller?.id ?? null)}`;
    return new GatewayClient(this.#budgets.of(caller), principal, caller, undefined);
  }
}
