import { fail } from "./error.ts";
import { sliceText } from "./bytes.ts";
import { StarlarkDict } from "./dict.ts";
import { isInt, toMachineInt } from "./int.ts";
import { StarlarkList } from "./list.ts";
import { missingKey } from "./operators.ts";
import { isSequence, type StarlarkObject, toLength, typeName, type Value } from "./value.ts";

/** `x[y]`. */
export function getItem(x: Value, y: Value): Value {
  if (x instanceof StarlarkList && typeof y === "number") {
    const element = x.elements[y];
    if (element !== undefined) return element;
  }
  if (x instanceof StarlarkDict) {
    const value = x.get(y);
    return value === undefined ? missingKey(y) : value;
  }
  const length = isSequence(x) ? toLength(x) : undefined;
  if (length === undefined) return fail(`unhandled index operation ${typeName(x)}[${typeName(y)}]`);
  if (!isInt(y)) return fail(`${typeName(x)} index: got ${typeName(y)}, want int`);
  const index = toPosition(typeName(x), toMachineInt(y), length);
  return typeof x === "string" ? x.charAt(index) : ((x as StarlarkObject).itemAt(index) as Value);
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
  const length = isSequence(x) ? toLength(x) : undefined;
  if (length === undefined) return fail(`invalid slice operand ${typeName(x)}`);
  const stride = step === null ? 1 : toIndex(step, "slice step");
  if (stride === 0) fail("zero is not a valid slice step");
  const [start, stop] = toRange(low, high, length, stride < 0);
  const distance = stride > 0 ? stop - start : start - stop;
  const count = distance <= 0 ? 0 : Math.floor((distance - 1) / Math.abs(stride)) + 1;
  if (typeof x === "string") return sliceText(x, start, count, stride);
  return (
    (x as StarlarkObject).slice(start, count, stride) ??
    fail(`invalid slice operand ${typeName(x)}`)
  );
}

function toIndex(value: Value, what: string): number {
  if (!isInt(value)) return fail(`invalid ${what}: got ${typeName(value)}, want int`);
  // An index far outside of any sequence means its end.
  return Math.max(-(2 ** 52), Math.min(2 ** 52, Number(value)));
}

/** Start and end of a part of a sequence, as `find` and slices understand them; missing ones are `null`. */
export function toRange(
  low: Value,
  high: Value,
  length: number,
  reversed: boolean = false,
): [start: number, end: number] {
  const [first, last] = reversed ? [-1, length - 1] : [0, length];
  const limit = (value: Value, what: string, missing: number): number => {
    if (value === null) return missing;
    const index = toIndex(value, what);
    return Math.min(Math.max(index < 0 ? index + length : index, first), last);
  };
  const start = limit(low, "start index", reversed ? last : first);
  return [start, limit(high, "end index", reversed ? first : last)];
}
