import { fail } from "../values/error.ts";
import { charge, spend } from "../values/budget.ts";
import { StarlarkBytes } from "../values/bytes.ts";
import { StarlarkFloat, toFloat } from "../values/float.ts";
import { toRepr, toText } from "../values/format-value.ts";
import { Builtin } from "../values/function.ts";
import type { BuiltinImplementation } from "../values/function.ts";
import { isInt, negateInt, toMachineInt } from "../values/int.ts";
import type { Int } from "../values/int.ts";
import { toList } from "../values/list.ts";
import { StarlarkRange } from "../values/range.ts";
import { toDict, toSet } from "../values/dict.ts";
import { codePoints, encodeCodePoint, fromUtf8, replaceInvalid } from "../values/utf8.ts";
import { isTrue, toItems, toLength, typeName } from "../values/value.ts";
import type { NamedArguments, Value } from "../values/value.ts";
import { withName, unpack, unpackPositional } from "./arguments.ts";
import { attributeNames, findAttribute, missingAttribute } from "./attributes.ts";
import { updateDict } from "./dict-methods.ts";
import { parseFloatText, parseInteger } from "./numbers.ts";
import {
  enumerateItems,
  extremum,
  reverseItems,
  sortItems,
  toNewList,
  toNewTuple,
  zipItems,
} from "./sequences.ts";

function rejectNames(name: string, list: NamedArguments): void {
  if (list.length > 0) fail(`${name} does not accept keyword arguments`);
}

function single(name: string, args: readonly Value[], list: NamedArguments, wanted: string): Value {
  rejectNames(name, list);
  return args.length === 1
    ? (args[0] as Value)
    : fail(`${name}: got ${args.length} arguments, want ${wanted}`);
}

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

const implementations: Record<string, BuiltinImplementation> = {
  abs: (args, list) => {
    unpackPositional("abs", args, list, 1, ["any"]);
    const [value] = args as [Value];
    if (isInt(value)) return value < 0 ? negateInt(value) : value;
    return value instanceof StarlarkFloat
      ? toFloat(Math.abs(value.value))
      : fail(`got ${typeName(value)}, want int or float`);
  },
  all: (args, list) => {
    unpackPositional("all", args, list, 1, ["iterable"]);
    return iterate(args[0]).every(isTrue);
  },
  any: (args, list) => {
    unpackPositional("any", args, list, 1, ["iterable"]);
    return iterate(args[0]).some(isTrue);
  },
  bool: (args, list) => {
    unpackPositional("bool", args, list, 0, ["any"]);
    return args.length > 0 && isTrue(args[0] as Value);
  },
  bytes: (args, list) => {
    const value = args[0];
    if (list.length > 0) fail("bytes does not accept keyword arguments");
    if (args.length !== 1) fail(`bytes: got ${args.length} arguments, want exactly 1`);
    if (value instanceof StarlarkBytes) return value;
    if (typeof value === "string") return new StarlarkBytes(replaceInvalid(value));
    const items = toItems(value as Value);
    if (items === undefined)
      return fail(
        `bytes: got ${typeName(value as Value)}, want string, bytes, or iterable of ints`,
      );
    charge(items.length);
    return new StarlarkBytes(items.map(toByte).join(""));
  },
  chr: (args, list) => {
    const point = withName("chr", () => toMachineInt(single("chr", args, list, "1"), 32));
    if (point < 0) fail(`chr: Unicode code point ${point} out of range (<0)`);
    if (point > 0x10ffff)
      fail(
        `chr: Unicode code point U+${point.toString(16).toUpperCase()} out of range (>0x10FFFF)`,
      );
    return encodeCodePoint(point);
  },
  dict: (args, list) => {
    if (args.length > 1) fail(`dict: got ${args.length} arguments, want at most 1`);
    const dict = toDict();
    withName("dict", () => updateDict(dict, args[0], list));
    return dict;
  },
  dir: (args, list) => toList([...attributeNames(single("dir", args, list, "1"))]),
  enumerate: enumerateItems,
  fail: (args, list) => {
    const [separator] = unpack("fail", [], list, [["sep?", "string"]]);
    return fail(`fail: ${args.map(toText).join((separator as string | undefined) ?? " ")}`);
  },
  float: (args, list) => {
    rejectNames("float", list);
    if (args.length > 1) fail(`float got ${args.length} arguments, wants 1`);
    return args.length === 0 ? toFloat(0) : parseFloatText(args[0] as Value);
  },
  getattr: (args, list) => {
    unpackPositional("getattr", args, list, 2, ["any", "string", "any"]);
    const [object, name, fallback] = args as [Value, string, Value | undefined];
    const found = findAttribute(object, fromUtf8(name));
    if (found !== undefined) return found;
    return (
      fallback ??
      (args.length === 3
        ? null
        : withName("getattr", () => missingAttribute(object, fromUtf8(name))))
    );
  },
  hasattr: (args, list) => {
    unpackPositional("hasattr", args, list, 2, ["any", "string"]);
    return findAttribute(args[0] as Value, fromUtf8(args[1] as string)) !== undefined;
  },
  hash: (args, list) => {
    unpackPositional("hash", args, list, 1, ["any"]);
    const [value] = args as [Value];
    if (value instanceof StarlarkBytes) return hashBytes(value.data);
    return typeof value === "string"
      ? hashText(value)
      : fail(`hash: got ${typeName(value)}, want string or bytes`);
  },
  int: (args, list) => {
    const [value, base] = unpack("int", args, list, [
      ["x", "any"],
      ["base?", "any"],
    ]);
    return parseInteger(value as Value, base);
  },
  len: (args, list) => {
    unpackPositional("len", args, list, 1, ["any"]);
    const [value] = args as [Value];
    return toLength(value) ?? fail(`len: value of type ${typeName(value)} has no len`);
  },
  list: toNewList,
  max: (args, list) => extremum("max", args, list),
  min: (args, list) => extremum("min", args, list),
  ord: (args, list) => {
    const value = single("ord", args, list, "1");
    if (value instanceof StarlarkBytes) {
      if (value.length !== 1) fail(`ord: bytes has length ${value.length}, want 1`);
      return value.data.charCodeAt(0);
    }
    if (typeof value !== "string") return fail(`ord: got ${typeName(value)}, want string`);
    const points = codePoints(value);
    if (points.length !== 1)
      fail(`ord: string encodes ${points.length} Unicode code points, want 1`);
    return points[0] as number;
  },
  range: (args, list) => {
    unpackPositional("range", args, list, 1, ["int", "int", "int"]);
    const [first, second, step = 1] = args.map((value) => Number(value)) as [
      number,
      number?,
      number?,
    ];
    if (step === 0) fail("range: step argument must not be zero");
    return second === undefined
      ? new StarlarkRange(0, first, 1)
      : new StarlarkRange(first, second, step);
  },
  repr: (args, list) => {
    unpackPositional("repr", args, list, 1, ["any"]);
    return toRepr(args[0] as Value);
  },
  reversed: reverseItems,
  set: (args, list) => {
    unpackPositional("set", args, list, 0, ["iterable"]);
    return withName("set", () => toSet(args.length === 0 ? [] : iterate(args[0])));
  },
  sorted: sortItems,
  str: (args, list) => toText(single("str", args, list, "exactly 1")),
  tuple: toNewTuple,
  type: (args, list) => typeName(single("type", args, list, "exactly 1")),
  zip: zipItems,
};

function toByte(value: Value, index: number): string {
  const where = `bytes: at index ${index}, `;
  if (!isInt(value)) return fail(`${where}got ${typeName(value)}, want int`);
  if (value < 0 || value > 255)
    fail(`${where}${String(value as Int)} out of range (want value in unsigned 8-bit range)`);
  return String.fromCharCode(Number(value));
}

function iterate(value: Value | undefined): readonly Value[] {
  const items = toItems(value as Value) as readonly Value[];
  spend(items.length >> 2);
  return items;
}

/** The names that every file may use (specification, "Built-in constants and functions"), without `print`. */
export const universe: ReadonlyMap<string, Value> = new Map<string, Value>([
  ["None", null],
  ["True", true],
  ["False", false],
  ...Object.entries(implementations).map(([name, implementation]): [string, Value] => [
    name,
    new Builtin(name, implementation),
  ]),
]);
