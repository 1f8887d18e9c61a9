import type { JsonObject, JsonValue } from "../../json/json.ts";
import { ToolError } from "../../contract/tool-error.ts";
import type { CallState } from "../call/call-state.ts";

/** How deep arguments may nest; deeper ones would exhaust the stack of whoever walks them. */
const maxDepth = 200;

/**
 * What arguments that are handed over as a value may cost: 1 for each value and for each 8 characters
 * of a text, 8 more for an object or a list.
 */
const maxArgumentsWork = 10_000_000;
const perContainer = 8;

/** Copying is synchronous; only a getter of the arguments could begin another copy within one. */
let workLeft = 0;

/** Stage 2: the arguments as a value of the call's own. Malformed JSON is an error, never `{}`. */
export function parse(execution: CallState): void {
  const { call, resumption } = execution;
  execution.args = resumption?.arguments ?? readArguments(call.name, call.arguments);
}

/**
 * Arguments as a text or as a value.
 *
 * @throws ToolError `invalid_arguments`
 */
export function readArguments(
  name: string,
  sent: unknown,
  maxWork: number = maxArgumentsWork,
): JsonObject {
  return typeof sent === "string" ? parseText(name, sent) : copyArguments(name, sent, maxWork);
}

function parseText(name: string, sent: string): JsonObject {
  let value: JsonValue;
  try {
    value = JSON.parse(sent) as JsonValue;
  } catch (error) {
    throw invalid(
      `The arguments of ${name} are not valid JSON (${reasonOf(error)}). Send one JSON object.`,
    );
  }
  requireObject(name, value);
  if (checkParsed(name, value, 0)) checkExact(name, sent);
  return value;
}

/** Without the excerpt in quotes: a piece of a secret that was sent is no longer known as one. */
function reasonOf(error: unknown): string {
  const message = error instanceof Error ? error.message : "";
  return message.replace(/(?:^|, )(?:\.\.\.)?"[^]*$/, "").slice(0, 160) || "it begins like none";
}

/** What has been parsed is plain already, and nobody else's. True when it holds a number that may have been rounded. */
function checkParsed(name: string, value: object, depth: number): boolean {
  if (depth > maxDepth) throw tooDeep(name);
  let isLarge = false;
  for (const key in value) {
    const member = (value as Record<string, JsonValue>)[key];
    if (typeof member === "number") {
      // A number may be too large for a number, such as 1e999.
      if (!Number.isFinite(member)) throw noNumber(name, member);
      if (Math.abs(member) > Number.MAX_SAFE_INTEGER) isLarge = true;
    } else if (typeof member === "object" && member !== null) {
      if (checkParsed(name, member, depth + 1)) isLarge = true;
    }
  }
  return isLarge;
}

/** An id of many digits would be another one: a record that nobody has asked for would be read, or deleted. */
function checkExact(name: string, sent: string): void {
  const check = (_key: string, value: unknown, context?: { readonly source?: string }): unknown => {
    const source = context?.source;
    const isWritten = typeof value === "number" && source !== undefined && /^-?\d+$/.test(source);
    if (!isWritten || source === String(value) || BigInt(source) === BigInt(value)) return value;
    throw invalid(
      `The arguments of ${name} hold ${source.slice(0, 40)}, which would be rounded to ${value}: send it as a text, in quotes, where that is allowed.`,
    );
  };
  JSON.parse(sent, check);
}

/**
 * The arguments as the call's own plain JSON.
 *
 * @param maxWork what the copy may cost: what is there twice is copied twice.
 * @throws ToolError `invalid_arguments` for what JSON cannot hold, for endless nesting, and for more
 * than `maxWork`.
 */
export function copyArguments(
  name: string,
  value: unknown,
  maxWork: number = maxArgumentsWork,
): JsonObject {
  requireObject(name, value);
  const outer = workLeft;
  workLeft = maxWork;
  try {
    return copy(name, value, 0) as JsonObject;
  } finally {
    workLeft = outer;
  }
}

function requireObject(name: string, value: unknown): asserts value is JsonObject {
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return;
  throw invalid(`The arguments of ${name} must be one JSON object, such as {"name": "value"}.`);
}

function copy(name: string, value: unknown, depth: number): JsonValue {
  switch (typeof value) {
    case "string":
      workLeft -= value.length >> 3;
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
      const prototype: unknown = Object.getPrototypeOf(value);
      if (prototype !== Object.prototype && prototype !== null) throw notPlain(name, value);
      // One clone is several times quicker than as many assignments.
      const result = { ...value } as Record<string, JsonValue>;
      workLeft -= perContainer;
      for (const key in result) {
        if (--workLeft < 0) throw tooLarge(name);
        const member: unknown = result[key];
        if (typeof member === "string") {
          workLeft -= member.length >> 3;
          continue;
        }
        if (typeof member === "boolean" || member === null) continue;
        if (typeof member === "number" && Number.isFinite(member)) continue;
        if (!Object.hasOwn(result, key)) continue;
        if (member === undefined) delete result[key];
        else define(result, key, copy(name, member, depth + 1));
      }
      return result;
    }
    default:
      throw invalid(`The arguments of ${name} hold a ${typeof value}; JSON has no such thing.`);
  }
}

function copyItems(name: string, items: readonly unknown[], depth: number): JsonValue[] {
  const { length } = items;
  workLeft -= perContainer + length;
  // Before the first is read: a list can say that it has billions of holes.
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
  return invalid(`The arguments of ${name} hold more values than can be copied; send less.`);
}

function noNumber(name: string, value: number): ToolError {
  return invalid(`The arguments of ${name} hold a number that JSON cannot: ${value}.`);
}

/** A date, a map or an instance would lose what it holds: the host has to write it as JSON. */
function notPlain(name: string, value: object): ToolError {
  const kind = Object.prototype.toString.call(value).slice(8, -1);
  return invalid(
    `The arguments of ${name} hold ${kind === "Object" ? "an instance of a class" : `a ${kind}`}; pass plain JSON.`,
  );
}

function invalid(message: string): ToolError {
  return new ToolError("invalid_arguments", message);
}
