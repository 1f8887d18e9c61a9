import { channel } from "node:diagnostics_channel";
import { ToolError } from "@toolweave/core";
import type { TlsIdentity } from "../connection/tls-identity.ts";

/** The server that a request goes to, as a circuit breaker tells servers apart. */
interface Target {
  readonly origin: string;
  readonly identity: TlsIdentity | undefined;
}

/** Failures of an origin that cannot be reached. */
interface Circuit {
  /** In a row. */
  failures: number;
  /** Milliseconds for which calls are refused once it is open; doubled each time it opens again. */
  openMs: number;
  /** On the clock of `performance.now()`; 0: it is closed. */
  openUntil: number;
  /** One request finds out whether the origin is back. */
  probing: boolean;
}

const failuresToOpen = 10;
const firstOpenMs = 5_000;
const maxOpenMs = 30_000;
const maxOrigins = 1_000;

/** Emits `{ origin, state }` when a circuit opens (`open`), is probed (`half-open`) or closes (`closed`). */
const changes = channel("toolweave.http.circuit");

/**
 * The origins that a client gets no answer from. Each client has its own, so that a document or
 * arguments that make the requests of one client fail do not close the origin to the others.
 */
export class CircuitBreaker {
  /** Only of origins whose last request failed: most of the time there are none. */
  readonly #known = new Map<string, Circuit>();

  /** True while every circuit is closed. */
  get isEmpty(): boolean {
    return this.#known.size === 0;
  }

  /**
   * Lets a request through, or not: after 10 requests in a row that got no connection or no answer, an origin is left
   * alone for 5 seconds, and longer each time, up to 30; then one request at a time tries it.
   *
   * @returns `probe`: the request is the one that tries; it has to be reported, whatever comes of it.
   * @throws ToolError `unavailable`, with `retryAfterMs`.
   */
  enter(target: Target): "probe" | "pass" {
    const { origin } = target;
    const circuit = this.#known.get(circuitKey(target));
    if (circuit === undefined || circuit.openUntil === 0) return "pass";
    const left = circuit.openUntil - performance.now();
    if (left <= 0 && !circuit.probing) {
      circuit.probing = true;
      publishState(origin, "half-open");
      return "probe";
    }
    const retryAfterMs = Math.max(1, Math.ceil(left));
    throw new ToolError(
      "unavailable",
      `${origin} has not answered ${circuit.failures} times in a row, so nothing is sent to it ${left > 0 ? `for ${Math.ceil(left / 1000)} s` : "until one request has found it back"}. Go on without it, or call it later.`,
      { retryAfterMs },
    );
  }

  /** A request got no connection or no answer. */
  fail(target: Target): void {
    const known = this.#known;
    const key = circuitKey(target);
    const circuit = known.get(key) ?? {
      failures: 0,
      openMs: firstOpenMs,
      openUntil: 0,
      probing: false,
    };
    // The latest last: the least recently used origin is evicted.
    known.delete(key);
    known.set(key, circuit);
    if (known.size > maxOrigins) known.delete(known.keys().next().value as string);
    circuit.failures += 1;
    const isAgain = circuit.probing;
    circuit.probing = false;
    // Failures of requests that were under way when it opened do not count.
    if (circuit.openUntil === 0 ? circuit.failures < failuresToOpen : !isAgain) return;
    if (isAgain) circuit.openMs = Math.min(circuit.openMs * 2, maxOpenMs);
    circuit.openUntil = performance.now() + circuit.openMs;
    publishState(target.origin, "open");
  }

  /** A request got an answer, of whatever kind. */
  pass(target: Target): void {
    const key = circuitKey(target);
    const circuit = this.#known.get(key);
    if (circuit === undefined) return;
    this.#known.delete(key);
    if (circuit.openUntil !== 0) publishState(target.origin, "closed");
  }

  /** The request that tried ended without an answer, and not by the origin's fault: another may try. */
  release(target: Target): void {
    const circuit = this.#known.get(circuitKey(target));
    if (circuit !== undefined) circuit.probing = false;
  }
}

function publishState(origin: string, state: "open" | "half-open" | "closed"): void {
  if (changes.hasSubscribers) changes.publish({ origin, state });
}

let identities = 0;
const identityNames = new WeakMap<TlsIdentity, number>();

/** A server that closes the door on one certificate may open it to another. */
function circuitKey({ origin, identity }: Target): string {
  if (identity === undefined) return origin;
  let name = identityNames.get(identity);
  if (name === undefined) identityNames.set(identity, (name = ++identities));
  return `${origin} ${name}`;
}
