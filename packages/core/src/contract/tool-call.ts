import type { Metadata } from "../json/json.ts";

/** A model's request to call a tool. */
export interface ToolCall {
  /** The model's id for this call; the result carries it back. */
  readonly id: string;
  /** The tool's name. */
  readonly name: string;
  /** The arguments: JSON text as a model wrote it, or a value. An empty text, or nothing, means `{}`. */
  readonly arguments: string | Readonly<Record<string, unknown>>;
  readonly metadata?: Metadata;
}
