import type { Caller, RunOptions } from "@toolweave/core";
import type { ClientLimits } from "./serve-options.ts";

const minuteMs = 60_000;

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
  readonly #limits: Required<ClientLimits>;
  /** When the calls of the last minute began, the oldest first. */
  readonly #begun: number[] = [];
  readonly #subscriptions = new Set<string>();
  /** How many there are, with those of all twins. */
  readonly #held: { subscriptions: number };
  #running = 0;

  constructor(
    limits: Required<ClientLimits>,
    principal: string,
    caller: Caller | undefined,
    sessionId: string | undefined,
    held = { subscriptions: 0 },
  ) {
    this.#limits = limits;
    this.#held = held;
    this.principal = principal;
    this.caller = caller;
    this.sessionId = sessionId;
    this.behalf = {
      ...(caller === undefined ? {} : { caller }),
      ...(sessionId === undefined ? {} : { sessionId }),
    };
  }

  /** The same client, with subscriptions of their own, which count as the client's. */
  twin(): GatewayClient {
    const { principal, caller, sessionId } = this;
    return new GatewayClient(this.#limits, principal, caller, sessionId, this.#held);
  }

  /** Calls under way. */
  get running(): number {
    return this.#running;
  }

  /** Begins a call; returns why it may not, for the model, or `undefined`. Each that begins has to `end`. */
  begin(): string | undefined {
    const { concurrentCalls, callsPerMinute } = this.#limits;
    if (this.#running >= concurrentCalls) {
      return `This client already has ${concurrentCalls} calls under way, and may have no more: call again when one of them has ended.`;
    }
    if (callsPerMinute !== Infinity) {
      const now = Date.now();
      while (this.#begun[0] !== undefined && this.#begun[0] <= now - minuteMs) this.#begun.shift();
      const [oldest] = this.#begun;
      if (oldest !== undefined && this.#begun.length >= callsPerMinute) {
        const seconds = Math.ceil((oldest + minuteMs - now) / 1000);
        return `This client may make ${callsPerMinute} calls a minute, and has made them: call again in ${seconds} seconds.`;
      }
      this.#begun.push(now);
    }
    this.#running += 1;
    return undefined;
  }

  end(): void {
    this.#running -= 1;
  }

  /** What goes on after its call has been answered counts as another one under way. */
  goesOn(until: Promise<unknown>): void {
    this.#running += 1;
    const end = (): void => this.end();
    until.then(end, end);
  }

  /** The resources that it hears of. */
  get subscriptions(): ReadonlySet<string> {
    return this.#subscriptions;
  }

  /** False: it has as many as it may. */
  subscribe(uri: string): boolean {
    if (this.#subscriptions.has(uri)) return true;
    if (this.#held.subscriptions >= this.#limits.subscriptions) return false;
    this.#held.subscriptions += 1;
    this.#subscriptions.add(uri);
    return true;
  }

  /** False: it had none of the kind. */
  unsubscribe(uri: string): boolean {
    const had = this.#subscriptions.delete(uri);
    if (had) this.#held.subscriptions -= 1;
    return had;
  }
}
