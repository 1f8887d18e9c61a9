import { unsupportedVersion } from "../messages/transport-errors.ts";

/** Milliseconds after which a server that has not responded is sent a `ping`. */
const promptMs = 1_000;

/** Milliseconds that a server gets after it has answered the `ping`. */
const graceMs = 500;

/** Milliseconds that a server gets after invalid output, which may come from a slow start. */
const invalidOutputMs = 2_000;

const pingId = "server-discover-ping";

interface Answer {
  readonly id?: unknown;
  readonly result?: unknown;
  readonly error?: { readonly code?: unknown };
}

/** The connection of a probe. */
interface ProbeHost {
  /** Sends `ping` to the server. */
  ping(id: string): void;
  /** Reports that the server does not know `server/discover`: it speaks an older protocol. */
  onUnsupported(id: string | number): void;
}

/**
 * Finds out early that a server does not answer `server/discover`: many older ones ignore it, or print text that is
 * not a message. A slow server may still answer late. `ping` is the only request that the older protocol allows
 * before `initialize` (2025-11-25, Lifecycle, Initialization).
 */
export class VersionProbe {
  readonly #id: string | number;
  readonly #host: ProbeHost;
  #timer: NodeJS.Timeout;
  #isOver = false;
  #isAnswered = false;
  #hasInvalidOutput = false;

  /** @param id Id of the request `server/discover`, which is being sent. */
  constructor(id: string | number, host: ProbeHost) {
    this.#id = id;
    this.#host = host;
    this.#timer = this.#after(promptMs, () => host.ping(pingId));
  }

  /**
   * Handles a response. True: it was the one to `ping`, which no other request waits for. The newer protocol has no
   * `ping`: an error may mean that the server only needs longer for the other response.
   */
  onResponse({ id, error }: Answer): boolean {
    if (id === this.#id) {
      this.#isAnswered = true;
      this.stop();
    }
    if (id !== pingId) return false;
    if (!this.#isOver && error === undefined) this.#refuseAfter(graceMs);
    return true;
  }

  /** Handles an error response without an id: the server could not read a request, perhaps this one. */
  onUnreadableRequest(): void {
    if (!this.#isOver) this.#refuse();
  }

  /** Handles invalid output. */
  onInvalidMessage(): void {
    if (this.#isOver || this.#hasInvalidOutput) return;
    this.#hasInvalidOutput = true;
    this.#refuseAfter(invalidOutputMs);
  }

  /** Stops the probe: the older protocol is used, or the connection has ended. */
  stop(): void {
    this.#isOver = true;
    clearTimeout(this.#timer);
  }

  /**
   * The server speaks the newer protocol: its response, or its rejection of the older one, arrived after the probe
   * had ended.
   */
  isLate({ id, result, error }: Answer): boolean {
    const { supportedVersions } = (result ?? {}) as { readonly supportedVersions?: unknown };
    if (!this.#isOver || this.#isAnswered) return false;
    return id === this.#id ? Array.isArray(supportedVersions) : error?.code === unsupportedVersion;
  }

  #refuseAfter(ms: number): void {
    clearTimeout(this.#timer);
    this.#timer = this.#after(ms, () => this.#refuse());
  }

  #refuse(): void {
    this.stop();
    this.#host.onUnsupported(this.#id);
  }

  #after(ms: number, what: () => void): NodeJS.Timeout {
    return setTimeout(what, ms).unref();
  }
}
