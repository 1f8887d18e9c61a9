import { SseParser, type SseEvent } from "@toolweave/http";
import type { Redact, ItemParser, StreamItem } from "./item-parser.ts";

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
