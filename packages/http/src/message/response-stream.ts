import type { ToolError } from "@toolweave/core";

/** The source that feeds a stream. */
export interface StreamFeed {
  /** Pauses the source: the buffered bytes have not been read yet. */
  pause(): void;
  resume(): void;
  /** Cancels the source: the remaining bytes are not needed. */
  cancel(why: string): void;
}

/** Maximum number of buffered bytes that are unread; above it, the socket is paused. */
const maxBufferedBytes = 65_536;

type Step = IteratorResult<Uint8Array, undefined>;

interface Reader {
  resolve(step: Step): void;
  reject(error: ToolError): void;
}

const done: Step = { done: true, value: undefined };

/**
 * A decoded body as a stream of chunks that can be read once. A slow reader slows the server down; leaving the loop
 * closes the socket.
 *
 * @internal
 */
export class ResponseStream implements AsyncIterableIterator<Uint8Array, undefined> {
  readonly #feed: StreamFeed;
  #chunks: Uint8Array[] = [];
  #held = 0;
  #reader: Reader | undefined;
  #ended = false;
  #error: ToolError | undefined;

  constructor(feed: StreamFeed) {
    this.#feed = feed;
  }

  /** True when the buffer of unread bytes is full. */
  get isFull(): boolean {
    return this.#held > maxBufferedBytes;
  }

  push(chunk: Uint8Array): void {
    const reader = this.#reader;
    if (reader !== undefined) {
      this.#reader = undefined;
      reader.resolve({ done: false, value: chunk });
      return;
    }
    this.#chunks.push(chunk);
    this.#held += chunk.length;
    if (this.isFull) this.#feed.pause();
  }

  /** Ends the stream after the last chunk, or fails it; the chunks received before can still be read. */
  end(error?: ToolError): void {
    this.#ended = true;
    this.#error = error;
    const reader = this.#reader;
    this.#reader = undefined;
    if (reader !== undefined) this.#settle(reader);
  }

  next(): Promise<Step> {
    if (this.#reader !== undefined) {
      return Promise.reject(new TypeError("The previous chunk is still pending: await it first."));
    }
    return new Promise((resolve, reject) => {
      const chunk = this.#chunks.shift();
      if (chunk !== undefined) {
        const wasFull = this.isFull;
        this.#held -= chunk.length;
        if (wasFull && !this.isFull) this.#feed.resume();
        resolve({ done: false, value: chunk });
      } else if (this.#ended) this.#settle({ resolve, reject });
      else this.#reader = { resolve, reject };
    });
  }

  return(): Promise<Step> {
    this.#chunks = [];
    this.#held = 0;
    this.#feed.cancel("the caller stopped reading the answer");
    this.#error = undefined;
    return Promise.resolve(done);
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  /** Settles a reader. An error is reported once; after it the stream is done. */
  #settle(reader: Reader): void {
    const error = this.#error;
    this.#error = undefined;
    if (error === undefined) reader.resolve(done);
    else reader.reject(error);
  }
}
