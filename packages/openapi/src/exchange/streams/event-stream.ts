import type { JsonObject } from "@toolweave/core";
import type { Redact, ItemParser, StreamItem } from "./item-parser.ts";

/**
 * Maximum number of characters of an id. Each following event repeats it, so that a long one would be repeated a
 * million times.
 */
const maxIdLength = 1_000;

/**
 * Parses server-sent events (WHATWG HTML, section 9.2.6) into items as in OpenAPI 3.2, section 4.14.4: `data` and
 * `event` as text (`message` if the server names none), `id` once the server has sent one, `retry` if present.
 * Comments, unknown fields, ids of more than 1,000 characters and an unfinished event are ignored.
 */
export class EventStreamParser implements ItemParser {
  readonly #clean: Redact;
  #rest = "";
  #afterReturn = false;
  #data: string[] = [];
  #event = "";
  #id = "";
  #retry: number | undefined;

  /** @param clean redacts a line. */
  constructor(clean: Redact = (line) => line) {
    this.#clean = clean;
  }

  push(text: string, items: StreamItem[]): void {
    let from = 0;
    if (this.#afterReturn && text !== "") {
      // A line feed that belongs to the previous carriage return.
      if (text.startsWith("\n")) from = 1;
      this.#afterReturn = false;
    }
    const ends = /\r\n?|\n/g;
    ends.lastIndex = from;
    for (let end = ends.exec(text); end !== null; end = ends.exec(text)) {
      this.#readLine(this.#clean(this.#rest + text.slice(from, end.index)), items);
      this.#rest = "";
      from = ends.lastIndex;
      if (from === text.length && end[0] === "\r") this.#afterReturn = true;
    }
    this.#rest += text.slice(from);
  }

  /** Ignores an event that was not ended by an empty line. */
  end(): void {}

  #readLine(line: string, items: StreamItem[]): void {
    if (line === "") return this.#dispatch(items);
    const colon = line.indexOf(":");
    const field = colon === -1 ? line : line.slice(0, colon);
    const value = colon === -1 ? "" : line.slice(colon + (line[colon + 1] === " " ? 2 : 1));
    if (field === "data") this.#data.push(value);
    else if (field === "event") this.#event = value;
    else if (field === "id") this.#id = isId(value) ? value : this.#id;
    else if (field === "retry" && /^\d+$/.test(value)) this.#retry = Number(value);
  }

  #dispatch(items: StreamItem[]): void {
    const data = this.#data.join("\n");
    const isEmpty = this.#data.length === 0;
    const value: JsonObject = {
      data,
      event: this.#event === "" ? "message" : this.#event,
      ...(this.#id === "" ? {} : { id: this.#id }),
      ...(this.#retry === undefined ? {} : { retry: this.#retry }),
    };
    this.#data = [];
    this.#event = "";
    this.#retry = undefined;
    if (!isEmpty) items.push({ value, text: data });
  }
}

function isId(value: string): boolean {
  return value.length <= maxIdLength && !value.includes("\0");
}
