import type { JsonObject } from "@toolweave/core";

/** A JSON-RPC message to the server. */
export interface OutgoingMessage {
  readonly jsonrpc: "2.0";
  readonly id?: string | number;
  readonly method?: string;
  readonly params?: JsonObject;
  readonly result?: unknown;
  readonly error?: unknown;
}

/** Options of one message; only channels over HTTP use them. */
export interface SendOptions {
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Aborts the HTTP request of the message. */
  readonly stop?: Stop | undefined;
  /** Passed to the receiver with the messages of the response's stream. */
  readonly streamOwner?: object | undefined;
}

/** Transports messages to and from a server. */
export interface Channel {
  /** Each request has its own HTTP request, whose abort cancels it. */
  readonly hasRequestStreams: boolean;
  /** The server is a child process: its version can be found out by messages only. */
  readonly isProcess: boolean;
  open(receiver: ChannelReceiver): Promise<void>;
  /**
   * Sends a message; the order of calls is kept. The promise rejects when the message could not be sent, or when its
   * response can no longer arrive.
   */
  send(message: OutgoingMessage, options?: SendOptions): Promise<void> | undefined;
  /** Marks an error response that refuses a request because the server does not know the session. */
  markErrorResponse?(message: object): void;
  /** Sets the negotiated version, which later messages carry where the protocol requires it. */
  setProtocolVersion(version: string): void;
  /** Output of the server beside messages: its standard error. */
  readonly output: string;
  /** How the server's process ended, if it ended by itself. */
  readonly exitReason: string | undefined;
  close(): Promise<void>;
}

/** Receives the messages of a channel. */
export interface ChannelReceiver {
  /**
   * @param message Any JSON.
   * @param streamOwner `SendOptions.streamOwner` of the request on whose stream it arrived.
   */
  receive(message: unknown, streamOwner?: object): void;
  /** Invalid input was received. */
  skipInvalid(text: string): void;
  /** A text was not valid UTF-8; it is processed with replacement characters. */
  onInvalidText(text: string): void;
  /** The response to this request exceeds the limits and was dropped. */
  dropResponse(id: string | number): void;
  /** Notifications of the server may have been missed. */
  onMissedNotifications(): void;
  /** No more messages will arrive. */
  end(why: unknown): void;
}

type Listener = { handleEvent(): void };

/** Aborts one HTTP request: an `AbortSignal` costs as much as the rest of a call. */
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

  /** Converts it to an `AbortSignal`. */
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

/** Maximum size of one message, in bytes or characters. */
export const maxMessageBytes: number = 64 * 1024 * 1024;

/** The longest timer of Node.js in milliseconds: longer ones fire at once. */
export const maxTimerMs: number = 2 ** 31 - 1;
