import type { JsonObject } from "./json.ts";

const numberParts = /^(-?)([0-9]+)(?:\.([0-9]+))?(?:[eE]([-+]?[0-9]+))?$/;

/**
 * A JSON text may have a number that JavaScript changes only if this matches: up to 15 digits survive, unless the
 * number is very large or very small.
 */
const mayBeInexact = /[0-9.]{16}|(?:^|[:,[\s])-?[0-9][0-9.]*[eE][-+]?[0-9]{3}/;

/** ECMAScript 2026, section 25.5; absent from older engines. */
const { rawJSON } = JSON as unknown as { readonly rawJSON?: (text: string) => unknown };

/** True for a JSON text that may have a number which JavaScript changes. */
export function hasLongNumbers(text: string): boolean {
  return text.length >= 5 && mayBeInexact.test(text);
}

/**
 * The rule for numbers: true if the text that JavaScript prints for `value` denotes the same number as `source` (RFC
 * 8259, section 6). A double may hold the number exactly, and print another: 2^62 prints as 4611686018427388000.
 */
export function isExactNumber(source: string, value: number = Number(source)): boolean {
  const printed = String(value);
  return printed === source || (Number.isFinite(value) && isSameNumber(printed, source));
}

/** True if two JSON numbers denote the same number: 1.0 and 1, 1e2 and 100. */
export function isSameNumber(one: string, other: string): boolean {
  return one === other || toDecimal(one) === toDecimal(other);
}

/** The number in one form: its significant digits and an exponent. */
function toDecimal(source: string): string {
  const [, sign = "", whole = "", fraction = "", exponent = "0"] = numberParts.exec(source) ?? [];
  const digits = whole + fraction;
  let start = 0;
  let end = digits.length;
  while (start < end && digits[start] === "0") start += 1;
  while (end > start && digits[end - 1] === "0") end -= 1;
  if (start === end) return "0";
  return `${sign}${digits.slice(start, end)}e${Number(exponent) - fraction.length + digits.length - end}`;
}

/** True for the digits of an integer beyond 2^53, as JSON writes it. */
export function isLongInteger(text: unknown): text is string {
  // An integer of up to 308 digits is a finite number.
  if (typeof text !== "string" || text.length < 16 || text.length > 310) return false;
  const value = Number(text);
  return !Number.isSafeInteger(value) && Number.isFinite(value) && /^-?[1-9][0-9]*$/.test(text);
}

/** A number that neither a JavaScript number nor a `bigint` holds: the arguments of a call cannot have it. */
export class InexactNumber {
  /** The number as it was written. */
  readonly source: string;
  /** Another parser has read it, and may have changed it. */
  readonly isReceived: boolean;

  constructor(source: string, isReceived = false) {
    this.source = source;
    this.isReceived = isReceived;
  }

  toJSON(): string {
    return this.source;
  }
}

/**
 * Converts a JSON number to a number if that prints the same number, to a `bigint` if it is another integer, and to an
 * `InexactNumber` otherwise.
 */
export function toExactNumber(source: string): number | bigint | InexactNumber {
  const value = Number(source);
  if (!Number.isFinite(value) || isExactNumber(source, value)) return value;
  const [, digits = "", exponent = "-1"] = /^(-?[0-9]+)e(.*)$/.exec(toDecimal(source)) ?? [];
  if (Number(exponent) < 0) return new InexactNumber(source);
  return BigInt(digits + "0".repeat(Number(exponent)));
}

/**
 * `JSON.parse` without loss: numbers are those of `toExactNumber`. Calls accept such arguments.
 *
 * @throws SyntaxError if the text is not JSON. RangeError if it nests too deep.
 */
export function parseLossless(text: string): unknown {
  if (!hasLongNumbers(text)) return JSON.parse(text);
  return JSON.parse(text, toLossless);
}

function toLossless(_key: string, value: unknown, context?: { readonly source?: string }): unknown {
  const source = context?.source;
  return typeof value === "number" && source !== undefined ? toExactNumber(source) : value;
}

/**
 * Marks the integers beyond 2^53 in arguments that another parser has read: they may have been rounded, so that the call
 * is refused. The same value if there is none.
 */
export function markRounded(value: unknown): unknown {
  return mapNumbers(value, (number) =>
    typeof number === "number" && Number.isInteger(number) && !Number.isSafeInteger(number)
      ? new InexactNumber(String(number), true)
      : number,
  );
}

/** The arguments of a call with the digits of each `bigint` as a text, as results may have them; the same object if there is none. */
export function withoutBigints(args: JsonObject): JsonObject {
  const toText = (number: number | bigint): unknown =>
    typeof number === "bigint" ? number.toString() : number;
  return mapNumbers(args, toText) as JsonObject;
}

/** Plain data with other numbers; the same value if none changes. Other objects are not read. */
function mapNumbers(
  value: unknown,
  map: (number: number | bigint) => unknown,
  depth: number = 0,
): unknown {
  if (typeof value === "number" || typeof value === "bigint") return map(value);
  if (typeof value !== "object" || value === null || depth > maxDepth) return value;
  if (Array.isArray(value)) {
    const items = value.map((item) => mapNumbers(item, map, depth + 1));
    return items.every((item, index) => Object.is(item, value[index])) ? value : items;
  }
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) return value;
  let changed: [string, unknown][] | undefined;
  for (const key in value) {
    const member = (value as JsonObject)[key];
    const mapped = mapNumbers(member, map, depth + 1);
    if (!Object.is(mapped, member)) (changed ??= []).push([key, mapped]);
  }
  if (changed === undefined) return value;
  return Object.fromEntries([...Object.entries(value), ...changed]);
}

/** Deeper arguments are refused. */
const maxDepth = 250;

/** True if this engine can write an integer of any length as JSON. */
export function writesLongIntegers(): boolean {
  return rawJSON !== undefined;
}

/** The digits of a number, for `JSON.stringify`. */
export function toRawNumber(digits: string): unknown {
  return rawJSON === undefined ? digits : rawJSON(digits);
}
