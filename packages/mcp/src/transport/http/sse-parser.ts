import { ToolError } from "@toolweave/core";
import { isInvalidChunk } from "../messages/invalid-text.ts";
import { maxMessageBytes } from "../messages/channel.ts";

/** One event of a stream. */
export interface StreamEvent {
  /** `message` if the stream names none. */
  readonly type: string;
  readonly data: string;
}

/** Id that fits in a header and is no longer than servers accept. */
const sendable = /^[ -~\u0080-\u00ff]{0,4096}$/;

/**
 * Parses the chunks of a `text/event-stream` (HTML, section 9.2.6) into events. Invalid UTF-8 becomes replacement
 * characters; comments and unknown fields are ignored.
 */
export class SseParser {
  readonly #onEvent: (event: StreamEvent) => void;
  readonly #onInvalidText: ((text: string) => void) | undefined;
  /** The last two bytes of the previous chunk. */
  #before: Uint8Array = new Uint8Array(0);
  readonly #decoder = new TextDecoder();
  /** Parts of an incomplete line. */
  #begun: string[] = [];
  #begunSize = 0;
  #data: string[] = [];
  #dataSize = 0;
  #type = "";
  #endedWithReturn = false;
  /** Id of the last event, for resumption. */
  lastId: string | undefined = undefined;
  /** Milliseconds before a reconnect, if the server sets them. */
  retryMs: number | undefined = undefined;

  /** @param onInvalidText Called with the text of a chunk that is not valid UTF-8, before its events. */
  constructor(onEvent: (event: StreamEvent) => void, onInvalidText?: (text: string) => void) {
    this.#onEvent = onEvent;
    this.#onInvalidText = onInvalidText;
  }

  /** The event exceeds the maximum size. */
  get isFull(): boolean {
    return this.#begunSize + this.#dataSize > maxMessageBytes;
  }

  /** @throws ToolError `upstream` when an event has more than 64 Mi characters. */
  read(chunk: Uint8Array): void {
    let text = this.#decoder.decode(chunk, { stream: true });
    if (isInvalidChunk(text, chunk, this.#before)) this.#onInvalidText?.(text);
    this.#before =
      chunk.length > 1 ? chunk.subarray(-2) : Buffer.concat([this.#before, chunk]).subarray(-2);
    if (this.#endedWithReturn && text.startsWith("\n")) text = text.slice(1);
    if (text !== "") this.#endedWithReturn = text.endsWith("\r");
    if (text.includes("\r")) text = text.replaceAll(/\r\n?/g, "\n");
    let start = 0;
    for (let end = text.indexOf("\n"); end !== -1; end = text.indexOf("\n", start)) {
      const rest = text.slice(start, end);
      this.#line(this.#begun.length === 0 ? rest : this.#joined(rest));
      start = end + 1;
    }
    if (start < text.length) {
      const rest = start === 0 ? text : text.slice(start);
      this.#begun.push(rest);
      this.#begunSize += rest.length;
      this.#check();
    }
  }

  #joined(rest: string): string {
    this.#begun.push(rest);
    const line = this.#begun.join("");
    this.#begun = [];
    this.#begunSize = 0;
    return line;
  }

  #check(): void {
    if (this.isFull) {
      throw new ToolError("upstream", "The server sent an event of more than 64 MiB.");
    }
  }

  #line(line: string): void {
    if (line === "") return this.#dispatch();
    const colon = line.indexOf(":");
    // A comment.
    if (colon === 0) return;
    const field = colon === -1 ? line : line.slice(0, colon);
    const begin = line.charCodeAt(colon + 1) === 32 ? colon + 2 : colon + 1;
    const value = colon === -1 ? "" : line.slice(begin);
    switch (field) {
      case "data":
        this.#data.push(value);
        this.#dataSize += value.length;
        this.#check();
        break;
      case "event":
        this.#type = value;
        break;
      case "id":
        if (sendable.test(value)) this.lastId = value;
        break;
      case "retry":
        if (/^\d{1,9}$/.test(value)) this.retryMs = Number(value);
        break;
      default:
    }
  }

  #dispatch(): void {
    const data = this.#data;
    const type = this.#type === "" ? "message" : this.#type;
    this.#data = [];
    this.#type = "";
    this.#dataSize = 0;
    // A stream without data yet sends an empty event for its id.
    if (data.length === 0 || (data.length === 1 && data[0] === "")) return;
    this.#onEvent({ type, data: data.length === 1 ? (data[0] as string) : data.join("\n") });
  }
}
