import type { Caller } from "@toolweave/core";
import { toCallerKey, GatewayClient } from "./gateway-client.ts";
import type { CallerBudgets } from "./caller-budgets.ts";

/** Maximum number of callers that are remembered. */
const maxClients = 10_000;

/**
 * Clients of the newer protocol over HTTP, which has no sessions: all requests of one caller belong to one client,
 * and so do all requests without a caller.
 */
export class StatelessClients {
  readonly #budgets: CallerBudgets;
  /** Least recently used first. */
  readonly #clients = new Map<string, GatewayClient>();

  constructor(budgets: CallerBudgets) {
    this.#budgets = budgets;
  }

  forCaller(caller: Caller | undefined): GatewayClient {
    const key = toCallerKey(caller);
    const known = this.#clients.get(key);
    const client = known ?? this.#create(caller);
    this.#clients.delete(key);
    this.#clients.set(key, client);
    return client;
  }

  #create(caller: Caller | undefined): GatewayClient {
    for (const [key, { callsInProgress: running }] of this.#clients) {
      if (this.#clients.size < maxClients) break;
      // A client with calls in progress counts towards the limits.
      if (running === 0) this.#clients.delete(key);
    }
    const principal = `caller ${JSON.stringify(caller?.id ?? null)}`;
    return new GatewayClient(this.#budgets.forCaller(caller), principal, caller, undefined);
  }
}
