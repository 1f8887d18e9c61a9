import type { JsonObject } from "@toolweave/core";
import fc from "fast-check";
import type { ValueStyle } from "./generation-settings.ts";
import { numberOr } from "./keyword-values.ts";

/** The number of steps between two bounds that are close to each other. */
const stepCount = 16;

/** Generates numbers that match a schema. */
export function generateNumbers(
  schema: JsonObject,
  whole: boolean,
  style: ValueStyle,
): fc.Arbitrary<number> {
  const { minimum, maximum, exclusiveMinimum: above, exclusiveMaximum: below } = schema;
  const lower = Math.max(numberOr(minimum, -Infinity), numberOr(above, -Infinity));
  const upper = Math.min(numberOr(maximum, Infinity), numberOr(below, Infinity));
  const step = numberOr(schema["multipleOf"], whole ? 1 : chooseStep(lower, upper));
  const first = style === "any" ? -1000 : step;
  const span = (style === "any" ? 2000 : 99) * step;
  // A remote bound, such as the smallest safe integer, is not an ordinary value.
  const isSmall = style !== "any" && lower < first && first <= upper;
  const lowest = Number.isFinite(upper) && !isSmall ? upper - 100 * step : Infinity;
  const least = Number.isFinite(lower) && !isSmall ? lower : Math.min(first, lowest);
  const most = isSmall || upper === Infinity ? Math.min(upper, Math.max(least, 0) + span) : upper;
  let min = Math.ceil(least / step);
  let max = Math.floor(most / step);
  if (min * step <= numberOr(above, -Infinity)) min += 1;
  if (max * step >= numberOr(below, Infinity)) max -= 1;
  max = Math.min(max, min + 2 ** 31);
  if (!(min <= max) || !Number.isSafeInteger(min) || !Number.isSafeInteger(max)) {
    return fc.constant(numberOr(minimum, numberOr(maximum, 0)));
  }
  // Zero is not an ordinary value either, if others are allowed.
  if (style !== "any" && min === 0 && max > 0 && max !== Infinity) min = 1;
  return fc.integer({ min, max }).map((count) => count * step);
}

function chooseStep(lower: number, upper: number): number {
  const range = upper - lower;
  return range > 0 && range < stepCount / 2 ? range / stepCount : 0.5;
}
