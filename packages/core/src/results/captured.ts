import type { JsonValue } from "../json/json.ts";
import { truncateUtf8, utf8Length } from "../text/utf8.ts";
import { viewBytes, toJson, plainBytes, type Cut } from "../json/to-json.ts";

/** How many small texts are held apart before they are made one. */
const maxParts = 1024;

/**
 * The received part of a stream, up to a limit: texts are one text, bytes are bytes, with texts among them as UTF-8; as
 * soon as anything else is received, all of it is a list of JSON values.
 */
export class StreamBuffer implements Cut {
  /** There was more. */
  truncated = false;
  /** Nothing more is accepted: a source may continue although it was cancelled. */
  isClosed = false;
  #left: number;
  #texts: string[] = [];
  #bytes: Uint8Array<ArrayBuffer> | undefined;
  #length = 0;
  #items: JsonValue[] | undefined;

  /** @param isList every piece is an item, also a text. */
  constructor(limit: number, isList = false) {
    this.#left = limit;
    if (isList) this.#items = [];
  }

  /** True if nothing has been received, or only empty pieces. */
  get isEmpty(): boolean {
    return this.#texts.length === 0 && this.#length === 0 && (this.#items ?? []).length === 0;
  }

  /** Takes a piece, or as much of it as there is room for; `truncated` is true then. */
  add(piece: unknown): void {
    if (this.isClosed) return;
    if (typeof piece === "string" && this.#items === undefined) return this.#addText(piece);
    const bytes = typeof piece === "object" && piece !== null ? viewBuffer(piece) : undefined;
    if (bytes !== undefined && this.#items === undefined) return this.#addBytes(bytes);
    this.#addItem(piece);
  }

  /** All that came. Bytes are a view, not a copy; it is read once. */
  take(): string | Uint8Array | JsonValue[] {
    return this.#items ?? this.#bytes?.subarray(0, this.#length) ?? this.#texts.join("");
  }

  #addText(piece: string): void {
    if (this.#bytes !== undefined) return this.#addBytes(new TextEncoder().encode(piece));
    if (piece === "") return;
    const size = piece.length > this.#left ? Infinity : utf8Length(piece);
    this.truncated = size > this.#left;
    this.#texts.push(
      this.truncated ? truncateUtf8(piece.slice(0, this.#left + 1), this.#left) : piece,
    );
    this.#left -= size;
    if (this.#texts.length < maxParts) return;
    // Only short texts are joined: the long ones before them stay as they are.
    this.#texts = halved(this.#texts);
  }

  #addBytes(piece: Uint8Array): void {
    if (this.#bytes === undefined) {
      const before = new TextEncoder().encode(this.#texts.join(""));
      this.#texts = [];
      this.#bytes = before;
      this.#length = before.length;
    }
    this.truncated = piece.length > this.#left;
    const taken = this.truncated ? piece.subarray(0, this.#left) : piece;
    const length = this.#length + taken.length;
    if (length > this.#bytes.length) {
      const most = this.#length + this.#left;
      const larger = new Uint8Array(Math.min(most, Math.max(65_536, length, this.#length * 2)));
      larger.set(this.#bytes.subarray(0, this.#length));
      this.#bytes = larger;
    }
    this.#bytes.set(taken, this.#length);
    this.#length = length;
    this.#left -= taken.length;
  }

  #addItem(piece: unknown): void {
    if (this.#items === undefined) {
      const before = this.take();
      this.#items = before.length === 0 ? [] : [toJson(before)];
      this.#texts = [];
      this.#bytes = undefined;
    }
    const item = toJson(piece, this.#left, this);
    this.#items.push(item);
    this.#left -= 1 + Math.max(1, plainBytes(item));
    if (this.#left <= 0) this.truncated = true;
  }
}

/** Joins the texts after the long ones at the beginning; all of them if every text is long. */
function halved(texts: readonly string[]): string[] {
  const first = texts.findIndex((text) => text.length < 65_536);
  return first === -1 ? [texts.join("")] : [...texts.slice(0, first), texts.slice(first).join("")];
}

/** In a stream, every buffer is bytes: that is how files and sockets come. */
function viewBuffer(piece: object): Uint8Array | undefined {
  return (
    viewBytes(piece) ??
    (ArrayBuffer.isView(piece)
      ? new Uint8Array(piece.buffer, piece.byteOffset, piece.byteLength)
      : undefined)
  );
}
