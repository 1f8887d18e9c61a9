import type { JsonValue } from "@toolweave/core";
import fc from "fast-check";

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

/** All values, or a subset of `limit` values that the seed determines. */
export function drawSubset<T>(all: readonly T[], limit: number, seed: number): readonly T[] {
  if (all.length <= limit) return all;
  const subsets = fc.shuffledSubarray([...all], { minLength: limit, maxLength: limit });
  return fc.sample(subsets, { seed, numRuns: 1 })[0] ?? [];
}
