import { fail, StarlarkError } from "../values/error.ts";
import { charge, maxIntBits, spend } from "../values/budget.ts";
import { StarlarkFloat, toFloat, truncateToInt } from "../values/float.ts";
import { fromBigInt, intToNumber, isInt, negateInt } from "../values/int.ts";
import type { Int } from "../values/int.ts";
import { typeName } from "../values/value.ts";
import type { Value } from "../values/value.ts";
import { withName } from "./arguments.ts";

/** `int(x, base)`. */
export function parseInteger(value: Value, base: Value | undefined): Value {
  if (typeof value === "string") return parseIntegerText(value, base);
  if (base !== undefined) fail("int: can't convert non-string with explicit base");
  if (typeof value === "boolean") return value ? 1 : 0;
  return withName("int", () => truncateToInt(value));
}

const prefixBases: Readonly<Record<string, number>> = { b: 2, o: 8, x: 16 };

function parseIntegerText(text: string, base: Value | undefined): Value {
  let radix = 10;
  if (base !== undefined) {
    if (!isInt(base)) fail(`int: for parameter base: got ${typeName(base)}, want int`);
    if (typeof base !== "number" || (base !== 0 && (base < 2 || base > 36))) {
      fail("int: base must be an integer >= 2 && <= 36");
    }
    radix = base as number;
  }
  const invalid = (): never => fail(`int: invalid literal with base ${radix}: ${text}`);
  const sign = /^[+-]/.exec(text)?.[0] ?? "";
  let digits = text.slice(sign.length);
  const prefix =
    digits.length > 2 && digits.startsWith("0")
      ? prefixBases[digits.charAt(1).toLowerCase()]
      : undefined;
  if (prefix !== undefined && (radix === 0 || radix === prefix)) {
    digits = digits.slice(2);
    radix = prefix;
  } else if (radix === 0) {
    if (digits.length > 1 && digits.startsWith("0") && !/^0+$/.test(digits)) invalid();
    radix = 10;
  }
  const parsed = parseDigits(digits, radix);
  if (parsed === undefined) return invalid();
  return sign === "-" ? negateInt(parsed) : parsed;
}

/** The int that digits denote; `undefined` if one is invalid. */
export function parseDigits(digits: string, radix: number): Int | undefined {
  const highest = (radix - 1).toString(radix);
  const pattern = radix <= 10 ? `^[0-${highest}]+$` : `^[0-9a-${highest}]+$`;
  if (!new RegExp(pattern, "i").test(digits)) return undefined;
  const bits = Math.ceil(digits.length * Math.log2(radix));
  if (bits > maxIntBits + 8) {
    throw new StarlarkError(
      "limit_exceeded",
      `an int of more than ${maxIntBits} bits is too large`,
    );
  }
  const small = digits.length <= 10 ? Number.parseInt(digits, radix) : Infinity;
  if (Number.isSafeInteger(small)) return small;
  charge(bits >> 3);
  spend((bits * bits) / 2 ** 20);
  if (radix === 10) return fromBigInt(BigInt(digits));
  if (radix === 2 || radix === 8 || radix === 16) {
    return fromBigInt(BigInt(`0${radix === 2 ? "b" : radix === 8 ? "o" : "x"}${digits}`));
  }
  let value = 0n;
  const big = BigInt(radix);
  for (const digit of digits) value = value * big + BigInt(Number.parseInt(digit, radix));
  return fromBigInt(value);
}

const decimal = /^[+-]?(?:\d+(?:_\d+)*\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/;

/** `float(x)`. */
export function parseFloatText(value: Value): Value {
  if (typeof value === "boolean") return toFloat(value ? 1 : 0);
  if (value instanceof StarlarkFloat) return value;
  if (isInt(value)) return toFloat(intToNumber(value));
  if (typeof value !== "string") return fail(`float got ${typeName(value)}, want number or string`);
  if (value === "") fail("float: empty string");
  const word = value.toLowerCase().replace(/^[+-]/, "");
  if (word === "nan") return toFloat(Number.NaN);
  if (word === "inf" || word === "infinity")
    return toFloat(value.startsWith("-") ? -Infinity : Infinity);
  if (!decimal.test(value) || value.includes("_")) fail(`invalid float literal: ${value}`);
  const number = Number(value);
  if (!Number.isFinite(number)) fail("floating-point number too large");
  return toFloat(number);
}
