import { ToolError, type Clock, type ClockTimer } from "@toolweave/core";
import { withSignal, type Cancellation } from "@toolweave/core/adapter";
import { isLostSession } from "../transport/call-error.ts";
import { ConnectionClosedError } from "../transport/messages/transport-errors.ts";
import { Heartbeat } from "./heartbeat.ts";
import type { ConnectionLease } from "./connection-lease.ts";

/** Milliseconds after which a connection counts as healthy, even if no call was answered over it. */
const healthyMs = 10_000;

/** Milliseconds after the last call in which a connection without `reconnect` stays open. */
const idleMs = 5 * 60_000;

/**
 * `idle`: not connected, and not requested. `waiting`: reconnects by itself. `failed`: reconnects when it is
 * requested.
 */
export type ConnectionStatus = "idle" | "connecting" | "ready" | "waiting" | "failed" | "closed";

/** Options of a `ReconnectingConnection`. */
export interface ReconnectingOptions {
  /** The server's name. */
  readonly server: string;
  readonly clock: Clock;
  /** Milliseconds for connecting; 0: no limit. */
  readonly timeoutMs: number;
  /**
   * Reconnects by itself when the connection is lost. Others connect for the next call and close some time after the
   * last one.
   */
  readonly reconnect: boolean;
  /** Failures in a row after which it no longer reconnects by itself. */
  readonly maxFailures: number;
  /** Between 0 and 1. */
  random(): number;
  /**
   * Opens a connection.
   *
   * @param isAgain There was one before: the server may have been replaced by one of another version.
   */
  open(signal: AbortSignal, isAgain: boolean): Promise<ConnectionLease>;
  /** Converts the error of a failed attempt. */
  toError(thrown: unknown): ToolError;
  /** Called for every opened connection. */
  onReady?(connection: ConnectionLease): void;
  /** Called when `trouble` was set or cleared. */
  onTrouble?(): void;
  /** Called when a connection without `reconnect` was closed because there were no calls. */
  onIdle?(): void;
}

/**
 * A connection to a server that is reopened when it is lost: at once, and with growing delays while that fails. A
 * connection that is lost soon after it was opened, before a call was answered, counts as a failure: a server that
 * exits after every start is not restarted forever, and one that exits in some of its calls is.
 */
export class ReconnectingConnection {
  readonly #options: ReconnectingOptions;
  readonly #closing = new AbortController();
  #status: ConnectionStatus = "idle";
  #ready: ConnectionLease | undefined;
  /** True if it has been connected before. */
  #wasReady = false;
  /** The current attempt; while `waiting`, the one after the wait. */
  #attempt: Promise<ConnectionLease> | undefined;
  /** Ends the wait. */
  #wake: (() => void) | undefined;
  #timer: ClockTimer | undefined;
  /** Number of calls that wait for the attempt. */
  #waiting = 0;
  /** Aborts the current attempt. */
  #abandoned: AbortController | undefined;
  #failures = 0;
  #trouble: ToolError | undefined;
  #readyAt = 0;
  /** Time before which only `connectNow` connects. */
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

  /** Error of the last attempt if there is no connection; cleared by the next connection. */
  get trouble(): ToolError | undefined {
    return this.#trouble;
  }

  /**
   * Returns the connection, and opens it if there is none. Waits for a reconnect in progress. While attempts fail, it
   * rejects at once with the error of the last one and `retryAfterMs`.
   *
   * @param cancellation Cancels the wait.
   */
  connection(cancellation?: Cancellation): Promise<ConnectionLease> {
    if (this.#ready !== undefined) return Promise.resolve(this.#ready);
    const { clock } = this.#options;
    const remainingMs = this.#nextAt - clock.now();
    const trouble = this.#trouble;
    if (trouble?.retryable === true && remainingMs > 0 && this.#status !== "connecting") {
      const { code, message } = trouble;
      const options = { cause: trouble, retryAfterMs: remainingMs };
      return Promise.reject(new ToolError(code, message, options));
    }
    // A caller waits for it: the process must stay alive.
    if (this.#status === "waiting") this.#timer?.ref?.();
    const attempt = this.#attempt ?? this.#share(this.#open());
    if (this.#options.reconnect) return withSignal(attempt, cancellation);
    this.#waiting += 1;
    return withSignal(attempt, cancellation).finally(() => {
      this.#waiting -= 1;
      if (this.#waiting === 0 && this.#status === "connecting") this.#abandon();
    });
  }

  /** Connects at once, without the delay after failures. */
  connectNow(): Promise<ConnectionLease> {
    this.#nextAt = 0;
    this.#wake?.();
    return this.connection();
  }

  /** Must be called when a request over the connection has ended. */
  done(): void {
    if (!this.#options.reconnect && this.#ready?.isIdle === true) this.#scheduleClose();
  }

  /**
   * Replaces a connection whose session the server no longer knows. Requests in progress over the old one settle by
   * themselves.
   */
  replace(lost: ConnectionLease, cancellation?: Cancellation): Promise<ConnectionLease> {
    if (this.#ready === lost) {
      this.#detach();
      this.#status = "idle";
      lost.retire();
    }
    return this.connection(cancellation);
  }

  /** Closes an unusable connection, which counts as a failure. */
  failConnection(live: ConnectionLease, why: ToolError): void {
    if (!this.#drop(live)) return;
    this.#failures += 1;
    this.#retryAfter(why);
  }

  /** Handles the loss of a connection: it is reopened. */
  #lose(lost: ConnectionLease, why: unknown): void {
    if (!this.#drop(lost)) return;
    const lasted = this.#options.clock.now() - this.#readyAt;
    this.#failures = lost.hasAnswered || lasted >= healthyMs ? 0 : this.#failures + 1;
    // A single loss soon after the start is no trouble yet.
    this.#retryAfter(this.#options.toError(why), this.#failures > 1);
  }

  /** Closes it for good; an attempt in progress is aborted. Idempotent. */
  async close(): Promise<void> {
    this.#status = "closed";
    this.#closing.abort();
    this.#wake?.();
    const connection = this.#detach();
    await Promise.all([connection?.connection.close(), this.#attempt?.catch(() => {})]);
  }

  /**
   * Aborts the attempt after every call that waited for it was cancelled. It does not count as a failure of the
   * server.
   */
  #abandon(): void {
    this.#attempt = undefined;
    this.#status = "idle";
    this.#abandoned?.abort();
  }

  /** Closes a connection. False: it is not the current one any more. */
  #drop(live: ConnectionLease): boolean {
    if (this.#ready !== live) return false;
    this.#detach();
    void live.connection.close();
    return true;
  }

  #share(attempt: Promise<ConnectionLease>): Promise<ConnectionLease> {
    // Callers that wait for it receive the error.
    attempt.catch(() => {});
    return (this.#attempt = attempt);
  }

  async #open(): Promise<ConnectionLease> {
    const { clock, timeoutMs, server, open, toError } = this.#options;
    const closing = this.#closing.signal;
    const timeout = new AbortController();
    const abandoned = new AbortController();
    this.#abandoned = abandoned;
    const timer = timeoutMs === 0 ? undefined : clock.setTimeout(() => timeout.abort(), timeoutMs);
    try {
      closing.throwIfAborted();
      this.#status = "connecting";
      const live = await open(
        AbortSignal.any([timeout.signal, abandoned.signal, closing]),
        this.#wasReady,
      );
      if (closing.aborted || abandoned.signal.aborted) {
        await live.connection.close();
        throw closing.aborted ? closing.reason : abandoned.signal.reason;
      }
      this.#onOpened(live);
      return live;
    } catch (thrown) {
      if (closing.aborted) throw closedError(server, thrown);
      if (abandoned.signal.aborted) throw thrown;
      const error = timeout.signal.aborted
        ? timeoutError(server, timeoutMs, thrown)
        : toError(thrown);
      this.#failures += 1;
      this.#retryAfter(error);
      throw error;
    } finally {
      if (timer !== undefined) clock.clearTimeout(timer);
    }
  }

  #onOpened(live: ConnectionLease): void {
    const { clock, reconnect, onReady } = this.#options;
    const { connection } = live;
    this.#attempt = undefined;
    this.#status = "ready";
    this.#ready = live;
    this.#wasReady = true;
    this.#readyAt = clock.now();
    void connection.closed.then((why) => this.#lose(live, why));
    if (reconnect && connection.era === "legacy") this.#heartbeat = this.#createHeartbeat(live);
    if (!reconnect) this.#scheduleClose();
    this.#setTrouble(undefined);
    onReady?.(live);
  }

  #createHeartbeat(live: ConnectionLease): Heartbeat {
    return new Heartbeat({
      clock: this.#options.clock,
      ping: (signal) =>
        live.connection.request("ping", {}, { signal }).catch((error: unknown) => {
          if (isLostSession(error)) void this.replace(live).catch(() => {});
        }),
      isIdle: () => live.isIdle,
      onLost: () => this.#lose(live, new Error("it no longer responds to pings")),
    });
  }

  #retryAfter(error: ToolError, isTrouble = true): void {
    const { clock, reconnect, maxFailures, random } = this.#options;
    const ms = backoffMs(this.#failures, random());
    this.#attempt = undefined;
    this.#nextAt = isTrouble ? clock.now() + ms : 0;
    if (!reconnect) this.#status = "idle";
    else if (!error.retryable || this.#failures >= maxFailures) this.#status = "failed";
    else this.#wait(ms);
    if (isTrouble || this.#status === "failed") this.#setTrouble(error);
  }

  #wait(ms: number): void {
    const { clock } = this.#options;
    this.#status = "waiting";
    const waited = new Promise<void>((resolve) => {
      this.#wake = resolve;
      this.#timer = clock.setTimeout(resolve, ms);
      this.#timer.unref?.();
    });
    void this.#share(
      waited.then(() => {
        this.#stopTimer();
        return this.#open();
      }),
    );
  }

  /** Schedules the close of a connection without `reconnect`. */
  #scheduleClose(): void {
    const { clock, onIdle } = this.#options;
    this.#stopTimer();
    this.#timer = clock.setTimeout(() => {
      if (this.#ready?.isIdle !== true) return;
      const live = this.#detach();
      this.#status = "idle";
      void live?.connection.close();
      onIdle?.();
    }, idleMs);
    this.#timer.unref?.();
  }

  #detach(): ConnectionLease | undefined {
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

  #setTrouble(trouble: ToolError | undefined): void {
    const hasChanged = (trouble === undefined) !== (this.#trouble === undefined);
    this.#trouble = trouble;
    if (hasChanged) this.#options.onTrouble?.();
  }
}

function timeoutError(server: string, timeoutMs: number, cause: unknown): ToolError {
  const sample = cause instanceof ConnectionClosedError ? cause.sample : undefined;
  const line =
    sample === undefined ? "" : ` Its first line that is no JSON-RPC message: "${sample}".`;
  const message = `Connecting to the MCP server ${server} took more than ${timeoutMs} ms.${line}`;
  return new ToolError("timeout", message, { cause });
}

/** Error of calls after the source was closed. */
export function closedError(server: string, cause?: unknown): ToolError {
  const message = `The source ${server} is closed.`;
  return new ToolError("unavailable", message, { retryable: false, cause });
}

/** Maximum delay before the first reconnect. It is random, so that clients do not reconnect at the same time. */
const firstBackoffMs = 500;

/** Maximum delay between two attempts, in milliseconds. */
const maxBackoffMs = 60_000;

/**
 * Returns the delay before the next attempt in milliseconds: within half a second after a healthy connection, doubled
 * with every failure, of which the second half is random; a minute at most.
 *
 * @param failures Number of failed attempts in a row.
 * @param random Between 0 and 1.
 */
export function backoffMs(failures: number, random: number): number {
  if (failures === 0) return Math.round(firstBackoffMs * random);
  const maxMs = Math.min(maxBackoffMs, firstBackoffMs * 2 ** Math.min(failures, 30));
  return Math.round(maxMs * (0.5 + random / 2));
}
