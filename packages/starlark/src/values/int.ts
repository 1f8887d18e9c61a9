import { fail, failLimit } from "./error.ts";
import { charge, maxIntBits, spend } from "./budget.ts";
import { typeName, type Value } from "./value.ts";

/** An int of any size: a number while it is exact, else a bigint. */
export type Int = number | bigint;

const max = Number.MAX_SAFE_INTEGER;
const largest = 1n << BigInt(maxIntBits);
const smallest = -largest;

export function isInt(value: Value): value is Int {
  return typeof value === "number" || typeof value === "bigint";
}

/** The normal form of a bigint, with its memory charged. */
export function fromBigInt(value: bigint): Int {
  const number = Number(value);
  if (number <= max && number >= -max) return number;
  if (!Number.isFinite(number) && (value >= largest || value <= smallest))
    failLimit(`an int of more than ${maxIntBits} bits is too large`);
  charge(32);
  return value;
}

/** Accounts for the work of an operation on ints of more than 1,024 bits, which grows with the square of their size. */
function spendOn(x: Int, y: Int): void {
  if (Number.isFinite(Number(x) * Number(y))) return;
  const bits = bitLength(BigInt(x)) + bitLength(BigInt(y));
  charge(bits >> 3);
  spend((bits * bits) / 2 ** 22);
}

function bitLength(value: bigint): number {
  return Number.isFinite(Number(value)) ? 1024 : value.toString(16).length * 4;
}

export function addInts(x: Int, y: Int): Int {
  if (typeof x === "number" && typeof y === "number") {
    const sum = x + y;
    if (sum <= max && sum >= -max) return sum;
  }
  return fromBigInt(BigInt(x) + BigInt(y));
}

export function negateInt(x: Int): Int {
  return typeof x === "number" ? 0 - x : -x;
}

export function invertInt(x: Int): Int {
  return typeof x === "number" ? -1 - x : fromBigInt(~x);
}

/** An operator that is computed with numbers if the result is exact, else with bigints. */
function exact(
  onNumbers: (x: number, y: number) => number,
  onBigInts: (x: bigint, y: bigint) => bigint,
): (x: Int, y: Int) => Int {
  return (x, y) => {
    if (typeof x === "number" && typeof y === "number") {
      const result = onNumbers(x, y);
      // A negative zero becomes zero.
      if (result <= max && result >= -max) return result + 0;
    }
    spendOn(x, y);
    return fromBigInt(onBigInts(BigInt(x), BigInt(y)));
  };
}

function bitwise(operator: "&" | "|" | "^", x: Int, y: Int): Int {
  if (typeof x === "number" && typeof y === "number" && (x | 0) === x && (y | 0) === y)
    return operator === "&" ? x & y : operator === "|" ? x | y : x ^ y;
  const [left, right] = [BigInt(x), BigInt(y)];
  return fromBigInt(
    operator === "&" ? left & right : operator === "|" ? left | right : left ^ right,
  );
}

/** The remainder with the sign of `y`. */
export function floorRemainder(x: number, y: number): number {
  const remainder = x % y;
  return remainder !== 0 && remainder < 0 !== y < 0 ? remainder + y : remainder;
}

const modulo = exact(floorRemainder, (x, y) => {
  const remainder = x % y;
  return remainder !== 0n && remainder < 0n !== y < 0n ? remainder + y : remainder;
});

/** The quotient is rounded down. The division of two safe integers may round up, but a multiple of `y` is divided exactly. */
const floorDivide = exact(
  (x, y) => {
    const remainder = x % y;
    const quotient = (x - remainder) / y;
    return remainder !== 0 && remainder < 0 !== y < 0 ? quotient - 1 : quotient;
  },
  (x, y) => {
    const quotient = x / y;
    return quotient * y !== x && x < 0n !== y < 0n ? quotient - 1n : quotient;
  },
);

const maxShift = 512;

function shiftLeft(x: Int, y: Int): Int {
  if (y < 0) fail(`negative shift count: ${y}`);
  if (y >= maxShift) fail(`shift count too large: ${y}`);
  const shifted = typeof x === "number" ? x * 2 ** Number(y) : Infinity;
  return shifted <= max && shifted >= -max ? shifted : fromBigInt(BigInt(x) << BigInt(y));
}

function shiftRight(x: Int, y: Int): Int {
  if (y < 0) fail(`negative shift count: ${y}`);
  if (typeof x === "number")
    return Number(y) > 52 ? (x < 0 ? -1 : 0) : Math.floor(x / 2 ** Number(y));
  return y > maxIntBits ? (x < 0n ? -1 : 0) : fromBigInt(x >> BigInt(y));
}

/** The operators whose result for two ints is an int. */
export const intOperators: Readonly<Record<string, (x: Int, y: Int) => Int>> = {
  "+": addInts,
  "-": exact(
    (x, y) => x - y,
    (x, y) => x - y,
  ),
  "*": exact(
    (x, y) => x * y,
    (x, y) => x * y,
  ),
  "//": (x, y) => (y === 0 ? fail("floored division by zero") : floorDivide(x, y)),
  "%": (x, y) => (y === 0 ? fail("integer modulo by zero") : modulo(x, y)),
  "&": (x, y) => bitwise("&", x, y),
  "|": (x, y) => bitwise("|", x, y),
  "^": (x, y) => bitwise("^", x, y),
  "<<": shiftLeft,
  ">>": shiftRight,
};

/** The digits of an int; large ones take time that grows with the square of their size. */
export function formatInt(value: Int, radix = 10): string {
  if (typeof value === "bigint" && !Number.isFinite(Number(value))) {
    const bits = bitLength(value);
    charge(bits >> 1);
    spend((bits * bits) / 2 ** 20);
  }
  return value.toString(radix);
}

/** An int as the float that is nearest to it. */
export function intToNumber(value: Int): number {
  const number = Number(value);
  if (!Number.isFinite(number)) fail("int too large to convert to float");
  return number;
}

/** The int that a finite number without a fraction is. */
export function fromIntegral(value: number): Int {
  return Number.isSafeInteger(value) ? value + 0 : fromBigInt(BigInt(value));
}

/** A value as a signed machine int of `bits` bits, for indices, counts and the like. */
export function toMachineInt(value: Value, bits: 32 | 64 = 64): number {
  if (!isInt(value)) return fail(`got ${typeName(value)}, want int`);
  const limit = bits === 32 ? 2 ** 31 : 2n ** 63n;
  if (value >= limit || value < -limit) {
    fail(`${value} out of range (want value in signed ${bits}-bit range)`);
  }
  return Number(value);
}
