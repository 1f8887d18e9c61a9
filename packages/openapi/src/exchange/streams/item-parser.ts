import type { JsonValue } from "@toolweave/core";

/** One item of a streamed answer. */
export interface StreamItem {
  readonly value: JsonValue;
  /** As it came, for whoever watches. */
  readonly text: string;
}

/** Takes secrets out of a text. */
export type Clean = (text: string) => string;

/** Takes a streamed answer apart, however its text is cut up. */
export interface ItemParser {
  /** Adds the items that are complete with this text. Throws `ToolError` `upstream` at one that cannot be read. */
  push(text: string, items: StreamItem[]): void;
  /** Adds the last ones, once all text has come. */
  end(items: StreamItem[]): void;
}
