import { fail, failLimit } from "./error.ts";
import { charge, chargeString, sizes, spend } from "./budget.ts";
import { formatInt, isInt } from "./int.ts";
import { quote } from "./quote.ts";
import { characterLength, encodeCodePoint, replaceInvalid } from "./utf8.ts";
import { type NamedArguments, StarlarkObject, typeName, type Value } from "./value.ts";
import { StarlarkBytes } from "./bytes.ts";
import { StarlarkDict } from "./dict.ts";
import { formatFloat, toNumber, truncateToInt } from "./float.ts";
import { Collection, StarlarkTuple } from "./sequence.ts";

const maxDepth = 200;

/** The value as `repr` shows it, as a byte string. */
export function toRepr(value: Value): string {
  const text = value instanceof Collection ? showCollection(value) : showPlain(value);
  chargeString(text.length);
  return text;
}

function showPlain(value: Value): string {
  if (value instanceof StarlarkObject) return value.represent?.() ?? value.type;
  if (typeof value === "string") return quote(value);
  if (typeof value === "boolean") return value ? "True" : "False";
  return value === null ? "None" : formatInt(value);
}

/** The texts around the parts of a collection. */
const brackets: Readonly<Record<string, readonly [open: string, end: string]>> = {
  list: ["[", "]"],
  tuple: ["(", ")"],
  dict: ["{", "}"],
  set: ["set([", "])"],
};

/** The text of a collection and of what it contains. A collection inside of itself is shown as `...`. */
function showCollection(collection: Collection): string {
  const texts: string[] = [];
  const outer: Collection[] = [];
  const push = (text: string): void => {
    chargeString(text.length);
    texts.push(text);
  };
  const write = (value: Value): void => {
    if (!(value instanceof Collection)) return push(showPlain(value));
    const [open, end] = brackets[value.type] as [string, string];
    const close = value instanceof StarlarkTuple && value.length === 1 ? ",)" : end;
    if (outer.includes(value)) return push(`${open}...${close}`);
    if (outer.length >= maxDepth)
      failLimit(`a value is nested too deeply to be shown (limit ${maxDepth})`);
    const isDict = value instanceof StarlarkDict;
    const parts = isDict ? value.entries().flat() : value.items();
    outer.push(value);
    push(open);
    for (const [index, part] of parts.entries()) {
      if (index > 0) push(isDict && index % 2 === 1 ? ": " : ", ");
      write(part);
    }
    push(close);
    outer.pop();
  };
  write(collection);
  return texts.join("");
}

/** The value as `str` shows it: text as it is, all else as `repr`. */
export function toText(value: Value): string {
  if (typeof value === "string") return value;
  return value instanceof StarlarkBytes ? replaceInvalid(value.data) : toRepr(value);
}

/** `format % value` (specification of starlark-go, "String interpolation"). */
export function interpolate(format: string, value: Value): string {
  const operands = value instanceof StarlarkTuple ? value.elements : [value];
  let text = "";
  let used = 0;
  let end = 0;
  const push = (part: string): void => {
    chargeString(part.length);
    text += part;
  };
  for (let start = format.indexOf("%"); start !== -1; start = format.indexOf("%", end)) {
    if (start > end) push(format.slice(end, start));
    end = start + 2;
    let conversion = format.charAt(start + 1);
    if (conversion === "%") {
      push("%");
      continue;
    }
    let operand = operands[used++];
    if (conversion === "(") {
      const close = format.indexOf(")", end);
      if (close === -1) fail("incomplete format key");
      if (!(value instanceof StarlarkDict)) return fail("format requires a mapping");
      const key = format.slice(end, close);
      operand = value.get(key);
      if (operand === undefined) fail(`key not found: ${key}`);
      conversion = format.charAt(close + 1);
      end = close + 2;
    }
    if (operand === undefined) fail("not enough arguments for format string");
    push(convert(operand, conversion));
  }
  if (used < operands.length && !(value instanceof StarlarkDict))
    fail("too many arguments for format string");
  push(format.slice(end));
  chargeString(text.length);
  return text;
}

const radixes: Readonly<Record<string, number>> = { d: 10, i: 10, o: 8, x: 16, X: 16 };

function convert(operand: Value, conversion: string): string {
  if (conversion === "s") return toText(operand);
  if (conversion === "r") return toRepr(operand);
  if (conversion === "c") return toCharacter(operand);
  const radix = radixes[conversion];
  if (radix !== undefined) {
    const prefix = `%${conversion} format requires integer: `;
    const digits = formatInt(truncateToInt(operand, prefix), radix);
    return conversion === "X" ? digits.toUpperCase() : digits;
  }
  if (conversion === "") fail("incomplete format");
  if (!"efgEFG".includes(conversion)) fail(`unknown conversion %${conversion}`);
  const number = toNumber(operand);
  if (number !== undefined) return formatFloat(number, conversion);
  return fail(`%${conversion} format requires float, not ${typeName(operand)}`);
}

function toCharacter(operand: Value): string {
  if (isInt(operand)) {
    if (operand < 0 || operand > 0x10ffff)
      fail(`%c format requires a valid Unicode code point, got ${operand}`);
    return encodeCodePoint(Number(operand));
  }
  if (typeof operand !== "string")
    return fail(`%c format requires int or single-character string, not ${typeName(operand)}`);
  if (operand === "" || characterLength(operand, 0) !== operand.length)
    fail("%c format requires a single-character string");
  return replaceInvalid(operand);
}

const braces = /\{\{|\}\}|\{([^}]*)\}|[{}]/g;

/** `text.format(…)` (specification of starlark-go, "string·format"). */
export function formatString(format: string, args: Value[], named: NamedArguments): Value {
  const findField = fieldFinder(args, named);
  let text = "";
  let end = 0;
  for (const { 0: token, 1: field, index } of format.matchAll(braces)) {
    charge(sizes.string + token.length);
    spend(1);
    text += format.slice(end, index);
    end = index + token.length;
    if (field !== undefined) text += formatField(field, findField);
    else if (token.length === 2) text += token.charAt(0);
    else fail(`format: ${token === "{" ? "unmatched '{'" : "single '}'"} in format`);
  }
  text += format.slice(end);
  chargeString(text.length);
  return text;
}

/** `name!conversion:specification`. A name with a conversion may contain colons. */
const fieldParts = /^(?:([^!]*)!([^:]*)|([^:]*))(?::([^]*))?$/;

function formatField(field: string, findField: (name: string) => Value): string {
  const [, before, conversion = "s", plain = "", specification = ""] = fieldParts.exec(field) ?? [];
  const invalid = `format: unknown conversion ${quote(conversion)}`;
  if (conversion === "") fail(invalid);
  const value = findField(before ?? plain);
  if (specification !== "")
    fail(`format spec features not supported in replacement fields: ${specification}`);
  if (conversion !== "s" && conversion !== "r") fail(invalid);
  const text = conversion === "s" ? toText(value) : toRepr(value);
  chargeString(text.length);
  return text;
}

/** Finds the values of fields: in order, by a number or by a name. */
function fieldFinder(args: readonly Value[], named: NamedArguments): (name: string) => Value {
  let numbering: string | undefined;
  let next = 0;
  return (name) => {
    if (name === "" || /^\d{1,18}$/.test(name)) {
      const own = name === "" ? "automatic field numbering" : "manual field specification";
      numbering ??= own;
      if (numbering !== own) fail(`format: cannot switch from ${numbering} to ${own}`);
      const index = name === "" ? next++ : Number(name);
      if (index >= args.length) fail("format: tuple index out of range");
      return args[index] as Value;
    }
    const found = named.find(([key]) => key === name);
    if (found !== undefined) return found[1];
    if (name.includes("."))
      fail(`format: attribute syntax x.y is not supported in replacement fields: ${name}`);
    if (name.includes("["))
      fail(`format: element syntax a[i] is not supported in replacement fields: ${name}`);
    if (name.includes("{")) fail("format: nested replacement fields not supported");
    return fail(`format: keyword ${name} not found`);
  };
}
