import type { ToolError } from "@toolweave/core";

/** The source that feeds a stream. */
export interface StreamFeed {
  /** Pauses the source: the buffered bytes have not been read. */
  pause(): void;
  resume(): void;
  /** The rest is not wanted. */
  cancel(why: string): void;
}

/** Bytes that are held for a reader who takes their time, before the socket is no longer read. */
const maxBufferedBytes = 65_536;

type Step = IteratorResult<Uint8Array, undefined>;

interface Reader {
  resolve(step: Step): void;
  reject(error: ToolError): void;
}

const done: Step = { done: true, value: undefined };

/**
 * A decoded body, piece by piece, to be read once. A slow reader slows the server down; leaving the loop closes the
 * socket.
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

  /** After the last piece, or instead of the next when something went wrong; what came before can still be read. */
  end(error?: ToolError): void {
    this.#ended = true;
    this.#error = error;
    const reader = this.#reader;
    this.#reader = undefined;
    if (reader !== undefined) this.#settle(reader);
  }

  next(): Promise<Step> {
    if (this.#reader !== undefined) {
      return Promise.reject(new TypeError("The piece before has not come yet: await it first."));
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
    this.#feed.cancel("the rest of its answer is not wanted");
    this.#error = undefined;
    return Promise.resolve(done);
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  /** The error is told once; after it there is nothing. */
  #settle(reader: Reader): void {
    const error = this.#error;
    this.#error = undefined;
    if (error === undefined) reader.resolve(done);
    else reader.reject(error);
  }
}
