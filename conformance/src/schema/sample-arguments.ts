import type { JsonObject, JsonSchema } from "@toolweave/core";
import fc from "fast-check";
import { References } from "./references.ts";
import { valuesOf } from "./value-arbitrary.ts";
import type { ValueStyle } from "./value-style.ts";

/** What `sampleArguments` is asked for. */
export interface SampleOptions {
  /** Default: `ordinary`. */
  readonly style?: ValueStyle;
  /** The same seed draws the same arguments. */
  readonly seed: number;
  /** How many are drawn. */
  readonly count: number;
}

/**
 * Arguments that an input schema is likely to accept, drawn by its own keywords: types, bounds, formats, patterns,
 * `enum`, `$ref`s, composition. A validator has the last word; draw some and take the first that it accepts.
 */
export function sampleArguments(
  schema: JsonSchema,
  { style = "ordinary", seed, count }: SampleOptions,
): JsonObject[] {
  const root = schema as JsonObject;
  const values = valuesOf(root, new References(root), style) as fc.Arbitrary<JsonObject>;
  return fc.sample(values, { seed, numRuns: count });
}
