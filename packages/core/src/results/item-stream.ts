import type { JsonValue } from "../json/json.ts";

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
export function isItemStream(value: object): value is ItemStream {
  return brand in value;
}
