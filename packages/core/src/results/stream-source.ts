import { isThenable, promised, type Awaitable, type JsonValue } from "../json/json.ts";
import type { StreamBuffer } from "./captured.ts";

/** A source of pieces, read one at a time: none is requested before it is wanted. */
export interface StreamSource {
  /** As the sender declares it; empty: not declared. */
  readonly mediaType: string;
  /** Set when it is the body of an HTTP response. */
  readonly response?: { readonly status: number; readonly statusText: string };
  /** Set when each piece is an item of a list. */
  readonly items?: { readonly details: JsonValue | undefined };
  next(): Awaitable<unknown>;
  /** Cancels the rest. Never throws, and its end is not awaited. */
  cancel(): void;
}

type Method = (...args: unknown[]) => Awaitable<unknown>;
type Loose = Readonly<Record<string | symbol, unknown>>;

/**
 * True for a value that has to be read first: a stream, an async iterable, an iterator or generator, a `Response` or a
 * `Blob`, of this platform or compatible with it.
 */
export function isStreamed(value: unknown): value is object {
  return (
    typeof value === "object" && value !== null && !Array.isArray(value) && looksStreamed(value)
  );
}

function looksStreamed(value: object): boolean {
  try {
    const loose = value as Loose;
    if (typeof loose[Symbol.asyncIterator] === "function") return true;
    const prototype: unknown = Object.getPrototypeOf(value);
    if (prototype === Object.prototype || prototype === null) return false;
    return (
      typeof loose["getReader"] === "function" ||
      (typeof loose["next"] === "function" && typeof loose[Symbol.iterator] === "function") ||
      isBlob(loose) ||
      isResponse(loose)
    );
  } catch {
    return false;
  }
}

/** @throws the exception of the value that is read, such as a stream that is locked by another reader. */
export function streamSource(value: object): StreamSource {
  const loose = value as Loose;
  if (isResponse(loose)) return responseSource(loose);
  if (isBlob(loose)) {
    return { ...readerSource((loose["stream"] as Method).call(loose) as Loose, loose["type"]) };
  }
  if (typeof loose["getReader"] === "function") return readerSource(loose, "");
  const source = iteratorSource(loose);
  return isItemStream(value) ? { ...source, items: { details: value.details } } : source;
}

function responseSource(response: Loose): StreamSource {
  const { get } = response["headers"] as Loose;
  const said: unknown = (get as Method).call(response["headers"], "content-type");
  if (response["bodyUsed"] === true) throw new TypeError("its body has been read already");
  const body = response["body"] as Loose | null;
  const status = Number(response["status"]);
  const statusText = String(response["statusText"] ?? "");
  const source = body === null ? nothing : bodySource(body, said);
  return { ...source, response: { status, statusText } };
}

/** A body is a web stream, or one of Node's where an older library made the response. */
function bodySource(body: Loose, said: unknown): StreamSource {
  return typeof body["getReader"] === "function"
    ? readerSource(body, said)
    : { ...iteratorSource(body), mediaType: toMediaType(said) };
}

const nothing: StreamSource = {
  mediaType: "",
  next: () => ({ done: true }),
  cancel: () => {},
};

function readerSource(stream: Loose, said: unknown): StreamSource {
  const reader = (stream["getReader"] as () => Loose).call(stream);
  return {
    mediaType: toMediaType(said),
    next: () => (reader["read"] as Method).call(reader),
    cancel: () => quietly(() => (reader["cancel"] as Method).call(reader)),
  };
}

function iteratorSource(iterable: Loose): StreamSource {
  const asynchronous = iterable[Symbol.asyncIterator] as Method | undefined;
  const iterator = (asynchronous === undefined ? iterable : asynchronous.call(iterable)) as Loose;
  return {
    mediaType: "",
    next: () => (iterator["next"] as Method).call(iterator),
    cancel: () => {
      quietly(() => (iterator["return"] as Method | undefined)?.call(iterator));
      // The iterator of one of Node's streams does not end while it waits for a piece.
      if (typeof iterable["pipe"] !== "function") return;
      quietly(() => (iterable["destroy"] as Method | undefined)?.call(iterable));
    },
  };
}

function quietly(work: () => unknown): void {
  try {
    const pending = work() as Awaitable<unknown>;
    if (isThenable(pending)) promised(pending).catch(() => {});
  } catch {
    // It is not wanted any more: neither is why it cannot be ended.
  }
}

function isBlob(value: Loose): boolean {
  return typeof value["stream"] === "function" && typeof value["arrayBuffer"] === "function";
}

function isResponse(value: Loose): boolean {
  return (
    typeof value["status"] === "number" &&
    "body" in value &&
    typeof value["text"] === "function" &&
    typeof (value["headers"] as Loose | undefined)?.["get"] === "function"
  );
}

function toMediaType(said: unknown): string {
  return typeof said === "string" ? said : "";
}

const brand: unique symbol = Symbol.for("toolweave.ItemStream");

/** A stream of which each piece is an item of the answer's list. */
export interface ItemStream extends AsyncIterable<unknown> {
  readonly [brand]: true;
  /** The result's `details`, also when the stream breaks off. */
  readonly details?: JsonValue;
}

/**
 * Makes the output of a tool whose list arrives item by item, texts among them, with details for the host. Without it,
 * a stream is a list only when it is neither text nor bytes.
 *
 * @param details the result's `details`.
 */
export function itemStream(items: AsyncIterable<unknown>, details?: JsonValue): ItemStream {
  return {
    [brand]: true,
    [Symbol.asyncIterator]: () => items[Symbol.asyncIterator](),
    ...(details === undefined ? {} : { details }),
  };
}

/** True for a stream made by `itemStream` of any copy of this package. */
function isItemStream(value: object): value is ItemStream {
  return brand in value;
}

/** Milliseconds after which everything else has its turn: a source may always have the next piece ready. */
const turnMs = 10;

/** The exception of a stream that was interrupted. */
export interface StreamFailure {
  readonly thrown: unknown;
}

/** Until the end, or until there is no more room. Gives what went wrong. */
export async function readStream(
  source: StreamSource,
  captured: StreamBuffer,
  signal: AbortSignal,
): Promise<StreamFailure | undefined> {
  let turn = performance.now();
  try {
    for (;;) {
      const step = (await source.next()) as { done?: unknown; value?: unknown };
      if (signal.aborted || captured.isClosed || step.done) return undefined;
      const { value } = step;
      captured.add(isThenable(value) ? await promised(value) : value);
      if (captured.truncated) return undefined;
      if (performance.now() - turn < turnMs) continue;
      await new Promise((resolve) => setTimeout(resolve, 0));
      turn = performance.now();
    }
  } catch (thrown) {
    return { thrown };
  }
}
