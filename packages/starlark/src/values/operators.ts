import { fail, isFailure } from "./error.ts";
import { chargeConcat, chargeItems, chargeString, spend } from "./budget.ts";
import { sliceText, StarlarkBytes } from "./bytes.ts";
import { areEqual, compareValues, isComparison } from "./compare.ts";
import { StarlarkDict, StarlarkSet } from "./dict.ts";
import { floatOperators, isNumber, StarlarkFloat, toFloat, toNumber } from "./float.ts";
import { interpolate, toRepr } from "./format.ts";
import { fromBigInt, type Int, intOperators, isInt, negateInt, toMachineInt } from "./int.ts";
import { countSteps, ElementSequence, StarlarkList, StarlarkRange } from "./sequence.ts";
import { StarlarkObject, toItems, typeName, type Value } from "./value.ts";

/** Operators on values that are not two numbers. The result is `undefined` if they do not apply. */
const otherOperators: Readonly<Record<string, (x: Value, y: Value) => Value | undefined>> = {
  "+": concatenate,
  "*": (x, y) => (isInt(y) ? repeat(x, y) : isInt(x) ? repeat(y, x) : undefined),
  "%": (x, y) => (typeof x === "string" ? interpolate(x, y) : undefined),
  in: isIn,
  "not in": (x, y) => contains(x, y) !== true,
};

/** A binary operator, without `and` and `or`. */
export function toOperator(operator: string): (x: Value, y: Value) => Value {
  if (isComparison(operator)) return (x, y) => compareValues(operator, x, y);
  const onInts = intOperators[operator];
  const onFloats = floatOperators[operator];
  const onOthers = otherOperators[operator];
  return (x, y) => {
    if (onInts !== undefined && isInt(x) && isInt(y)) return onInts(x, y);
    if (onFloats !== undefined && isNumber(x) && isNumber(y))
      return toFloat(onFloats(toNumber(x) as number, toNumber(y) as number));
    const result =
      onOthers?.(x, y) ??
      (x instanceof StarlarkObject ? x.binary?.(operator, y, true) : undefined) ??
      (y instanceof StarlarkObject ? y.binary?.(operator, x, false) : undefined);
    return result ?? fail(`unknown binary op: ${typeName(x)} ${operator} ${typeName(y)}`);
  };
}

function concatenate(x: Value, y: Value): Value | undefined {
  if (typeof x === "string" && typeof y === "string") {
    chargeConcat(x.length, y.length);
    return x + y;
  }
  if (!(x instanceof ElementSequence && y instanceof ElementSequence) || x.type !== y.type)
    return undefined;
  chargeItems(x.length + y.length);
  return x.withElements([...x.elements, ...y.elements]);
}

const add = toOperator("+");
const unite = toOperator("|");
const contains = toOperator("in");

/** `x += y`: lists grow in place by any iterable. */
export function addInPlace(x: Value, y: Value): Value {
  const items = x instanceof StarlarkList ? toItems(y) : undefined;
  if (items === undefined) return add(x, y);
  (x as StarlarkList).extend(items, "apply += to");
  return x;
}

/** `x |= y`: dicts grow in place. */
export function unionInPlace(x: Value, y: Value): Value {
  if (!(x instanceof StarlarkDict) || !(y instanceof StarlarkDict)) return unite(x, y);
  x.checkMutable("insert into");
  for (const [key, value] of y.entries()) x.set(key, value);
  return x;
}

const maxRepeat = 2 ** 30;

function repeat(x: Value, count: Int): Value | undefined {
  if (!(typeof x === "string" || x instanceof StarlarkBytes || x instanceof ElementSequence))
    return undefined;
  const { length } = x;
  if (count > 0x7fff_ffff || count < -0x8000_0000) fail(`repeat count ${count} too large`);
  const times = length === 0 ? 0 : Math.max(0, Number(count));
  if (length * times >= maxRepeat) fail(`excessive repeat (${length} * ${times} elements)`);
  if (x instanceof ElementSequence) {
    chargeItems(length * times);
    const repeated: Value[] = [];
    for (let round = 0; round < times; round++)
      for (const element of x.elements) repeated.push(element);
    return x.withElements(repeated);
  }
  chargeString(length * times);
  return typeof x === "string" ? x.repeat(times) : new StarlarkBytes(x.data.repeat(times));
}

/** `x in y`. */
function isIn(x: Value, y: Value): boolean | undefined {
  if (typeof y === "string") {
    if (typeof x !== "string")
      fail(`'in <string>' requires string as left operand, not ${typeName(x)}`);
    spend(y.length >> 6);
    return y.includes(x);
  }
  if (y instanceof ElementSequence) {
    spend(y.length >> 3);
    return y.elements.some((element) => areEqual(element, x));
  }
  if (y instanceof StarlarkDict) return dictHas(y, x);
  if (y instanceof StarlarkSet) return y.has(x);
  if (y instanceof StarlarkBytes) return bytesHave(y, x);
  if (!(y instanceof StarlarkRange)) return undefined;
  if (isNumber(x)) return y.includes(x instanceof StarlarkFloat ? x.value : x);
  return fail(`'in <range>' requires integer as left operand, not ${typeName(x)}`);
}

/** Whether a dict has a key. As in starlark-go, a value that cannot be a key is in no dict. */
function dictHas(dict: StarlarkDict, key: Value): boolean {
  try {
    return dict.get(key) !== undefined;
  } catch (error) {
    if (isFailure(error)) return false;
    throw error;
  }
}

function bytesHave(bytes: StarlarkBytes, part: Value): boolean {
  spend(bytes.length >> 6);
  if (part instanceof StarlarkBytes) return bytes.data.includes(part.data);
  if (!isInt(part))
    return fail(`'in bytes' requires bytes or int as left operand, not ${typeName(part)}`);
  if (part < 0 || part > 255)
    fail(`int in bytes: ${part} out of range (want value in unsigned 8-bit range)`);
  return bytes.data.includes(String.fromCharCode(Number(part)));
}

/** `+x`, `-x` and `~x`. */
export function applyUnary(operator: "+" | "-" | "~", x: Value): Value {
  if (isInt(x) && operator === "~") return fromBigInt(~BigInt(x));
  if (isInt(x)) return operator === "-" ? negateInt(x) : x;
  if (x instanceof StarlarkFloat && operator !== "~")
    return operator === "-" ? toFloat(-x.value) : x;
  return fail(`unknown unary op: ${operator} ${typeName(x)}`);
}

/** `x[y]`. */
export function getItem(x: Value, y: Value): Value {
  if (x instanceof StarlarkList && typeof y === "number") {
    const element = x.elements[y];
    if (element !== undefined) return element;
  }
  if (x instanceof StarlarkDict) {
    const value = x.get(y);
    return value === undefined ? fail(`key ${toRepr(y)} not in dict`) : value;
  }
  if (typeof x === "string") return x.charAt(indexIn(typeName(x), y, x.length));
  if (x instanceof StarlarkObject && x.length !== undefined && x.itemAt)
    return x.itemAt(indexIn(x.type, y, x.length));
  return fail(`unhandled index operation ${typeName(x)}[${typeName(y)}]`);
}

function indexIn(type: string, index: Value, length: number): number {
  if (isInt(index)) return toPosition(type, toMachineInt(index), length);
  return fail(`${type} index: got ${typeName(index)}, want int`);
}

/** The position of an index, which counts from the end if it is negative. Fails outside of the sequence. */
export function toPosition(type: string, index: number, length: number): number {
  const position = index < 0 ? index + length : index;
  if (position >= 0 && position < length) return position;
  return fail(
    length === 0
      ? `index ${index} out of range: empty ${type}`
      : `${type} index ${index} out of range [${-length}:${length - 1}]`,
  );
}

/** `x[y] = value`. */
export function setItem(x: Value, y: Value, value: Value): void {
  if (x instanceof StarlarkDict) x.set(y, value);
  else if (x instanceof StarlarkList) {
    const index = toPosition("list", toMachineInt(y), x.length);
    x.checkMutable("assign to element of");
    x.elements[index] = value;
  } else fail(`${typeName(x)} value does not support item assignment`);
}

/** `x[low:high:step]`; a missing part is `null`. */
export function getSlice(x: Value, low: Value, high: Value, step: Value): Value {
  const toSlice = (length: number): [start: number, count: number, step: number] => {
    const stride = step === null ? 1 : toIndex(step, "slice step");
    if (stride === 0) fail("zero is not a valid slice step");
    const [start, stop] = toRange(low, high, length, stride < 0);
    return [start, countSteps(start, stop, stride), stride];
  };
  if (typeof x === "string") return sliceText(x, ...toSlice(x.length));
  if (x instanceof StarlarkObject && x.length !== undefined && x.slice)
    return x.slice(...toSlice(x.length));
  return fail(`invalid slice operand ${typeName(x)}`);
}

function toIndex(value: Value, what: string): number {
  if (!isInt(value)) return fail(`invalid ${what}: got ${typeName(value)}, want int`);
  // An index far outside of any sequence means its end.
  return Math.max(-(2 ** 52), Math.min(2 ** 52, Number(value)));
}

/** Start and end of a part of a sequence, as `find` and slices understand them; missing ones are `null`. */
export function toRange(low: Value, high: Value, size: number, reversed = false): [number, number] {
  const [first, last] = reversed ? [-1, size - 1] : [0, size];
  const limit = (value: Value, what: string, missing: number): number => {
    if (value === null) return missing;
    const index = toIndex(value, what);
    return Math.min(Math.max(index < 0 ? index + size : index, first), last);
  };
  const start = limit(low, "start index", reversed ? last : first);
  return [start, limit(high, "end index", reversed ? first : last)];
}
