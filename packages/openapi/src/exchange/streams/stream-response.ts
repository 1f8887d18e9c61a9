import {
  itemStream,
  text,
  type JsonObject,
  type JsonValue,
  type ToolContext,
} from "@toolweave/core";
import type { ItemStream } from "@toolweave/core/adapter";
import { SseParser, type Streaming, type SseEvent } from "@toolweave/http";
import { isItemMediaType } from "../../document/media-type.ts";
import {
  JsonLines,
  JsonSequence,
  type Redact,
  type ItemParser,
  type StreamItem,
} from "./json-items.ts";

/** Maximum silence of a stream that a server keeps open. */
const idleMs = 120_000;

/** Streams the answers that consist of items. */
export const streamedResponses: Streaming = {
  accepts: (status, mediaType) =>
    status >= 200 && status < 300 && mediaType !== undefined && isItemMediaType(mediaType),
  idleMs,
};

function createParser(
  mediaType: string,
  clean: Redact | undefined,
  warn: (message: string) => void,
): ItemParser {
  if (mediaType === "text/event-stream") return new EventStreamParser(clean);
  return mediaType.endsWith("json-seq") ? new JsonSequence(clean, warn) : new JsonLines(clean);
}

const maxWarnings = 20;

/**
 * Converts a streamed answer to a stream of items: each is emitted as an update as soon as it arrives, and all of them
 * are the result, which the executor collects within its limits. A slow listener slows the server down.
 *
 * @param details of the result; skipped items are added as `warnings`, at most 20 of them.
 * @param clean redacts secrets. `undefined`: there are none.
 */
export function toItemStream(
  mediaType: string,
  stream: AsyncIterable<Uint8Array>,
  ctx: Pick<ToolContext, "update">,
  details: JsonObject,
  clean: Redact | undefined,
): ItemStream {
  const warnings: string[] = [];
  const all: Record<string, JsonValue> = { ...details };
  const parser = createParser(mediaType, clean, (message) => {
    if (warnings.length === maxWarnings) return;
    warnings.push(message);
    all["warnings"] = warnings;
  });
  return itemStream(new ResponseItems(stream, parser, ctx), all);
}

type Step = IteratorResult<JsonValue, undefined>;

/** Not a generator, because a generator that awaits its next chunk cannot be stopped. */
class ResponseItems implements AsyncIterableIterator<JsonValue, undefined> {
  readonly #source: AsyncIterator<Uint8Array>;
  readonly #parser: ItemParser;
  readonly #ctx: Pick<ToolContext, "update">;
  #ready: readonly StreamItem[] = [];
  #position = 0;
  #emitted = 0;
  #ended = false;
  #error: unknown;

  constructor(
    stream: AsyncIterable<Uint8Array>,
    parser: ItemParser,
    ctx: Pick<ToolContext, "update">,
  ) {
    this.#source = stream[Symbol.asyncIterator]();
    this.#parser = parser;
    this.#ctx = ctx;
  }

  async next(): Promise<Step> {
    while (this.#position === this.#ready.length) {
      if (this.#ended) return this.#end();
      await this.#read();
    }
    const item = this.#ready[this.#position++] as StreamItem;
    return { done: false, value: item.value };
  }

  #end(): Step {
    const fault = this.#error;
    this.#error = undefined;
    if (fault !== undefined) throw fault;
    return { done: true, value: undefined };
  }

  return(): Promise<Step> {
    this.#ended = true;
    this.#error = undefined;
    this.#ready = [];
    this.#position = 0;
    void this.#source.return?.();
    return Promise.resolve({ done: true, value: undefined });
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  /** Emits the items of a chunk together, so that none is skipped. */
  async #read(): Promise<void> {
    const { done, value } = await this.#source.next();
    if (this.#ended) return;
    const items = this.#parse(done === true ? undefined : value);
    if (items.length === 0) return;
    this.#position = 0;
    this.#ready = items;
    const first = this.#emitted;
    this.#emitted += items.length;
    await this.#ctx.update({
      content: [text(this.#ready.map((item) => item.text).join("\n"))],
      value: this.#ready.map((item) => item.value),
      details: { first },
    });
  }

  /** Parses a chunk. The items before an invalid one are returned before the error is thrown. */
  #parse(piece: Uint8Array | undefined): readonly StreamItem[] {
    const items: StreamItem[] = [];
    try {
      if (piece === undefined) {
        this.#ended = true;
        this.#parser.end(items);
      } else this.#parser.push(piece, items);
    } catch (error) {
      this.#ended = true;
      this.#error = error;
      void this.#source.return?.();
    }
    return items;
  }
}

/**
 * Maximum number of characters of an id. Each following event repeats it, so that a long one would be repeated a
 * million times.
 */
const maxIdLength = 1_000;

/**
 * Parses server-sent events into items as in OpenAPI 3.2, section 4.14.4: `data` and `event` as text, `id` once the
 * server has sent one, `retry` if present. Ids of more than 1,000 characters are ignored.
 */
export class EventStreamParser implements ItemParser {
  readonly #clean: Redact;
  readonly #parser: SseParser;
  #events: SseEvent[] = [];

  /** @param clean redacts a text. */
  constructor(clean: Redact = (text) => text) {
    this.#clean = clean;
    this.#parser = new SseParser({
      onEvent: (event) => this.#events.push(event),
      isValidId: (id) => id.length <= maxIdLength,
    });
  }

  push(chunk: Uint8Array, items: StreamItem[]): void {
    this.#parser.push(chunk);
    for (const event of this.#events) items.push(this.#toItem(event));
    this.#events = [];
  }

  /** Ignores an event that was not ended by an empty line. */
  end(): void {}

  #toItem({ type, data, id, retryMs }: SseEvent): StreamItem {
    const text = this.#clean(data);
    const value = {
      data: text,
      event: this.#clean(type),
      ...(id === "" ? {} : { id: this.#clean(id) }),
      ...(retryMs === undefined ? {} : { retry: retryMs }),
    };
    return { value, text };
  }
}
