import { fail, failLimit } from "../values/error.ts";
import { maxIntBits, spend } from "../values/budget.ts";
import { StarlarkFloat, toFloat, truncateToInt } from "../values/float.ts";
import { fromBigInt, type Int, intToNumber, isInt, negateInt } from "../values/int.ts";
import { typeName, type Value } from "../values/value.ts";

/** `int(x, base)`. */
export function parseInteger(value: Value, base: Value | undefined): Value {
  if (typeof value === "string") return parseIntegerText(value, base);
  if (base !== undefined) fail("can't convert non-string with explicit base");
  return typeof value === "boolean" ? Number(value) : truncateToInt(value);
}

const prefixBases: Readonly<Record<string, number>> = { "0b": 2, "0o": 8, "0x": 16 };

function parseIntegerText(text: string, base: Value = 10): Value {
  if (!isInt(base)) fail(`for parameter base: got ${typeName(base)}, want int`);
  let radix = Number(base);
  if (radix !== 0 && (radix < 2 || radix > 36)) fail("base must be an integer >= 2 && <= 36");
  const invalid = (): never => fail(`invalid literal with base ${radix}: ${text}`);
  const sign = /^[+-]/.exec(text)?.[0] ?? "";
  let digits = text.slice(sign.length);
  const prefixBase = prefixBases[digits.slice(0, 2).toLowerCase()];
  if (digits.length > 2 && prefixBase !== undefined && (radix === 0 || radix === prefixBase)) {
    digits = digits.slice(2);
    radix = prefixBase;
  } else if (radix === 0) {
    if (/^0+[^0]/.test(digits)) invalid();
    radix = 10;
  }
  const parsed = parseDigits(digits, radix) ?? invalid();
  return sign === "-" ? negateInt(parsed) : parsed;
}

const nativePrefixes: Readonly<Record<number, string>> = { 2: "0b", 8: "0o", 10: "", 16: "0x" };

/** The int that digits denote; `undefined` if one is invalid. */
function parseDigits(digits: string, radix: number): Int | undefined {
  const highest = (radix - 1).toString(radix);
  const pattern = radix <= 10 ? `^[0-${highest}]+$` : `^[0-9a-${highest}]+$`;
  if (!new RegExp(pattern, "i").test(digits)) return undefined;
  const bits = Math.ceil(digits.length * Math.log2(radix));
  if (bits > maxIntBits + 8) failLimit(`an int of more than ${maxIntBits} bits is too large`);
  spend((bits * bits) / 2 ** 20);
  const native = nativePrefixes[radix];
  if (native !== undefined) return fromBigInt(BigInt(`${native}${digits}`));
  let value = 0n;
  const big = BigInt(radix);
  for (const digit of digits) value = value * big + BigInt(Number.parseInt(digit, radix));
  return fromBigInt(value);
}

const decimal = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/;

/** `float(x)`. */
export function parseFloatText(value: Value): Value {
  if (typeof value === "boolean") return toFloat(Number(value));
  if (value instanceof StarlarkFloat) return value;
  if (isInt(value)) return toFloat(intToNumber(value));
  if (typeof value !== "string") return fail(`float got ${typeName(value)}, want number or string`);
  if (value === "") fail("float: empty string");
  spend(value.length >> 2);
  if (/^[+-]?nan$/i.test(value)) return toFloat(Number.NaN);
  if (/^[+-]?inf(?:inity)?$/i.test(value))
    return toFloat(value.startsWith("-") ? -Infinity : Infinity);
  if (!decimal.test(value)) fail(`invalid float literal: ${value}`);
  const number = Number(value);
  if (!Number.isFinite(number)) fail("floating-point number too large");
  return toFloat(number);
}
