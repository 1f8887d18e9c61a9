import { channel } from "node:diagnostics_channel";
import { ToolError } from "@toolweave/core";
import type { TlsIdentity } from "../connection/tls-identity.ts";

/** The server that a request goes to, as a circuit breaker distinguishes servers. */
interface Target {
  readonly origin: string;
  readonly identity: TlsIdentity | undefined;
}

/** The failures of an origin that cannot be reached. */
interface Circuit {
  /** Consecutive failures. */
  failures: number;
  /** Milliseconds for which requests are refused once the circuit is open; doubled each time it opens again. */
  openMs: number;
  /** End of the open state on the clock of `performance.now()`; 0: the circuit is closed. */
  openUntil: number;
  /** One request is probing whether the origin answers again. */
  probing: boolean;
}

const failuresToOpen = 10;
const firstOpenMs = 5_000;
const maxOpenMs = 30_000;
const maxOrigins = 1_000;

/** Emits `{ origin, state }` when a circuit opens (`open`), is probed (`half-open`) or closes (`closed`). */
const changes = channel("toolweave.http.circuit");

/**
 * The origins from which a client gets no answer. Each client has its own circuit breaker, so that a document or
 * arguments that make the requests of one client fail do not affect the others.
 */
export class CircuitBreaker {
  /** Contains only origins whose last request failed: most of the time it is empty. */
  readonly #known = new Map<string, Circuit>();

  /** True while every circuit is closed. */
  get isEmpty(): boolean {
    return this.#known.size === 0;
  }

  /**
   * Admits a request or refuses it. After 10 consecutive requests that got no connection or no answer, requests to an
   * origin are refused for 5 seconds, then longer each time, up to 30; after that, one request at a time probes it.
   *
   * @returns `probe`: the request is the one that probes, and its outcome has to be reported.
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
      `${origin} has not answered ${circuit.failures} times in a row, so requests to it are refused ${left > 0 ? `for ${Math.ceil(left / 1000)} s` : "until a trial request gets an answer"}. Continue without it, or call it later.`,
      { retryAfterMs },
    );
  }

  /** Reports a request that got no connection or no answer. */
  fail(target: Target): void {
    const known = this.#known;
    const key = circuitKey(target);
    const circuit = known.get(key) ?? {
      failures: 0,
      openMs: firstOpenMs,
      openUntil: 0,
      probing: false,
    };
    // The most recently failed last: the first origin is evicted.
    known.delete(key);
    known.set(key, circuit);
    if (known.size > maxOrigins) known.delete(known.keys().next().value as string);
    circuit.failures += 1;
    const isAgain = circuit.probing;
    circuit.probing = false;
    // Failures of requests that were in progress when the circuit opened do not count.
    if (circuit.openUntil === 0 ? circuit.failures < failuresToOpen : !isAgain) return;
    if (isAgain) circuit.openMs = Math.min(circuit.openMs * 2, maxOpenMs);
    circuit.openUntil = performance.now() + circuit.openMs;
    publishState(target.origin, "open");
  }

  /** Reports a request that got an answer, whatever its status. */
  pass(target: Target): void {
    const key = circuitKey(target);
    const circuit = this.#known.get(key);
    if (circuit === undefined) return;
    this.#known.delete(key);
    if (circuit.openUntil !== 0) publishState(target.origin, "closed");
  }

  /** Reports a probe that ended without an answer and through no fault of the origin: another request may probe. */
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

/** Includes the identity: a server that refuses connections with one certificate may accept another. */
function circuitKey({ origin, identity }: Target): string {
  if (identity === undefined) return origin;
  let name = identityNames.get(identity);
  if (name === undefined) identityNames.set(identity, (name = ++identities));
  return `${origin} ${name}`;
}
