import type { JsonObject, JsonSchema } from "@toolweave/core";
import fc from "fast-check";
import { References } from "./references.ts";
import { generateValues } from "./value-arbitrary.ts";
import type { ValueStyle } from "./generation-settings.ts";

/** Options of `sampleArguments`. */
export interface SampleOptions {
  /** Default: `ordinary`. */
  readonly style?: ValueStyle;
  /** The same seed generates the same arguments. */
  readonly seed: number;
  /** The number of arguments to generate. */
  readonly count: number;
}

/**
 * Generates arguments that an input schema is likely to accept, from its keywords: types, bounds,
 * formats, patterns, `enum`, `$ref`s, composition. Validate them: generate several and use the
 * first valid one.
 */
export function sampleArguments(
  schema: JsonSchema,
  { style = "ordinary", seed, count }: SampleOptions,
): JsonObject[] {
  const root = schema as JsonObject;
  const values = generateValues(root, new References(root), style) as fc.Arbitrary<JsonObject>;
  return fc.sample(values, { seed, numRuns: count });
}
