import type { Caller, RunOptions } from "@toolweave/core";
import type { CallerBudget } from "./caller-budgets.ts";

/**
 * A client as the gateway tells it from others: one connection over stdio, one session over HTTP, or, where the protocol
 * has no sessions, everything that one caller does. What belongs to one is never another's.
 */
export class GatewayClient {
  readonly caller: Caller | undefined;
  /** Names the session that artifacts and grants belong to; absent where the protocol has none. */
  readonly sessionId: string | undefined;
  /** On whose behalf the executor works for it: caller and session. */
  readonly behalf: Pick<RunOptions, "caller" | "sessionId">;
  /** What a `requestState` is bound to: nobody else can hand it back. */
  readonly principal: string;
  /** Its caller's, with what that has open over other sessions and connections. */
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
    this.behalf = {
      ...(caller === undefined ? {} : { caller }),
      ...(sessionId === undefined ? {} : { sessionId }),
    };
  }

  /** The same client, with subscriptions of their own, which count as the caller's. */
  twin(): GatewayClient {
    const { budget, principal, caller, sessionId } = this;
    return new GatewayClient(budget, principal, caller, sessionId);
  }

  /** Calls under way. */
  get running(): number {
    return this.#running;
  }

  /** Begins a call; returns why it may not, for the model, or `undefined`. Each that begins has to `end`. */
  begin(): string | undefined {
    const refusal = this.budget.beginCall();
    if (refusal === undefined) this.#running += 1;
    return refusal;
  }

  end(): void {
    this.#running -= 1;
    this.budget.endCall();
  }

  /** What goes on after its call has been answered counts as another one under way. */
  goesOn(until: Promise<unknown>): void {
    this.#running += 1;
    this.budget.continueCall();
    const end = (): void => this.end();
    until.then(end, end);
  }

  /** The resources that it hears of. */
  get subscriptions(): ReadonlySet<string> {
    return this.#subscriptions;
  }

  /** False: its caller has as many as it may. */
  subscribe(uri: string): boolean {
    if (this.#subscriptions.has(uri)) return true;
    if (!this.budget.subscribe()) return false;
    this.#subscriptions.add(uri);
    return true;
  }

  /** False: it had none of the kind. */
  unsubscribe(uri: string): boolean {
    const had = this.#subscriptions.delete(uri);
    if (had) this.budget.unsubscribe();
    return had;
  }
}
