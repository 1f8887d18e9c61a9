import { fail } from "./error.ts";
import { charge, sizes } from "./budget.ts";
import { floorRemainder, fromIntegral, type Int, intToNumber, isInt } from "./int.ts";
import { type HashKey, StarlarkObject, typeName, type Value } from "./value.ts";

export class StarlarkFloat extends StarlarkObject {
  override readonly type = "float";
  readonly value: number;

  constructor(value: number) {
    super();
    this.value = value;
  }

  override truth(): boolean {
    return this.value !== 0;
  }

  /** An integral float has the key of the int that it equals. */
  override hashKey(): HashKey {
    return Number.isInteger(this.value) ? fromIntegral(this.value) : this.value;
  }

  override represent(): string {
    return formatFloat(this.value);
  }
}

/** A new float, with its memory charged. */
export function toFloat(value: number): StarlarkFloat {
  charge(sizes.float);
  return new StarlarkFloat(value);
}

export function isNumber(value: Value): value is Int | StarlarkFloat {
  return isInt(value) || value instanceof StarlarkFloat;
}

/** The number of an int or a float; `undefined` for other values. */
export function toNumber(value: Value): number | undefined {
  if (value instanceof StarlarkFloat) return value.value;
  return isInt(value) ? intToNumber(value) : undefined;
}

/** An int as it is, a float without its fraction. Errors start with `prefix`. */
export function truncateToInt(value: Value, prefix: string = ""): Int {
  if (isInt(value)) return value;
  if (!(value instanceof StarlarkFloat))
    return fail(`${prefix}cannot convert ${typeName(value)} to int`);
  if (Number.isNaN(value.value)) fail(`${prefix}cannot convert float NaN to integer`);
  if (!Number.isFinite(value.value)) fail(`${prefix}cannot convert float infinity to integer`);
  return fromIntegral(Math.trunc(value.value));
}

/**
 * A float as the conversion `%e`, `%f` or `%g` shows it, or their upper-case forms. `str` is the same as `%g`: the fewest
 * digits that identify the float, with an exponent from 1e6 and below 1e-4.
 */
export function formatFloat(value: number, conversion = "g"): string {
  if (!Number.isFinite(value)) return Number.isNaN(value) ? "nan" : value < 0 ? "-inf" : "+inf";
  const sign = value < 0 || Object.is(value, -0) ? "-" : "";
  const lower = conversion.toLowerCase();
  const text = formatMagnitude(Math.abs(value), lower);
  return sign + (conversion === lower ? text : text.toUpperCase());
}

function formatMagnitude(value: number, conversion: string): string {
  if (conversion === "f") return value < 1e21 ? value.toFixed(6) : `${BigInt(value)}.000000`;
  if (conversion === "g" && (value === 0 || (value < 1e6 && value >= 1e-4)))
    return Number.isInteger(value) ? `${value}.0` : String(value);
  // Go writes at least two digits of the exponent.
  return value.toExponential(conversion === "e" ? 6 : undefined).replace(/(?<=e.)(?=\d$)/, "0");
}

/** The operators on two numbers that are not both ints, and the division of any two. */
export const floatOperators: Readonly<Record<string, (x: number, y: number) => number>> = {
  "+": (x, y) => x + y,
  "-": (x, y) => x - y,
  "*": (x, y) => x * y,
  "/": (x, y) => (y === 0 ? fail("floating-point division by zero") : x / y),
  "//": (x, y) => (y === 0 ? fail("floored division by zero") : Math.floor(x / y)),
  "%": (x, y) => (y === 0 ? fail("floating-point modulo by zero") : floorRemainder(x, y)),
};
