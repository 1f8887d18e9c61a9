import { fail, failLimit } from "./error.ts";
import { chargeString } from "./budget.ts";
import { formatInt, isInt } from "./int.ts";
import { characterLength, codePointAt, encodeCodePoint, quote, replaceInvalid } from "./utf8.ts";
import { StarlarkObject, typeName } from "./value.ts";
import type { NamedArguments, Parts, Value, ValueWriter } from "./value.ts";
import { StarlarkBytes } from "./bytes.ts";
import { StarlarkDict } from "./dict.ts";
import { formatFloatAs, toNumber, truncateToInt } from "./float.ts";
import { StarlarkTuple } from "./sequence.ts";

const maxDepth = 200;

class Writer implements ValueWriter {
  readonly parts: string[] = [];
  readonly #open: StarlarkObject[] = [];

  text(text: string): void {
    chargeString(text.length);
    this.parts.push(text);
  }

  value(value: Value): void {
    if (value instanceof StarlarkObject) value.write(this);
    else this.text(formatPrimitive(value));
  }

  container(owner: StarlarkObject, open: string, close: string, items: () => Parts): void {
    if (this.#open.includes(owner)) return this.text(`${open}...${close}`);
    if (this.#open.length >= maxDepth)
      failLimit(`a value is nested too deeply to be shown (limit ${maxDepth})`);
    this.#open.push(owner);
    this.text(open);
    for (const [index, item] of items().entries()) {
      if (index > 0) this.text(", ");
      if (Array.isArray(item)) {
        this.value(item[0]);
        this.text(": ");
        this.value(item[1]);
      } else this.value(item as Value);
    }
    this.text(close);
    this.#open.pop();
  }
}

function formatPrimitive(value: Exclude<Value, StarlarkObject>): string {
  if (typeof value === "string") return quote(value);
  if (typeof value === "boolean") return value ? "True" : "False";
  return value === null ? "None" : formatInt(value);
}

/** The value as `repr` shows it, as a byte string. */
export function toRepr(value: Value): string {
  let text: string;
  if (value instanceof StarlarkObject) {
    const writer = new Writer();
    writer.value(value);
    text = writer.parts.join("");
  } else text = formatPrimitive(value);
  chargeString(text.length);
  return text;
}

/** The value as `str` shows it: text as it is, all else as `repr`. */
export function toText(value: Value): string {
  if (typeof value === "string") return value;
  return value instanceof StarlarkBytes ? replaceInvalid(value.data) : toRepr(value);
}

/** `format % value` (specification of starlark-go, "String interpolation"). */
export function interpolate(format: string, value: Value): string {
  const positional = value instanceof StarlarkTuple ? value.elements : [value];
  let text = "";
  let used = 0;
  let index = 0;
  const push = (part: string): void => {
    chargeString(part.length);
    text += part;
  };
  for (;;) {
    const percent = format.indexOf("%", index);
    if (percent === -1) break;
    if (percent > index) push(format.slice(index, percent));
    index = percent + 1;
    if (format[index] === "%") {
      push("%");
      index++;
      continue;
    }
    let operand = positional[used];
    if (format[index] === "(") {
      const close = format.indexOf(")", index);
      if (close === -1) fail("incomplete format key");
      operand = getMember(value, format.slice(index + 1, close));
      index = close + 1;
    } else if (operand === undefined) return fail("not enough arguments for format string");
    const conversion = format[index];
    if (conversion === undefined) fail("incomplete format");
    const convert = conversions[conversion] ?? fail(`unknown conversion %${conversion}`);
    push(convert(operand, conversion));
    index++;
    used++;
  }
  if (used < positional.length && !(value instanceof StarlarkDict))
    fail("too many arguments for format string");
  push(format.slice(index));
  chargeString(text.length);
  return text;
}

function getMember(value: Value, key: string): Value {
  if (!(value instanceof StarlarkDict)) return fail("format requires a mapping");
  const member = value.get(key);
  return member === undefined ? fail(`key not found: ${key}`) : member;
}

const conversions: Readonly<Record<string, (operand: Value, conversion: string) => string>> = {
  s: toText,
  r: toRepr,
  d: (operand, conversion) => formatInt(toInteger(operand, conversion)),
  i: (operand, conversion) => formatInt(toInteger(operand, conversion)),
  o: (operand, conversion) => formatInt(toInteger(operand, conversion), 8),
  x: (operand, conversion) => formatInt(toInteger(operand, conversion), 16),
  X: (operand, conversion) => formatInt(toInteger(operand, conversion), 16).toUpperCase(),
  e: convertFloat,
  f: convertFloat,
  g: convertFloat,
  E: convertFloat,
  F: convertFloat,
  G: convertFloat,
  c: toCharacter,
};

function convertFloat(operand: Value, conversion: string): string {
  const number =
    toNumber(operand) ?? fail(`%${conversion} format requires float, not ${typeName(operand)}`);
  return formatFloatAs(number, conversion);
}

function toInteger(operand: Value, conversion: string): number | bigint {
  if (isInt(operand)) return operand;
  try {
    return truncateToInt(operand);
  } catch (error) {
    return fail(`%${conversion} format requires integer: ${(error as Error).message}`);
  }
}

function toCharacter(operand: Value): string {
  if (isInt(operand)) {
    if (operand < 0 || operand > 0x10ffff)
      fail(`%c format requires a valid Unicode code point, got ${operand}`);
    return encodeCodePoint(Number(operand));
  }
  if (typeof operand !== "string") {
    return fail(`%c format requires int or single-character string, not ${typeName(operand)}`);
  }
  if (operand === "" || characterLength(operand, 0) !== operand.length) {
    fail("%c format requires a single-character string");
  }
  return encodeCodePoint(codePointAt(operand, 0));
}

/** `text.format(…)` (specification of starlark-go, "string·format"). */
export function formatString(format: string, args: Value[], named: NamedArguments): Value {
  const findField = fieldFinder(args, named);
  const text = format.replaceAll(/\{\{|\}\}|\{([^}]*)\}|[{}]/g, (token: string, field?: string) => {
    if (field !== undefined) return formatField(field, findField);
    if (token.length === 2) return token.charAt(0);
    return fail(`format: ${token === "{" ? "unmatched '{'" : "single '}'"} in format`);
  });
  chargeString(text.length);
  return text;
}

/** `name!conversion:specification`. A name with a conversion may contain colons. */
const fieldParts = /^(?:([^!]*)!([^:]*)|([^:]*))(?::([^]*))?$/;

function formatField(field: string, findField: (name: string) => Value): string {
  const [, before, conversion = "s", plain = "", specification = ""] = fieldParts.exec(field) ?? [];
  const invalid = (): never => fail(`format: unknown conversion ${quote(conversion)}`);
  if (conversion === "") invalid();
  const value = findField(before ?? plain);
  if (specification !== "")
    fail(`format spec features not supported in replacement fields: ${specification}`);
  const text = conversion === "s" ? toText(value) : conversion === "r" ? toRepr(value) : invalid();
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
      if (numbering !== undefined && numbering !== own)
        fail(`format: cannot switch from ${numbering} to ${own}`);
      numbering = own;
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
