/** One message of an event stream. */
export interface SseMessage {
  /** The last id until now: where a reader continues. */
  readonly id: string;
  readonly data: string;
}

/**
 * Reads a `text/event-stream` that comes in pieces (WHATWG HTML, section 9.2.6): `id` and `data` fields, comments, and
 * line ends of all three kinds. `event` and `retry` fields are ignored.
 */
export class SseReader {
  #rest = "";
  #data: string[] = [];
  #id = "";

  /** Adds a piece of the stream and returns the messages that it completes. */
  push(piece: string): readonly SseMessage[] {
    const text = this.#rest + piece;
    // A carriage return at the end may be the first half of a line end.
    const end = text.endsWith("\r") ? text.length - 1 : text.length;
    const lines = text.slice(0, end).split(/\r\n|\n|\r/);
    this.#rest = (lines.pop() ?? "") + text.slice(end);
    return lines.flatMap((line) => this.#readLine(line));
  }

  #readLine(line: string): readonly SseMessage[] {
    if (line === "") {
      const data = this.#data;
      this.#data = [];
      return data.length === 0 ? [] : [{ id: this.#id, data: data.join("\n") }];
    }
    const colon = line.indexOf(":");
    if (colon === 0) return [];
    const field = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? "" : line.slice(colon + 1).replace(/^ /, "");
    if (field === "data") this.#data.push(value);
    else if (field === "id" && !value.includes("\0")) this.#id = value;
    return [];
  }
}
