import {
  itemStream,
  text,
  type ItemStream,
  type JsonObject,
  type JsonValue,
  type ToolContext,
} from "@toolweave/core";
import type { Streaming } from "@toolweave/http";
import { isItemMediaType } from "../../document/media-type.ts";
import { EventStreamParser } from "./event-stream.ts";
import type { Clean, ItemParser, StreamItem } from "./item-parser.ts";
import { JsonLines, JsonSequence } from "./json-items.ts";

/** Longer than any server should be silent on a stream that it keeps open. */
const idleMs = 120_000;

/** Answers that come item by item are read so. */
export const streamedAnswers: Streaming = {
  accepts: (status, mediaType) =>
    status >= 200 && status < 300 && mediaType !== undefined && isItemMediaType(mediaType),
  idleMs,
};

function createParser(
  mediaType: string,
  clean: Clean | undefined,
  warn: (message: string) => void,
): ItemParser {
  if (mediaType === "text/event-stream") return new EventStreamParser(clean);
  return mediaType.endsWith("json-seq") ? new JsonSequence(clean, warn) : new JsonLines(clean);
}

const maxWarnings = 20;

/**
 * The items of a streamed answer as the tool's: each is shown to whoever watches as soon as it is there, and all of them
 * are the result, which the executor collects within its limits. A watcher who takes their time slows the server down.
 *
 * @param details the result's; what was skipped is added as `warnings`, up to 20 of them.
 * @param clean takes out what must not be shown. `undefined`: nothing has to be.
 */
export function streamAnswer(
  mediaType: string,
  stream: AsyncIterable<Uint8Array>,
  ctx: Pick<ToolContext, "update">,
  details: JsonObject,
  clean: Clean | undefined,
): ItemStream {
  const warnings: string[] = [];
  const all: Record<string, JsonValue> = { ...details };
  const parser = createParser(mediaType, clean, (message) => {
    if (warnings.length === maxWarnings) return;
    warnings.push(message);
    all["warnings"] = warnings;
  });
  return itemStream(new AnswerItems(stream, parser, ctx), all);
}

type Step = IteratorResult<JsonValue, undefined>;

/** Not a generator: one that waits for its next piece cannot be told to stop. */
class AnswerItems implements AsyncIterableIterator<JsonValue, undefined> {
  readonly #source: AsyncIterator<Uint8Array>;
  readonly #parser: ItemParser;
  readonly #ctx: Pick<ToolContext, "update">;
  readonly #decoder = new TextDecoder();
  #ready: readonly StreamItem[] = [];
  #at = 0;
  #shown = 0;
  #ended = false;
  #fault: unknown;

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
    while (this.#at === this.#ready.length) {
      if (this.#ended) return this.#end();
      await this.#read();
    }
    const item = this.#ready[this.#at++] as StreamItem;
    return { done: false, value: item.value };
  }

  #end(): Step {
    const fault = this.#fault;
    this.#fault = undefined;
    if (fault !== undefined) throw fault;
    return { done: true, value: undefined };
  }

  return(): Promise<Step> {
    this.#ended = true;
    this.#fault = undefined;
    this.#ready = [];
    this.#at = 0;
    void this.#source.return?.();
    return Promise.resolve({ done: true, value: undefined });
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  /** What comes together is shown together, so that none of it is skipped. */
  async #read(): Promise<void> {
    const { done, value } = await this.#source.next();
    if (this.#ended) return;
    const items = this.#parsed(done === true ? undefined : value);
    if (items.length === 0) return;
    this.#at = 0;
    this.#ready = items;
    const first = this.#shown;
    this.#shown += items.length;
    await this.#ctx.update({
      content: [text(this.#ready.map((item) => item.text).join("\n"))],
      value: this.#ready.map((item) => item.value),
      details: { first },
    });
  }

  /** What is before a broken item is told before it. */
  #parsed(piece: Uint8Array | undefined): readonly StreamItem[] {
    const items: StreamItem[] = [];
    try {
      if (piece === undefined) {
        this.#ended = true;
        this.#parser.push(this.#decoder.decode(), items);
        this.#parser.end(items);
      } else this.#parser.push(this.#decoder.decode(piece, { stream: true }), items);
    } catch (error) {
      this.#ended = true;
      this.#fault = error;
      void this.#source.return?.();
    }
    return items;
  }
}
