import { unsupportedVersion } from "../messages/transport-errors.ts";

/** Milliseconds after which a server that has not answered is asked whether it is there. */
const promptMs = 1_000;

/** Milliseconds that one that is there gets to answer. */
const graceMs = 500;

/** Milliseconds that one gets that has said what is no message: it may be the beginning of a slow start. */
const noiseMs = 2_000;

const pingId = "server-discover-ping";

interface Answer {
  readonly id?: unknown;
  readonly result?: unknown;
  readonly error?: { readonly code?: unknown };
}

/** What a probe stands on. */
interface ProbeHost {
  /** Sends `ping` to the server. */
  ping(id: string): void;
  /** The server does not know `server/discover`: it speaks an older protocol. */
  refused(id: string | number): void;
}

/**
 * Finds out soon that a server does not answer `server/discover`, which many that are older than it pass over or answer
 * with what is no message. What a slow one answers then all the same is late.
 *
 * `ping` is the only request that the older protocol allows before `initialize` (2025-11-25, Lifecycle, Initialization).
 */
export class VersionProbe {
  readonly #id: string | number;
  readonly #host: ProbeHost;
  #timer: NodeJS.Timeout;
  #isOver = false;
  #isAnswered = false;
  #isNoisy = false;

  /** @param id of the request `server/discover`, which is being sent. */
  constructor(id: string | number, host: ProbeHost) {
    this.#id = id;
    this.#host = host;
    this.#timer = this.#after(promptMs, () => host.ping(pingId));
  }

  /**
   * Hears an answer. True: it was the one to `ping`, which is for nobody else. The newer protocol has no `ping`: who
   * refuses it may only need longer for the other answer.
   */
  answered({ id, error }: Answer): boolean {
    if (id === this.#id) {
      this.#isAnswered = true;
      this.stop();
    }
    if (id !== pingId) return false;
    if (!this.#isOver && error === undefined) this.#giveUpAfter(graceMs);
    return true;
  }

  /** An answer, perhaps to this, that does not say to what: the server could not read it. */
  unread(): void {
    if (!this.#isOver) this.#giveUp();
  }

  /** Something came that is no message. */
  noise(): void {
    if (this.#isOver || this.#isNoisy) return;
    this.#isNoisy = true;
    this.#giveUpAfter(noiseMs);
  }

  /** The server is spoken to in the older protocol, or not at all. */
  stop(): void {
    this.#isOver = true;
    clearTimeout(this.#timer);
  }

  /** The newer protocol is spoken there: the answer, or a refusal of the older one, came when nobody waited for it any more. */
  isLate({ id, result, error }: Answer): boolean {
    const { supportedVersions } = (result ?? {}) as { readonly supportedVersions?: unknown };
    if (!this.#isOver || this.#isAnswered) return false;
    return id === this.#id ? Array.isArray(supportedVersions) : error?.code === unsupportedVersion;
  }

  #giveUpAfter(ms: number): void {
    clearTimeout(this.#timer);
    this.#timer = this.#after(ms, () => this.#giveUp());
  }

  #giveUp(): void {
    this.stop();
    this.#host.refused(this.#id);
  }

  #after(ms: number, what: () => void): NodeJS.Timeout {
    return setTimeout(what, ms).unref();
  }
}
