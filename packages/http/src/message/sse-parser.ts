import { ToolError } from "@toolweave/core";
import { createParser, type EventSourceParser } from "eventsource-parser";

/** One event of a stream. */
export interface SseEvent {
  /** `message` if the server names none. */
  readonly type: string;
  readonly data: string;
  /** Id of the last event that had one; empty if there is none. */
  readonly id: string;
  /** The reconnection time that was sent with the event, in milliseconds. */
  readonly retryMs: number | undefined;
}

/** Listeners and limits of a parser of server-sent events. */
export interface SseOptions {
  readonly onEvent: (event: SseEvent) => void;
  /** Called with the text of each chunk, before its events. Invalid UTF-8 becomes replacement characters. */
  readonly onText?: ((text: string, chunk: Uint8Array) => void) | undefined;
  /** Maximum number of characters of an event or a line; unlimited by default. */
  readonly maxSize?: number | undefined;
  /** Ids for which it returns false are ignored. */
  readonly isValidId?: ((id: string) => boolean) | undefined;
}

/** Longer times overflow timers, and are ignored. */
const maxRetryMs = 999_999_999;

/**
 * Parses the chunks of a `text/event-stream` (HTML, section 9.2.6) into events. Comments, unknown fields and an event that
 * no empty line ends are ignored.
 */
export class SseParser {
  readonly #options: SseOptions;
  readonly #decoder = new TextDecoder();
  readonly #parser: EventSourceParser;
  #endedWithReturn = false;
  #isAtLineStart = true;
  #eventRetryMs: number | undefined;
  #lastId: string | undefined;
  #retryMs: number | undefined;
  #isFull = false;

  constructor(options: SseOptions) {
    this.#options = options;
    this.#parser = createParser({
      maxBufferSize: options.maxSize,
      onEvent: ({ event, id, data }) => this.#dispatch(event, id, data),
      onRetry: (ms) => {
        if (ms <= maxRetryMs) this.#eventRetryMs = this.#retryMs = ms;
      },
      onError: ({ type }) => {
        if (type === "max-buffer-size-exceeded") this.#isFull = true;
      },
    });
  }

  /** Id of the last event that had one, for resumption. */
  get lastId(): string | undefined {
    return this.#lastId;
  }

  /** Milliseconds before a reconnect, if the server sets them. */
  get retryMs(): number | undefined {
    return this.#retryMs;
  }

  /** An event or a line exceeded the maximum size. Nothing more can be parsed. */
  get isFull(): boolean {
    return this.#isFull;
  }

  /** @throws ToolError `upstream` when an event or a line exceeds the maximum size. */
  push(chunk: Uint8Array): void {
    const text = this.#decoder.decode(chunk, { stream: true });
    this.#options.onText?.(text, chunk);
    const lines = this.#normalize(text);
    if (lines !== "" && !this.#isFull) this.#parser.feed(lines);
    if (this.#isFull) {
      const mebibytes = (this.#options.maxSize ?? 0) / 1024 ** 2;
      throw new ToolError("upstream", `The server sent an event of more than ${mebibytes} MiB.`);
    }
  }

  /**
   * Ends each line with a line feed, since the library parses a line that ends with a carriage return only when the next
   * chunk arrives; and puts an empty `data` before each empty line, since the library ignores an event without data,
   * whose id counts.
   */
  #normalize(text: string): string {
    let lines = this.#endedWithReturn && text.startsWith("\n") ? text.slice(1) : text;
    if (text !== "") this.#endedWithReturn = text.endsWith("\r");
    if (lines === "") return "";
    if (lines.includes("\r")) lines = lines.replaceAll(/\r\n?/g, "\n");
    const isEmptyLine = this.#isAtLineStart && lines.startsWith("\n");
    this.#isAtLineStart = lines.endsWith("\n");
    if (lines.includes("\n\n")) lines = lines.replaceAll(/(?<=\n)\n/g, "data:\n\n");
    return isEmptyLine ? `data:\n${lines}` : lines;
  }

  #dispatch(type: string | undefined, id: string | undefined, data: string): void {
    const retryMs = this.#eventRetryMs;
    this.#eventRetryMs = undefined;
    if (id !== undefined && this.#options.isValidId?.(id) !== false) this.#lastId = id;
    // The only line of data is the added one.
    if (data === "") return;
    const { onEvent } = this.#options;
    onEvent({ type: type ?? "message", data: data.slice(0, -1), id: this.#lastId ?? "", retryMs });
  }
}
