import type { JsonObject } from "@toolweave/core";

/** A message as it goes out. */
export interface OutgoingMessage {
  readonly jsonrpc: "2.0";
  readonly id?: string | number;
  readonly method?: string;
  readonly params?: JsonObject;
  readonly result?: unknown;
  readonly error?: unknown;
}

/** How one message is sent; channels over HTTP look at it. */
export interface SendOptions {
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Ends the HTTP request of the message. */
  readonly stop?: Stop | undefined;
}

/** Moves messages to a server and back. */
export interface Channel {
  /** Each request has an HTTP request of its own, whose end says that nobody waits any more. */
  readonly hasOwnStreams: boolean;
  /** It is a child process: nothing but its messages tells what it can do. */
  readonly isProcess: boolean;
  open(receiver: ChannelReceiver): Promise<void>;
  /**
   * Sends a message, in the order of the calls. A promise rejects when the message could not be sent, or when its answer
   * can no longer come.
   */
  send(message: OutgoingMessage, options?: SendOptions): Promise<void> | undefined;
  /** What was agreed on; later messages say so where the protocol wants it. */
  setProtocolVersion(version: string): void;
  /** What the server said of itself beside messages. */
  readonly said: string;
  /** How the server came to its end, where it is a process that has ended by itself. */
  readonly fate: string | undefined;
  close(): Promise<void>;
}

/** Who a channel tells what comes. */
export interface ChannelReceiver {
  /** Any JSON. */
  receive(message: unknown): void;
  /** Something came that is no message. */
  skip(text: string): void;
  /** A text was not valid UTF-8; it is handled with replacement characters. */
  invalidText(text: string): void;
  /** The answer to this request came, and is larger than what is taken. */
  cut(id: string | number): void;
  /** Some of the server's notifications may have been missed. */
  missed(): void;
  /** There will be no more messages. */
  end(why: unknown): void;
}

type Listener = { handleEvent(): void };

/** Ends one HTTP request: an `AbortSignal` costs as much as the rest of a call. */
export class Stop {
  readonly #listeners = new Set<Listener>();
  aborted = false;
  reason: unknown = undefined;

  abort(reason: unknown): void {
    if (this.aborted) return;
    this.aborted = true;
    this.reason = reason;
    for (const listener of this.#listeners) listener.handleEvent();
    this.#listeners.clear();
  }

  /** For whoever needs the platform's own. */
  toSignal(): AbortSignal {
    const controller = new AbortController();
    const abort = (): void => controller.abort(this.reason);
    if (this.aborted) abort();
    else this.#listeners.add({ handleEvent: abort });
    return controller.signal;
  }

  addEventListener(_type: "abort", listener: Listener): void {
    this.#listeners.add(listener);
  }

  removeEventListener(_type: "abort", listener: Listener): void {
    this.#listeners.delete(listener);
  }
}

/** Bytes or characters of one message at most. */
export const maxMessageBytes: number = 64 * 1024 * 1024;

/** Waits; a stop ends it early. It does not keep the process alive. */
export function pause(ms: number, stop: Stop): Promise<void> {
  if (stop.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    const over = {
      handleEvent(): void {
        clearTimeout(timer);
        stop.removeEventListener("abort", over);
        resolve();
      },
    };
    const timer = setTimeout(() => over.handleEvent(), ms);
    timer.unref();
    stop.addEventListener("abort", over);
  });
}

/** The most milliseconds that a timer of Node takes: longer ones fire at once. */
export const maxTimerMs: number = 2 ** 31 - 1;
