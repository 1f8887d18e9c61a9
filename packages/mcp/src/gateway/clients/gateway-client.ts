import type { Caller, RunOptions } from "@toolweave/core";
import type { CallerBudget, CallerBudgets } from "./caller-budgets.ts";

/**
 * A client of the gateway: a connection over stdio, a session over HTTP or, if the protocol has no sessions,
 * everything that one caller does. Nothing is shared between clients.
 */
export class GatewayClient {
  readonly caller: Caller | undefined;
  /** Id of the session of artifacts and grants; absent if the protocol has none. */
  readonly sessionId: string | undefined;
  /** Caller and session of the client's runs. */
  readonly runOptions: Pick<RunOptions, "caller" | "sessionId">;
  /** Identity that a `requestState` is bound to: no other client can use it. */
  readonly principal: string;
  /** Budget of its caller, over all sessions and connections. */
  readonly budget: CallerBudget;
  readonly #subscriptions = new Set<string>();
  #running = 0;

  constructor(
    budget: CallerBudget,
    principal: string,
    caller: Caller | undefined,
    sessionId: string | undefined,
  ) {
    this.budget = budget;
    this.principal = principal;
    this.caller = caller;
    this.sessionId = sessionId;
    this.runOptions = {
      ...(caller === undefined ? {} : { caller }),
      ...(sessionId === undefined ? {} : { sessionId }),
    };
  }

  /** Returns the same client with separate subscriptions, which count for the same caller. */
  withOwnSubscriptions(): GatewayClient {
    const { budget, principal, caller, sessionId } = this;
    return new GatewayClient(budget, principal, caller, sessionId);
  }

  /** Number of calls in progress. */
  get callsInProgress(): number {
    return this.#running;
  }

  /** Begins a call; returns the reason of a rejection, for the model, or `undefined`. `end` must follow each call. */
  async beginCall(): Promise<string | undefined> {
    const refusal = await this.budget.beginCall();
    if (refusal === undefined) this.#running += 1;
    return refusal;
  }

  endCall(): void {
    this.#running -= 1;
    this.budget.endCall();
  }

  /** Counts work that continues after the response of its call as a further call. */
  countUntil(until: Promise<unknown>): void {
    this.#running += 1;
    this.budget.continueCall();
    const end = (): void => this.endCall();
    until.then(end, end);
  }

  /** The subscribed resources. */
  get subscriptions(): ReadonlySet<string> {
    return this.#subscriptions;
  }

  /** False: the caller's limit is reached. */
  subscribe(uri: string): boolean {
    if (this.#subscriptions.has(uri)) return true;
    if (!this.budget.subscribe()) return false;
    this.#subscriptions.add(uri);
    return true;
  }

  /** False: there was no such subscription. */
  unsubscribe(uri: string): boolean {
    const had = this.#subscriptions.delete(uri);
    if (had) this.budget.unsubscribe();
    return had;
  }
}

/**
 * Key of a caller with everything that determines its permissions: a caller with other roles has another key. A
 * missing caller has one too.
 */
export function toCallerKey(caller: Caller | undefined): string {
  return JSON.stringify(caller === undefined ? null : [caller.id, caller.roles, caller.agent]);
}

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
