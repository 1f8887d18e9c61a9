import type { JsonValue } from "@toolweave/core";

/** One item of a streamed answer. */
export interface StreamItem {
  readonly value: JsonValue;
  /** The text as received, for progress updates. */
  readonly text: string;
}

/** Redacts secrets in a text. */
export type Redact = (text: string) => string;

/** Splits a streamed answer into items, independent of how its bytes are divided into chunks. */
export interface ItemParser {
  /** Adds the items that this chunk completes. Throws `ToolError` `upstream` for an invalid one. */
  push(chunk: Uint8Array, items: StreamItem[]): void;
  /** Adds the last items, after all chunks were pushed. */
  end(items: StreamItem[]): void;
}
