import type { JsonValue } from "@toolweave/core";
import type fc from "fast-check";
import type { ValueStyle } from "./value-style.ts";

/** Generated values. */
export type Values = fc.Arbitrary<JsonValue>;

/** The settings for generating the parts of a value. */
export interface Making {
  readonly style: ValueStyle;
  /** Properties that are not required are made, too. */
  readonly takesOptional: boolean;
  /** No deeper than this: only what has to be there is made. */
  readonly isDeep: boolean;
  /** Values of a schema one level deeper. */
  readonly within: (schema: JsonValue) => Values;
}
