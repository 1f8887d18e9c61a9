import { ToolError, type Cancellation, type Clock, type ClockTimer } from "@toolweave/core";
import { isLostSession } from "../transport/call-error.ts";
import { Heartbeat } from "./heartbeat.ts";
import type { ConnectionLease } from "./connection-lease.ts";
import { withSignal } from "./with-signal.ts";

/** Milliseconds after which a connection counts as healthy, even if no call was answered over it. */
const healthyMs = 10_000;

/** Milliseconds after the last call in which a link that is not kept stays connected. */
const idleMs = 5 * 60_000;

/**
 * `idle`: not connected, and nobody has asked for it. `waiting`: will connect again by itself. `failed`: will not,
 * until somebody asks.
 */
export type ConnectionStatus = "idle" | "connecting" | "ready" | "waiting" | "failed" | "closed";

/** What a link is made of. */
export interface ReconnectingOptions {
  /** The server's name. */
  readonly server: string;
  readonly clock: Clock;
  /** Milliseconds for connecting; 0: no limit. */
  readonly timeoutMs: number;
  /** Connects again by itself when it is lost. Others connect for the next call, and end after a while without any. */
  readonly reconnect: boolean;
  /** Failures one after the other after which it does not try again by itself. */
  readonly maxFailures: number;
  /** Between 0 and 1. */
  random(): number;
  /**
   * Makes a connection.
   *
   * @param isAgain there was one before: another server may be there by now, which speaks another version.
   */
  open(signal: AbortSignal, isAgain: boolean): Promise<ConnectionLease>;
  /** What became of it when it was not made. */
  toError(thrown: unknown): ToolError;
  /** Called for every connection that was made. */
  onReady?(connection: ConnectionLease): void;
  /** Called when `trouble` has come or gone. */
  onTrouble?(): void;
  /** Called when a link that is not kept has ended for want of calls. */
  onIdle?(): void;
}

/**
 * A connection to a server, made again when it is lost: at once, and later and later when that fails. One that is lost
 * soon after it was made, and before a call was answered, counts as a failure: a server that ends after every start is
 * not started for ever, and one that ends in some of its calls is.
 */
export class ReconnectingConnection {
  readonly #options: ReconnectingOptions;
  readonly #closing = new AbortController();
  #status: ConnectionStatus = "idle";
  #ready: ConnectionLease | undefined;
  /** It has been connected before. */
  #wasReady = false;
  /** The one that is being made; while `waiting`, after the wait. */
  #attempt: Promise<ConnectionLease> | undefined;
  /** Ends the wait. */
  #wake: (() => void) | undefined;
  #timer: ClockTimer | undefined;
  /** Calls that wait for the attempt. */
  #waiting = 0;
  /** Gives up the attempt that is under way. */
  #abandoned: AbortController | undefined;
  #failures = 0;
  #trouble: ToolError | undefined;
  #readyAt = 0;
  /** Before it, nobody connects without saying so. */
  #nextAt = 0;
  #heartbeat: Heartbeat | undefined;

  constructor(options: ReconnectingOptions) {
    this.#options = options;
  }

  get status(): ConnectionStatus {
    return this.#status;
  }

  /** The connection, while there is one. */
  get ready(): ConnectionLease | undefined {
    return this.#ready;
  }

  /** Why there is no connection, since an attempt to make one has failed; gone with the next connection. */
  get trouble(): ToolError | undefined {
    return this.#trouble;
  }

  /**
   * The connection, made when there is none. Waits for one that is about to be made again, and fails at once while
   * attempts fail: with why, and `retryAfterMs`.
   *
   * @param cancellation of whoever waits for it.
   */
  connection(cancellation?: Cancellation): Promise<ConnectionLease> {
    if (this.#ready !== undefined) return Promise.resolve(this.#ready);
    const { clock } = this.#options;
    const restMs = this.#nextAt - clock.now();
    const trouble = this.#trouble;
    if (trouble?.retryable === true && restMs > 0 && this.#status !== "connecting") {
      const { code, message } = trouble;
      const options = { cause: trouble, retryAfterMs: restMs };
      return Promise.reject(new ToolError(code, message, options));
    }
    // Somebody waits for it: the process must not end before.
    if (this.#status === "waiting") this.#timer?.ref?.();
    const attempt = this.#attempt ?? this.#shared(this.#open());
    if (this.#options.reconnect) return withSignal(attempt, cancellation);
    this.#waiting += 1;
    return withSignal(attempt, cancellation).finally(() => {
      this.#waiting -= 1;
      if (this.#waiting === 0 && this.#status === "connecting") this.#abandon();
    });
  }

  /** The same, at once: whoever asks wants to know what has become of it. */
  connectNow(): Promise<ConnectionLease> {
    this.#nextAt = 0;
    this.#wake?.();
    return this.connection();
  }

  /** Something that needed the connection is done. */
  done(): void {
    if (!this.#options.reconnect && this.#ready?.isIdle === true) this.#endLater();
  }

  /**
   * Another connection in place of one whose session the server no longer knows. What is under way over the old one
   * hears for itself what has become of it.
   */
  replace(lost: ConnectionLease, cancellation?: Cancellation): Promise<ConnectionLease> {
    if (this.#ready === lost) {
      this.#letGo();
      this.#status = "idle";
      lost.retire();
    }
    return this.connection(cancellation);
  }

  /** A connection that is good for nothing ends, which counts as a failure. */
  fail(live: ConnectionLease, why: ToolError): void {
    if (!this.#dropped(live)) return;
    this.#failures += 1;
    this.#again(why);
  }

  /** A connection is gone: another one is made. */
  #lose(lost: ConnectionLease, why: unknown): void {
    if (!this.#dropped(lost)) return;
    const lasted = this.#options.clock.now() - this.#readyAt;
    this.#failures = lost.hasAnswered || lasted >= healthyMs ? 0 : this.#failures + 1;
    // Whoever is lost once soon after it began is not in trouble yet.
    this.#again(this.#options.toError(why), this.#failures > 1);
  }

  /** Ends it for good; an attempt that is under way is given up. Idempotent. */
  async close(): Promise<void> {
    this.#status = "closed";
    this.#closing.abort();
    this.#wake?.();
    const connection = this.#letGo();
    await Promise.all([connection?.connection.close(), this.#attempt?.catch(() => {})]);
  }

  /** Every call that wanted a connection has been given up: so is the attempt, which is no failure of the server's. */
  #abandon(): void {
    this.#attempt = undefined;
    this.#status = "idle";
    this.#abandoned?.abort();
  }

  /** False: it had gone already. */
  #dropped(live: ConnectionLease): boolean {
    if (this.#ready !== live) return false;
    this.#letGo();
    void live.connection.close();
    return true;
  }

  #shared(attempt: Promise<ConnectionLease>): Promise<ConnectionLease> {
    // Whoever waits for it hears of a failure.
    attempt.catch(() => {});
    return (this.#attempt = attempt);
  }

  async #open(): Promise<ConnectionLease> {
    const { clock, timeoutMs, server, open, toError: errorOf } = this.#options;
    const closing = this.#closing.signal;
    const late = new AbortController();
    const abandoned = new AbortController();
    this.#abandoned = abandoned;
    const timer = timeoutMs === 0 ? undefined : clock.setTimeout(() => late.abort(), timeoutMs);
    try {
      closing.throwIfAborted();
      this.#status = "connecting";
      const live = await open(
        AbortSignal.any([late.signal, abandoned.signal, closing]),
        this.#wasReady,
      );
      if (closing.aborted || abandoned.signal.aborted) {
        await live.connection.close();
        throw closing.aborted ? closing.reason : abandoned.signal.reason;
      }
      this.#take(live);
      return live;
    } catch (thrown) {
      if (closing.aborted) throw closedError(server, thrown);
      if (abandoned.signal.aborted) throw thrown;
      const error = late.signal.aborted ? timeoutError(server, timeoutMs, thrown) : errorOf(thrown);
      this.#failures += 1;
      this.#again(error);
      throw error;
    } finally {
      if (timer !== undefined) clock.clearTimeout(timer);
    }
  }

  #take(live: ConnectionLease): void {
    const { clock, reconnect: keep, onReady } = this.#options;
    const { connection } = live;
    this.#attempt = undefined;
    this.#status = "ready";
    this.#ready = live;
    this.#wasReady = true;
    this.#readyAt = clock.now();
    void connection.closed.then((why) => this.#lose(live, why));
    if (keep && connection.era === "legacy") this.#heartbeat = this.#heartbeatOf(live);
    if (!keep) this.#endLater();
    this.#tell(undefined);
    onReady?.(live);
  }

  #heartbeatOf(live: ConnectionLease): Heartbeat {
    return new Heartbeat({
      clock: this.#options.clock,
      ping: (signal) =>
        live.connection.request("ping", {}, { signal }).catch((error: unknown) => {
          if (isLostSession(error)) void this.replace(live).catch(() => {});
        }),
      isIdle: () => live.isIdle,
      onLost: () => this.#lose(live, new Error("it does not answer any more")),
    });
  }

  #again(error: ToolError, isTrouble = true): void {
    const { clock, reconnect: keep, maxFailures: mostFailures, random } = this.#options;
    const ms = backoffMs(this.#failures, random());
    this.#attempt = undefined;
    this.#nextAt = isTrouble ? clock.now() + ms : 0;
    if (!keep) this.#status = "idle";
    else if (!error.retryable || this.#failures >= mostFailures) this.#status = "failed";
    else this.#wait(ms);
    if (isTrouble || this.#status === "failed") this.#tell(error);
  }

  #wait(ms: number): void {
    const { clock } = this.#options;
    this.#status = "waiting";
    const waited = new Promise<void>((resolve) => {
      this.#wake = resolve;
      this.#timer = clock.setTimeout(resolve, ms);
      this.#timer.unref?.();
    });
    void this.#shared(
      waited.then(() => {
        this.#stopTimer();
        return this.#open();
      }),
    );
  }

  /** Without calls, after a while, what is not kept ends. */
  #endLater(): void {
    const { clock, onIdle } = this.#options;
    this.#stopTimer();
    this.#timer = clock.setTimeout(() => {
      if (this.#ready?.isIdle !== true) return;
      const live = this.#letGo();
      this.#status = "idle";
      void live?.connection.close();
      onIdle?.();
    }, idleMs);
    this.#timer.unref?.();
  }

  #letGo(): ConnectionLease | undefined {
    const connection = this.#ready;
    this.#ready = undefined;
    this.#stopTimer();
    this.#heartbeat?.stop();
    return connection;
  }

  #stopTimer(): void {
    this.#wake = undefined;
    if (this.#timer !== undefined) this.#options.clock.clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  #tell(trouble: ToolError | undefined): void {
    const isNews = (trouble === undefined) !== (this.#trouble === undefined);
    this.#trouble = trouble;
    if (isNews) this.#options.onTrouble?.();
  }
}

function timeoutError(server: string, timeoutMs: number, cause: unknown): ToolError {
  const message = `Connecting to the MCP server ${server} took more than ${timeoutMs} ms.`;
  return new ToolError("timeout", message, { cause });
}

/** Whoever calls after the end. */
export function closedError(server: string, cause?: unknown): ToolError {
  const message = `The source ${server} is closed.`;
  return new ToolError("unavailable", message, { retryable: false, cause });
}

/** Milliseconds within which a lost connection is made again: not by everybody at once. */
const firstBackoffMs = 500;

/** Milliseconds between two attempts at most. */
const maxBackoffMs = 60_000;

/**
 * Milliseconds before the next attempt to connect: any time within half a second after a connection that had been
 * well, and twice as long with every failure, of which the last half is random. A minute at most.
 *
 * @param failures how many attempts have failed one after the other.
 * @param random between 0 and 1.
 */
export function backoffMs(failures: number, random: number): number {
  if (failures === 0) return Math.round(firstBackoffMs * random);
  const longest = Math.min(maxBackoffMs, firstBackoffMs * 2 ** Math.min(failures, 30));
  return Math.round(longest * (0.5 + random / 2));
}
