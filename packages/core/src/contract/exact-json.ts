import type { JsonValue } from "../json/json.ts";

/** An integer beyond 2^53 has at least 16 digits. */
const digits = /[0-9]{16}/;
/** A rounded one is written with 16 digits or more, or with an exponent. */
const writtenDigits = /[0-9]{16}|e\+/;
const integer = /^-?[0-9]+$/;

/** Characters of a text whose integers are compared with what became of them: that takes a call per value. */
const maxExactLength = 16 * 1024 * 1024;
const maxRounded = 20;

/** The digits of integers that a double cannot hold, by the object or list that holds them. */
const digitsIn = new WeakMap<object, Map<string, string>>();
let hasRounded = false;

/** A reviver of `JSON.parse` that receives the source of each number. */
export type Reviver = (
  this: object,
  key: string,
  value: unknown,
  context?: { readonly source?: string },
) => unknown;

/** ECMAScript 2026, section 25.5; absent from older engines. */
const { rawJSON } = JSON as unknown as { readonly rawJSON?: (text: string) => unknown };

/** Remembers the digits of an integer beyond 2^53. */
export const keepDigits: Reviver = function (key, value, context) {
  const source = context?.source;
  if (typeof value !== "number" || Number.isSafeInteger(value)) return value;
  if (source === undefined || !integer.test(source) || isExact(source, value)) return value;
  let held = digitsIn.get(this);
  if (held === undefined) digitsIn.set(this, (held = new Map()));
  held.set(key, source);
  hasRounded = true;
  return value;
};

function isExact(source: string, value: number): boolean {
  return Number.isFinite(value) && BigInt(source) === BigInt(value);
}

/**
 * `JSON.parse` that remembers the digits of integers beyond 2^53. The value holds them rounded, as `JSON.parse` does,
 * so that it matches `type: integer`; `stringifyExact` writes the digits, and `roundedIntegers` lists them. A copy of
 * the value loses them. A text without 16 digits in a row costs what `JSON.parse` costs.
 *
 * Digits are not remembered for a text of more than 16 Mi characters, for a number that is the whole text, and on
 * engines without `context.source` (Node.js before 21).
 *
 * @throws SyntaxError if the text is not JSON (RFC 8259).
 */
export function parseExact(text: string): JsonValue {
  const value = JSON.parse(text) as JsonValue;
  if (typeof value !== "object" || text.length > maxExactLength || !digits.test(text)) return value;
  try {
    return JSON.parse(text, keepDigits) as JsonValue;
  } catch {
    // It nests deeper than a reviver can follow.
    return value;
  }
}

/**
 * `JSON.stringify` that writes integers with the digits that `parseExact` has read.
 *
 * @throws RangeError if the value nests too deep to be written.
 */
export function stringifyExact(value: JsonValue): string {
  const text = JSON.stringify(value);
  if (!hasRounded || rawJSON === undefined || !writtenDigits.test(text)) return text;
  return JSON.stringify(value, function (this: object, key: string, member: unknown) {
    const source = exactDigits(this, key, member);
    return source === undefined ? member : rawJSON(source);
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
  if (!hasRounded || typeof value !== "object" || value === null) return [];
  const found = new Set<string>();
  const open: object[] = [value];
  for (let inner = open.pop(); inner !== undefined; inner = open.pop()) {
    for (const source of digitsIn.get(inner)?.values() ?? []) {
      if (found.size < max) found.add(source);
    }
    if (found.size === max) break;
    for (const member of Object.values(inner) as readonly unknown[]) {
      if (typeof member === "object" && member !== null) open.push(member);
    }
  }
  return [...found];
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
