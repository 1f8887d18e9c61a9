import { fail } from "./error.ts";
import { chargeString } from "./budget.ts";
import { StarlarkDict } from "./dict.ts";
import { formatFloatAs, toNumber, truncateToInt } from "./float.ts";
import { toRepr, toText } from "./format-value.ts";
import { formatInt, isInt } from "./int.ts";
import { StarlarkTuple } from "./tuple.ts";
import { characterLength, codePointAt, encodeCodePoint } from "./utf8.ts";
import { typeName, type Value } from "./value.ts";

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
