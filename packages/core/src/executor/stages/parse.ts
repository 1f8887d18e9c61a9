import {
  hasLongNumbers,
  InexactNumber,
  isExactNumber,
  parseLossless,
} from "../../json/exact-number.ts";
import { isObject, type JsonObject, type JsonValue } from "../../json/json.ts";
import { childPointer } from "../../json/json-pointer.ts";
import { ToolError } from "../../contract/tool-error.ts";
import type { CallState } from "../call/call-state.ts";

/** Maximum nesting of arguments; deeper ones would exhaust the stack of recursive functions. */
const maxDepth = 200;

/** Maximum number of characters of arguments as JSON text, and of all texts in arguments that are passed as a value. */
const maxLength = 16_000_000;
/**
 * Maximum cost of arguments that are passed as a value: 1 for each value, 5 for each 8 characters of a text or a key, 8
 * more for an object or a list.
 */
const maxArgumentsWork = 10_000_000;
const perContainer = 8;

/** Copying is synchronous; only a getter in the arguments could start another copy within one. */
let workLeft = 0;
/** The copy holds a bigint. */
let hasBigint = false;

/** Takes the places of the integers that a JavaScript number cannot hold: the arguments have their digits as texts. */
export interface LongIntegers {
  /** JSON pointers. Absent: the arguments have no such integer. */
  longIntegers?: readonly string[] | undefined;
}

/**
 * Stage 2: parses the arguments into a value of the call's own. Models send no arguments as `""`, `null` or nothing:
 * these are `{}`. Malformed JSON is an error, never `{}`.
 */
export function parse(execution: CallState): void {
  const { call, resumption } = execution;
  execution.args = resumption?.arguments ?? readArguments(call.name, call.arguments, execution);
}

/**
 * Reads arguments that are a text or a value.
 *
 * @throws ToolError `invalid_arguments`
 */
export function readArguments(
  name: string,
  sent: unknown,
  found: LongIntegers,
  maxWork: number = maxArgumentsWork,
): JsonObject {
  if (sent === undefined || sent === null || sent === "") return {};
  return typeof sent === "string"
    ? parseText(name, sent, found)
    : copyArguments(name, sent, found, maxWork);
}

function parseText(name: string, sent: string, found: LongIntegers): JsonObject {
  if (sent.length > maxLength) throw tooLarge(name);
  let value: JsonValue;
  try {
    value = JSON.parse(sent) as JsonValue;
  } catch (error) {
    throw invalid(
      `The arguments of ${name} are not valid JSON (${toReason(error)}). Send one JSON object.`,
    );
  }
  requireObject(name, value);
  const isExact = !checkParsed(name, value, 0) || !hasLongNumbers(sent);
  return isExact ? value : copyArguments(name, parseLossless(sent), found);
}

/** Omits the quoted excerpt: redaction does not recognize part of a secret. */
function toReason(error: unknown): string {
  const message = error instanceof Error ? error.message : "";
  return message.replace(/(?:^|, )(?:\.\.\.)?"[^]*$/, "").slice(0, 160) || "it begins like none";
}

/** Checks parsed arguments, which are plain JSON and not shared. True when there is a number in them. */
function checkParsed(name: string, value: object, depth: number): boolean {
  if (depth > maxDepth) throw tooDeep(name);
  let hasNumber = false;
  for (const key in value) {
    const member = (value as Record<string, JsonValue>)[key];
    if (typeof member === "number") {
      // JSON such as 1e999 overflows to Infinity.
      if (!Number.isFinite(member)) throw noNumber(name, member);
      hasNumber = true;
    } else if (typeof member === "object" && member !== null) {
      if (checkParsed(name, member, depth + 1)) hasNumber = true;
    }
  }
  return hasNumber;
}

/**
 * Copies the arguments as plain JSON of the call's own. A `bigint` becomes a number, or its digits if no number has them.
 *
 * @param found takes the places of those digits.
 * @param maxWork maximum cost of the copy: a value that occurs twice is copied twice.
 * @throws ToolError `invalid_arguments` for values that JSON cannot represent, for endless nesting, and for more than
 * `maxWork`.
 */
export function copyArguments(
  name: string,
  value: unknown,
  found?: LongIntegers,
  maxWork: number = maxArgumentsWork,
): JsonObject {
  requireObject(name, value);
  const outerWork = workLeft;
  const outerBigint = hasBigint;
  workLeft = maxWork;
  hasBigint = false;
  try {
    const copied = copy(name, value, 0) as JsonObject;
    if (hasBigint) {
      const places: string[] = [];
      writeDigits(copied as Record<string, unknown>, "", places);
      if (found !== undefined && places.length > 0) found.longIntegers = places;
    }
    return copied;
  } finally {
    workLeft = outerWork;
    hasBigint = outerBigint;
  }
}

/** Replaces each `bigint` in a copy, and adds the places of those that no number holds. */
function writeDigits(holder: Record<string, unknown>, pointer: string, places: string[]): void {
  for (const key of Object.keys(holder)) {
    const member = holder[key];
    const place = childPointer(pointer, key);
    if (typeof member === "bigint") {
      const digits = member.toString();
      const isLong = !isExactNumber(digits);
      if (isLong) places.push(place);
      define(holder as Record<string, JsonValue>, key, isLong ? digits : Number(digits));
    } else if (typeof member === "object" && member !== null) {
      writeDigits(member as Record<string, unknown>, place, places);
    }
  }
}

function requireObject(name: string, value: unknown): asserts value is JsonObject {
  if (isObject(value)) return;
  throw invalid(`The arguments of ${name} must be one JSON object, such as {"name": "value"}.`);
}

function copy(name: string, value: unknown, depth: number): JsonValue {
  switch (typeof value) {
    case "string":
      workLeft -= 5 * (value.length >> 3);
      if (workLeft < 0) throw tooLarge(name);
      return value;
    case "boolean":
      return value;
    case "number":
      if (Number.isFinite(value)) return value;
      throw noNumber(name, value);
    case "object": {
      if (value === null) return null;
      if (depth > maxDepth) throw tooDeep(name);
      if (Array.isArray(value)) return copyItems(name, value, depth);
      if (value instanceof InexactNumber) throw inexact(name, value);
      const prototype: unknown = Object.getPrototypeOf(value);
      if (prototype !== Object.prototype && prototype !== null) throw notPlain(name, value);
      // One spread is several times faster than single assignments.
      const result = { ...value } as Record<string, JsonValue>;
      workLeft -= perContainer;
      for (const key in result) {
        workLeft -= 1 + 5 * (key.length >> 3);
        if (workLeft < 0) throw tooLarge(name);
        const member: unknown = result[key];
        if (typeof member === "string") {
          workLeft -= 5 * (member.length >> 3);
          continue;
        }
        if (typeof member === "boolean" || member === null) continue;
        if (typeof member === "number" && Number.isFinite(member)) continue;
        if (!Object.hasOwn(result, key)) continue;
        if (member === undefined) delete result[key];
        else define(result, key, copy(name, member, depth + 1));
      }
      if (workLeft < 0) throw tooLarge(name);
      return result;
    }
    case "bigint":
      if (!Number.isFinite(Number(value))) throw noNumber(name, Number(value));
      hasBigint = true;
      return value as never;
    default:
      throw invalid(`The arguments of ${name} hold a ${typeof value}; JSON has no such thing.`);
  }
}

function copyItems(name: string, items: readonly unknown[], depth: number): JsonValue[] {
  const { length } = items;
  workLeft -= perContainer + length;
  // Before the first item is read: a list can have a length of billions without items.
  if (workLeft < 0) throw tooLarge(name);
  const result: JsonValue[] = [];
  for (let index = 0; index < length; index++) result.push(copy(name, items[index], depth + 1));
  return result;
}

function define(target: Record<string, JsonValue>, key: string, value: JsonValue): void {
  // Plain assignment would set the prototype instead.
  if (key === "__proto__") Object.defineProperty(target, key, { value, enumerable: true });
  else target[key] = value;
}

function tooDeep(name: string): ToolError {
  return invalid(`The arguments of ${name} nest deeper than ${maxDepth} levels; send less.`);
}

function tooLarge(name: string): ToolError {
  return invalid(
    `The arguments of ${name} are too large: at most about ${maxLength} characters of JSON; send less.`,
  );
}

function noNumber(name: string, value: number): ToolError {
  return invalid(`The arguments of ${name} hold a number that JSON cannot: ${value}.`);
}

function inexact(name: string, { source, isReceived }: InexactNumber): ToolError {
  if (isReceived) {
    return invalid(
      `The arguments of ${name} hold ${source.slice(0, 40)}, an integer that may have been rounded before it arrived: send its digits as a text, in quotes.`,
    );
  }
  const near = String(Number(source));
  return invalid(
    `The arguments of ${name} hold ${source.slice(0, 40)}, which has more digits than a number can: send ${near} instead.`,
  );
}

/** A date, a map or an instance would lose its content: the host has to convert it to JSON. */
function notPlain(name: string, value: object): ToolError {
  const kind = Object.prototype.toString.call(value).slice(8, -1);
  return invalid(
    `The arguments of ${name} hold ${kind === "Object" ? "an instance of a class" : `a ${kind}`}; pass plain JSON.`,
  );
}

function invalid(message: string): ToolError {
  return new ToolError("invalid_arguments", message);
}
