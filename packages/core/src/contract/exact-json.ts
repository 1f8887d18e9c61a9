import { hasLongNumbers, isExactNumber, toRawNumber } from "../json/exact-number.ts";
import type { JsonValue } from "../json/json.ts";

const integer = /^-?[0-9]+$/;

/** Characters of a text whose numbers are compared with what became of them: that takes a call per value. */
const maxExactLength = 16 * 1024 * 1024;
const maxRounded = 20;

/** The digits of numbers that JavaScript prints with others, by the object or list that holds them. */
const digitsIn = new WeakMap<object, Map<string, string>>();
let hasRounded = false;

/** A reviver of `JSON.parse` that receives the source of each number. */
export type Reviver = (
  this: object,
  key: string,
  value: unknown,
  context?: { readonly source?: string },
) => unknown;

/** Remembers the digits of a number that JavaScript prints with others. */
export const keepDigits: Reviver = function (key, value, context) {
  const source = context?.source;
  if (typeof value !== "number" || source === undefined) return value;
  if (isExactNumber(source, value)) return value;
  let held = digitsIn.get(this);
  if (held === undefined) digitsIn.set(this, (held = new Map()));
  held.set(key, source);
  hasRounded = true;
  return value;
};

/**
 * `JSON.parse` that remembers the digits of numbers that JavaScript would print with others, such as integers beyond
 * 2^53. The value holds them rounded, as `JSON.parse` does, so that it matches `type: integer`; `stringifyExact` writes
 * the digits, and `roundedIntegers` lists the integers. A copy of the value loses them. A text without 16 digits in a
 * row costs what `JSON.parse` costs.
 *
 * Digits are not remembered for a text of more than 16 Mi characters, for a number that is the whole text, and on
 * engines without `context.source` (Node.js before 21).
 *
 * @throws SyntaxError if the text is not JSON (RFC 8259).
 */
export function parseExact(text: string): JsonValue {
  const value = JSON.parse(text) as JsonValue;
  if (typeof value !== "object" || text.length > maxExactLength || !hasLongNumbers(text)) {
    return value;
  }
  try {
    return JSON.parse(text, keepDigits) as JsonValue;
  } catch {
    // It nests deeper than a reviver can follow.
    return value;
  }
}

/**
 * `JSON.stringify` that writes numbers with the digits that `parseExact` has read, and the digits of a `bigint`.
 *
 * @throws RangeError if the value nests too deep to be written.
 */
export function stringifyExact(value: JsonValue): string {
  // Hosts make texts of their own of a bigint by a `toJSON`.
  if (!("toJSON" in BigInt.prototype)) {
    try {
      const [digits] = hasRounded ? digitsWithin(value) : [];
      if (digits === undefined) return JSON.stringify(value);
    } catch (error) {
      // It holds a bigint, or itself.
      if (!(error instanceof TypeError)) throw error;
    }
  }
  return JSON.stringify(value, function (this: Record<string, unknown>, key: string, member) {
    const own = this[key];
    const source = typeof own === "bigint" ? String(own) : exactDigits(this, key, member);
    return source === undefined ? (member as unknown) : toRawNumber(source);
  });
}

/** The digits that `parseExact` has read for a member. `undefined`: its value has all digits, or has changed since. */
export function exactDigits(holder: object, key: string, member: unknown): string | undefined {
  const source = hasRounded ? digitsIn.get(holder)?.get(key) : undefined;
  return Number(source) === member ? source : undefined;
}

/**
 * The digits of the integers that a value of `parseExact` holds rounded, each once.
 *
 * @param max Default: 20.
 */
export function roundedIntegers(
  value: JsonValue | undefined,
  max: number = maxRounded,
): readonly string[] {
  if (!hasRounded) return [];
  const found = new Set<string>();
  for (const source of digitsWithin(value)) {
    if (integer.test(source)) found.add(source);
    if (found.size === max) break;
  }
  return [...found];
}

/** The digits that `parseExact` has read for numbers anywhere in a value. */
export function* digitsWithin(value: JsonValue | undefined): Generator<string> {
  if (!hasRounded || typeof value !== "object" || value === null) return;
  const open: object[] = [value];
  // A value of the host may contain itself.
  const seen = new Set<object>();
  for (let inner = open.pop(); inner !== undefined; inner = open.pop()) {
    if (seen.has(inner)) continue;
    seen.add(inner);
    yield* digitsIn.get(inner)?.values() ?? [];
    for (const member of Object.values(inner) as readonly unknown[]) {
      if (typeof member === "object" && member !== null) open.push(member);
    }
  }
}

/** The warning for `details.warnings` of a result whose value holds these integers rounded; `undefined`: none. */
export function roundedWarning(rounded: readonly string[]): string | undefined {
  if (rounded.length === 0) return undefined;
  return `${roundedStart}; the content has their digits: ${rounded.join(", ")}.`;
}

const roundedStart = "The value holds integers beyond 2^53 rounded";

/** True for a warning that `roundedWarning` has made. */
export function isRoundedWarning(warning: JsonValue): warning is string {
  return typeof warning === "string" && warning.startsWith(roundedStart);
}
