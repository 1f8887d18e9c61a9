import { fail, failLimit } from "./error.ts";
import { charge, maxIntBits, spend } from "./budget.ts";
import { typeName, type Value } from "./value.ts";

/** An int of any size: a number while it is exact, else a bigint. */
export type Int = number | bigint;

const max = Number.MAX_SAFE_INTEGER;
const smallestBits = 2048;
/** The bounds of the sizes that are told apart beyond 1,024 bits: 2,048 bits, 4,096 bits and so on. */
const bounds: bigint[] = [];
for (let bits = smallestBits; bits <= maxIntBits; bits *= 2) bounds.push(1n << BigInt(bits));

export function isInt(value: Value): value is Int {
  return typeof value === "number" || typeof value === "bigint";
}

/** The normal form of a bigint, with its memory charged. */
export function fromBigInt(value: bigint): Int {
  const number = Number(value);
  if (number <= max && number >= -max) return number;
  charge(Number.isFinite(number) ? 64 : toBits(value) >> 3);
  return value;
}

/** The bits of an int beyond 1,024 bits, up to the next bound. Fails for an int that is too large. */
function toBits(value: Int): number {
  const size = value < 0 ? -value : value;
  const index = bounds.findIndex((bound) => size < bound);
  return index === -1
    ? failLimit(`an int of more than ${maxIntBits} bits is too large`)
    : smallestBits << index;
}

/** Accounts for the work of an operation on ints of more than 1,024 bits, which grows with the square of their size. */
function spendOn(x: Int, y: Int): void {
  if (Number.isFinite(Number(x) * Number(y))) return;
  const bits = toBits(x) + toBits(y);
  spend((bits * bits) / 2 ** 22);
}

export function addInts(x: Int, y: Int): Int {
  if (typeof x === "number" && typeof y === "number") {
    const sum = x + y;
    if (sum <= max && sum >= -max) return sum;
  }
  return fromBigInt(BigInt(x) + BigInt(y));
}

export function negateInt(x: Int): Int {
  return typeof x === "number" ? 0 - x : fromBigInt(-x);
}

/** The remainder with the sign of `y`. */
export function floorRemainder(x: number, y: number): number {
  const remainder = x % y;
  return remainder !== 0 && remainder < 0 !== y < 0 ? remainder + y : remainder;
}

function floorRemainderOfBigInts(x: bigint, y: bigint): bigint {
  const remainder = x % y;
  return remainder !== 0n && remainder < 0n !== y < 0n ? remainder + y : remainder;
}

/** An operator that is computed with bigints. Programs compute small ints without it (`lower/arithmetic.ts`). */
function exact(compute: (x: bigint, y: bigint) => bigint): (x: Int, y: Int) => Int {
  return (x, y) => {
    spendOn(x, y);
    return fromBigInt(compute(BigInt(x), BigInt(y)));
  };
}

function checkShift(count: bigint): bigint {
  return count < 0n ? fail(`negative shift count: ${count}`) : count;
}

/** The operators whose result for two ints is an int. */
export const intOperators: Readonly<Record<string, (x: Int, y: Int) => Int>> = {
  "+": addInts,
  "-": exact((x, y) => x - y),
  "*": exact((x, y) => x * y),
  "//": exact((x, y) =>
    y === 0n ? fail("floored division by zero") : (x - floorRemainderOfBigInts(x, y)) / y,
  ),
  "%": exact((x, y) => (y === 0n ? fail("integer modulo by zero") : floorRemainderOfBigInts(x, y))),
  "&": exact((x, y) => x & y),
  "|": exact((x, y) => x | y),
  "^": exact((x, y) => x ^ y),
  "<<": exact((x, y) => (y < 512n ? x << checkShift(y) : fail(`shift count too large: ${y}`))),
  ">>": exact((x, y) => x >> checkShift(y)),
};

/** The digits of an int; large ones take time that grows with the square of their size. */
export function formatInt(value: Int, radix = 10): string {
  if (typeof value === "bigint") spendOn(value, value);
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
  const limit = 2 ** (bits - 1);
  if (value >= limit || value < -limit)
    fail(`${value} out of range (want value in signed ${bits}-bit range)`);
  return Number(value);
}
