import { fail } from "../values/error.ts";
import { chargeItems, chargeString, spend } from "../values/budget.ts";
import { sliceItems, StarlarkRange, toList, toTuple } from "../values/sequence.ts";
import { StarlarkBytes } from "../values/bytes.ts";
import { StarlarkFloat, toFloat } from "../values/float.ts";
import { toRepr, toText } from "../values/format.ts";
import { addInts, type Int, isInt, negateInt, toMachineInt } from "../values/int.ts";
import { toDict, toSet } from "../values/dict.ts";
import {
  codePointAt,
  countCharacters,
  encodeCodePoint,
  fromUtf8,
  replaceInvalid,
} from "../values/utf8.ts";
import { isTrue, toItems, toLength, typeName } from "../values/value.ts";
import type { NamedArguments, Value } from "../values/value.ts";
import { defineFunctions } from "./builtin.ts";
import { attributeNames, findAttribute, getAttribute } from "./attributes.ts";
import { updateDict } from "./collection-methods.ts";
import { parseFloatText, parseInteger } from "./numbers.ts";
import { copyItems, extremum, sortItems, zipItems } from "./sequences.ts";
import { join } from "./string-methods.ts";

function hashBytes(data: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < data.length; index++)
    hash = Math.imul(hash ^ data.charCodeAt(index), 0x01000193);
  return hash >>> 0;
}

/** The hash of `java.lang.String`, which the specification asks for. */
function hashText(data: string): number {
  const text = fromUtf8(data);
  let hash = 0;
  for (let index = 0; index < text.length; index++)
    hash = (Math.imul(31, hash) + text.charCodeAt(index)) | 0;
  return hash;
}

function toBytesValue(value: Value): Value {
  if (value instanceof StarlarkBytes) return value;
  if (typeof value === "string") {
    chargeString(value.length);
    return new StarlarkBytes(replaceInvalid(value));
  }
  const items =
    toItems(value) ?? fail(`got ${typeName(value)}, want string, bytes, or iterable of ints`);
  chargeItems(items.length);
  return new StarlarkBytes(items.map(toByte).join(""));
}

function toByte(value: Value, index: number): string {
  if (!isInt(value)) return fail(`at index ${index}, got ${typeName(value)}, want int`);
  if (value < 0 || value > 255)
    fail(`at index ${index}, ${value} out of range (want value in unsigned 8-bit range)`);
  return String.fromCharCode(Number(value));
}

function toCharacter(value: Value): string {
  const point = toMachineInt(value, 32);
  if (point < 0) fail(`Unicode code point ${point} out of range (<0)`);
  if (point > 0x10ffff)
    fail(`Unicode code point U+${point.toString(16).toUpperCase()} out of range (>0x10FFFF)`);
  return encodeCodePoint(point);
}

function toOrdinal(value: Value): number {
  if (value instanceof StarlarkBytes) {
    if (value.length !== 1) fail(`bytes has length ${value.length}, want 1`);
    return value.data.charCodeAt(0);
  }
  if (typeof value !== "string") return fail(`got ${typeName(value)}, want string`);
  const length = countCharacters(value);
  if (length !== 1) fail(`string encodes ${length} Unicode code points, want 1`);
  return codePointAt(value, 0);
}

function iterate(value: Value): readonly Value[] {
  const items = toItems(value) as readonly Value[];
  spend(items.length >> 2);
  return items;
}

const functions = defineFunctions({
  "all(iterable)": (items: Value) => iterate(items).every(isTrue),
  "any(iterable)": (items: Value) => iterate(items).some(isTrue),
  "bool(any?)": (value: Value = false) => isTrue(value),
  "bytes(exactly 1)": toBytesValue,
  "chr(1)": toCharacter,
  "dict(*, **)": (args: Value[], named: NamedArguments) => {
    const dict = toDict();
    updateDict(dict, args, named);
    return dict;
  },
  "dir(1)": (value: Value) => toList([...attributeNames(value)]),
  "enumerate(iterable, int?)": (iterable: Value, start: Int = 0) => {
    const items = toItems(iterable) as readonly Value[];
    spend(items.length);
    return toList(items.map((item, index) => toTuple([addInts(start, index), item])));
  },
  "getattr(any, string, any?)": (object: Value, name: string, fallback?: Value) =>
    getAttribute(object, fromUtf8(name), fallback),
  "hasattr(any, string)": (object: Value, name: string) =>
    findAttribute(object, fromUtf8(name)) !== undefined,
  "hash(any)": (value: Value) => {
    spend((toLength(value) ?? 0) >> 2);
    if (value instanceof StarlarkBytes) return hashBytes(value.data);
    if (typeof value === "string") return hashText(value);
    return fail(`got ${typeName(value)}, want string or bytes`);
  },
  "int(x: any, base: any?)": parseInteger,
  "len(any)": (value: Value) =>
    toLength(value) ?? fail(`value of type ${typeName(value)} has no len`),
  "list(iterable?)": (items?: Value) => toList(items === undefined ? [] : copyItems(items)),
  "ord(1)": toOrdinal,
  "range(int, int?, int?)": (first: Int, second?: Int, step: Int = 1) => {
    if (step === 0) fail("step argument must not be zero");
    return second === undefined
      ? new StarlarkRange(0, Number(first), 1)
      : new StarlarkRange(Number(first), Number(second), Number(step));
  },
  "repr(any)": toRepr,
  "reversed(iterable)": (iterable: Value) => {
    const items = iterate(iterable);
    return toList(sliceItems(items, items.length - 1, items.length, -1));
  },
  "set(iterable?)": (items?: Value) => toSet(items === undefined ? [] : iterate(items)),
  "str(exactly 1)": toText,
  "tuple(iterable?)": (items?: Value) => toTuple(items === undefined ? [] : copyItems(items)),
  "type(exactly 1)": typeName,
});

const functionsWithPlainErrors = defineFunctions(
  {
    "abs(any)": (value: Value) => {
      if (isInt(value)) return value < 0 ? negateInt(value) : value;
      return value instanceof StarlarkFloat
        ? toFloat(Math.abs(value.value))
        : fail(`got ${typeName(value)}, want int or float`);
    },
    "fail(*, sep: string?)": (args: Value[], separator = " ") =>
      fail(`fail: ${join(separator, toTuple(args.map(toText)))}`),
    "float(*, **)": (args: Value[], named: NamedArguments) => {
      if (named.length > 0) fail("float does not accept keyword arguments");
      if (args.length > 1) fail(`float got ${args.length} arguments, wants 1`);
      return args.length === 0 ? toFloat(0) : parseFloatText(args[0] as Value);
    },
    "max(*, **)": extremum("max"),
    "min(*, **)": extremum("min"),
    "sorted(iterable: iterable, key: callable?, reverse: bool?)": sortItems,
    "zip(*, **)": zipItems,
  },
  "plain errors",
);

/** The names that every file may use (specification, "Built-in constants and functions"), without `print`. */
export const universe: ReadonlyMap<string, Value> = new Map<string, Value>([
  ["None", null],
  ["True", true],
  ["False", false],
  ...functions,
  ...functionsWithPlainErrors,
]);
