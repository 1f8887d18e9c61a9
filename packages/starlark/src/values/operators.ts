import { fail } from "./error.ts";
import { charge, chargeConcat, chargeItems, chargeString, sizes, spend } from "./budget.ts";
import { StarlarkBytes } from "./bytes.ts";
import { areEqual, compareValues } from "./compare.ts";
import type { ComparisonOperator } from "./compare.ts";
import { StarlarkDict, StarlarkSet } from "./dict.ts";
import { moduloFloats, StarlarkFloat, toFloat, toNumber } from "./float.ts";
import { toRepr } from "./format-value.ts";
import {
  addInts,
  bitwiseInts,
  floorDivideInts,
  invertInt,
  isInt,
  moduloInts,
  multiplyInts,
  negateInt,
  shiftInts,
  subtractInts,
} from "./int.ts";
import type { Int } from "./int.ts";
import { StarlarkList } from "./list.ts";
import { StarlarkRange } from "./range.ts";
import { interpolate } from "./interpolate.ts";
import { StarlarkTuple } from "./tuple.ts";
import { StarlarkObject, typeName } from "./value.ts";
import type { Value } from "./value.ts";

const maxRepeat = 2 ** 30;

/** The result of a binary operator, without `and` and `or`. */
export function applyBinary(operator: string, x: Value, y: Value): Value {
  switch (operator) {
    case "+":
      return add(x, y);
    case "==":
    case "!=":
    case "<":
    case "<=":
    case ">":
    case ">=":
      return compareValues(operator satisfies ComparisonOperator, x, y);
    case "in":
      return isIn(x, y);
    case "not in":
      return !isIn(x, y);
    default:
  }
  const result = isInt(x) && isInt(y) ? applyInts(operator, x, y) : applyMixed(operator, x, y);
  return result ?? applyCustom(operator, x, y);
}

function applyCustom(operator: string, x: Value, y: Value): Value {
  const custom =
    (x instanceof StarlarkObject ? x.binary(operator, y, true) : undefined) ??
    (y instanceof StarlarkObject ? y.binary(operator, x, false) : undefined);
  return custom ?? fail(`unknown binary op: ${typeName(x)} ${operator} ${typeName(y)}`);
}

/** `x + y`. */
function add(x: Value, y: Value): Value {
  if (typeof x === "string" && typeof y === "string") {
    chargeConcat(x.length, y.length);
    return x + y;
  }
  if (isInt(x) && isInt(y)) return addInts(x, y);
  if (x instanceof StarlarkList && y instanceof StarlarkList) return concatLists(x, y);
  if (x instanceof StarlarkTuple && y instanceof StarlarkTuple) {
    chargeItems(x.length + y.length);
    return new StarlarkTuple([...x.elements, ...y.elements]);
  }
  if (x instanceof StarlarkFloat || y instanceof StarlarkFloat) {
    const [left, right] = [toNumber(x), toNumber(y)];
    if (left !== undefined && right !== undefined) return toFloat(left + right);
  }
  return applyCustom("+", x, y);
}

function concatLists(x: StarlarkList, y: StarlarkList): StarlarkList {
  chargeItems(x.length + y.length);
  return new StarlarkList([...x.elements, ...y.elements]);
}

/** `x += y`: lists grow in place by any iterable. */
export function addInPlace(x: Value, y: Value): Value {
  if (!(x instanceof StarlarkList)) return add(x, y);
  const items = y instanceof StarlarkObject ? y.items() : undefined;
  if (items === undefined) return add(x, y);
  x.checkMutable("apply += to");
  charge(sizes.slot * items.length);
  spend(items.length >> 3);
  const count = items.length;
  for (let index = 0; index < count; index++) x.elements.push(items[index] as Value);
  return x;
}

/** `x |= y`: dicts grow in place. */
export function unionInPlace(x: Value, y: Value): Value {
  if (!(x instanceof StarlarkDict) || !(y instanceof StarlarkDict)) return applyBinary("|", x, y);
  x.checkMutable("insert into");
  for (const [key, value] of y.entries()) x.set(key, value);
  return x;
}

function applyInts(operator: string, x: Int, y: Int): Value | undefined {
  switch (operator) {
    case "-":
      return subtractInts(x, y);
    case "*":
      return multiplyInts(x, y);
    case "/":
      return divideFloats(x, y);
    case "//":
      return y === 0 ? fail("floored division by zero") : floorDivideInts(x, y);
    case "%":
      return y === 0 ? fail("integer modulo by zero") : moduloInts(x, y);
    case "&":
    case "|":
    case "^":
      return bitwiseInts(operator, x, y);
    case "<<":
    case ">>":
      return shiftInts(operator, x, y);
    default:
      return undefined;
  }
}

function applyMixed(operator: string, x: Value, y: Value): Value | undefined {
  if (operator === "%" && typeof x === "string") return interpolate(x, y);
  if (operator === "*" && (isInt(x) || isInt(y))) {
    const repeated = isInt(y) ? repeat(x, y) : repeat(y, x as Int);
    if (repeated !== undefined) return repeated;
  }
  if (!(x instanceof StarlarkFloat) && !(y instanceof StarlarkFloat)) return undefined;
  if (!"-*/%//".includes(operator)) return undefined;
  if (!(isInt(x) || x instanceof StarlarkFloat) || !(isInt(y) || y instanceof StarlarkFloat))
    return undefined;
  const left = toNumber(x) as number;
  const right = toNumber(y) as number;
  switch (operator) {
    case "-":
      return toFloat(left - right);
    case "*":
      return toFloat(left * right);
    case "/":
      return divideFloats(x, y);
    case "//":
      return right === 0 ? fail("floored division by zero") : toFloat(Math.floor(left / right));
    case "%":
      return right === 0
        ? fail("floating-point modulo by zero")
        : toFloat(moduloFloats(left, right));
    default:
      return undefined;
  }
}

function divideFloats(x: Value, y: Value): Value {
  const left = toNumber(x) as number;
  const right = toNumber(y) as number;
  return right === 0 ? fail("floating-point division by zero") : toFloat(left / right);
}

function repeat(sequence: Value, count: Int): Value | undefined {
  const length =
    typeof sequence === "string"
      ? sequence.length
      : sequence instanceof StarlarkList ||
          sequence instanceof StarlarkTuple ||
          sequence instanceof StarlarkBytes
        ? sequence.length
        : undefined;
  if (length === undefined) return undefined;
  if (count > 0x7fff_ffff || count < -0x8000_0000) fail(`repeat count ${count} too large`);
  const times = length === 0 ? 0 : Math.max(0, Number(count));
  if (length * times >= maxRepeat) fail(`excessive repeat (${length} * ${times} elements)`);
  if (typeof sequence === "string" || sequence instanceof StarlarkBytes) {
    chargeString(length * times);
    const text = (typeof sequence === "string" ? sequence : sequence.data).repeat(times);
    return typeof sequence === "string" ? text : new StarlarkBytes(text);
  }
  chargeItems(length * times);
  const elements = (sequence as StarlarkList | StarlarkTuple).elements;
  const repeated: Value[] = [];
  for (let round = 0; round < times; round++)
    for (const element of elements) repeated.push(element);
  return sequence instanceof StarlarkList
    ? new StarlarkList(repeated)
    : new StarlarkTuple(repeated);
}

/** `x in y`. */
function isIn(x: Value, y: Value): boolean {
  if (typeof y === "string") {
    if (typeof x !== "string")
      fail(`'in <string>' requires string as left operand, not ${typeName(x)}`);
    spend(y.length >> 6);
    return y.includes(x);
  }
  if (y instanceof StarlarkList || y instanceof StarlarkTuple) {
    for (const element of y.elements) if (areEqual(element, x)) return true;
    return false;
  }
  if (y instanceof StarlarkDict) return dictHas(y, x);
  if (y instanceof StarlarkSet) return y.has(x);
  if (y instanceof StarlarkRange) return rangeHas(y, x);
  if (y instanceof StarlarkBytes) return bytesHave(y, x);
  const custom = y instanceof StarlarkObject ? y.binary("in", x, false) : undefined;
  return custom === undefined
    ? fail(`unknown binary op: ${typeName(x)} in ${typeName(y)}`)
    : custom === true;
}

function dictHas(dict: StarlarkDict, key: Value): boolean {
  try {
    return dict.get(key) !== undefined;
  } catch {
    // A value that cannot be a key is not in the dict, as in starlark-go.
    return false;
  }
}

function rangeHas(range: StarlarkRange, value: Value): boolean {
  if (!isInt(value) && !(value instanceof StarlarkFloat)) {
    fail(`'in <range>' requires integer as left operand, not ${typeName(value)}`);
  }
  const number = value instanceof StarlarkFloat ? value.value : value;
  return typeof number === "number" && range.includes(number);
}

function bytesHave(bytes: StarlarkBytes, part: Value): boolean {
  if (part instanceof StarlarkBytes) return bytes.data.includes(part.data);
  if (!isInt(part))
    return fail(`'in bytes' requires bytes or int as left operand, not ${typeName(part)}`);
  if (part < 0 || part > 255)
    fail(`int in bytes: ${part} out of range (want value in unsigned 8-bit range)`);
  return bytes.data.includes(String.fromCharCode(Number(part)));
}

/** `+x`, `-x` and `~x`. */
export function applyUnary(operator: "+" | "-" | "~", x: Value): Value {
  if (isInt(x)) return operator === "-" ? negateInt(x) : operator === "+" ? x : invertInt(x);
  if (x instanceof StarlarkFloat && operator !== "~")
    return operator === "-" ? toFloat(-x.value) : x;
  return fail(`unknown unary op: ${operator} ${typeName(x)}`);
}

/** The message for a key that a dict lacks. */
export function missingKey(key: Value): never {
  return fail(`key ${toRepr(key)} not in dict`);
}
