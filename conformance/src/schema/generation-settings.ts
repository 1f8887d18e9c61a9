import type { JsonValue } from "@toolweave/core";
import type fc from "fast-check";

/**
 * The style of generated values. `any`: all values that match; `ordinary`: typical values, whose
 * texts and lists are not empty and whose numbers are small; `least`: ordinary values with only
 * required members; `whole`: ordinary values with all named members, some levels deep.
 */
export type ValueStyle = "any" | "ordinary" | "least" | "whole";

/** Generated values. */
export type Values = fc.Arbitrary<JsonValue>;

/** The settings for generating nested values. */
export interface GenerationSettings {
  readonly style: ValueStyle;
  /** True to generate optional properties. */
  readonly withOptional: boolean;
  /** True at the maximum depth, where only required parts are generated. */
  readonly isAtMaxDepth: boolean;
  /** Generates values of a schema one level deeper. */
  readonly generateNested: (schema: JsonValue) => Values;
}
