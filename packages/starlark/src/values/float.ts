import { fail } from "./error.ts";
import { charge, sizes } from "./budget.ts";
import { floorRemainder, fromIntegral, type Int, intToNumber, isInt } from "./int.ts";
import { type HashKey, StarlarkObject, typeName, type Value, type ValueWriter } from "./value.ts";

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

  override write(writer: ValueWriter): void {
    writer.text(formatFloat(this.value));
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

/** An int as it is, a float without its fraction. */
export function truncateToInt(value: Value): Int {
  if (isInt(value)) return value;
  if (!(value instanceof StarlarkFloat)) return fail(`cannot convert ${typeName(value)} to int`);
  if (Number.isNaN(value.value)) fail("cannot convert float NaN to integer");
  if (!Number.isFinite(value.value)) fail("cannot convert float infinity to integer");
  return fromIntegral(Math.trunc(value.value));
}

/** A float as `str` shows it: the fewest digits that identify it, with an exponent from 1e6 and below 1e-4. */
export function formatFloat(value: number): string {
  if (!Number.isFinite(value)) return Number.isNaN(value) ? "nan" : value < 0 ? "-inf" : "+inf";
  if (value === 0) return Object.is(value, -0) ? "-0.0" : "0.0";
  const magnitude = Math.abs(value);
  if (magnitude < 1e6 && magnitude >= 1e-4)
    return Number.isInteger(value) ? `${value}.0` : String(value);
  return value.toExponential().replace(shortExponent, "0");
}

/** The place before an exponent of one digit: Go writes at least two. */
const shortExponent = /(?<=e[+-])(?=\d$)/;

/** The conversions `%e`, `%f` and `%g`, and their upper-case forms. */
export function formatFloatAs(value: number, conversion: string): string {
  if (!Number.isFinite(value) || conversion === "g" || conversion === "G") {
    const text = formatFloat(value);
    return conversion === "G" ? text.replace("e", "E") : text;
  }
  const sign = value < 0 || Object.is(value, -0) ? "-" : "";
  const magnitude = Math.abs(value);
  if (conversion === "f" || conversion === "F") {
    return sign + (magnitude < 1e21 ? magnitude.toFixed(6) : `${BigInt(magnitude)}.000000`);
  }
  const text = magnitude.toExponential(6).replace(shortExponent, "0");
  return sign + text.replace("e", conversion);
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
