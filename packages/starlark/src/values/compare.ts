import { fail } from "./error.ts";
import { spend } from "./budget.ts";
import { StarlarkBytes } from "./bytes.ts";
import { StarlarkDict, StarlarkSet } from "./dict.ts";
import { isNumber, StarlarkFloat } from "./float.ts";
import type { Int } from "./int.ts";
import { ElementSequence, StarlarkRange } from "./sequence.ts";
import { StarlarkObject, typeName, type Value } from "./value.ts";

/** The operators as tests of the sign of `x - y`, which is NaN for unequal values without an order. */
const tests = {
  "==": (sign: number): boolean => sign === 0,
  "!=": (sign: number): boolean => sign !== 0,
  "<": (sign: number): boolean => sign < 0,
  "<=": (sign: number): boolean => sign <= 0,
  ">": (sign: number): boolean => sign > 0,
  ">=": (sign: number): boolean => sign >= 0,
};

export type ComparisonOperator = keyof typeof tests;

export function isComparison(operator: string): operator is ComparisonOperator {
  return operator in tests;
}

/** How deep nested values are compared, as in starlark-go. */
const maxDepth = 10;

/** The result of a comparison. Fails for types that have no order. */
export function compareValues(operator: ComparisonOperator, x: Value, y: Value): boolean {
  return tests[operator](order(operator, x, y, maxDepth));
}

export function areEqual(x: Value, y: Value): boolean {
  return equalDeep(x, y, maxDepth);
}

function equalDeep(x: Value, y: Value, depth: number): boolean {
  if (x instanceof StarlarkObject || y instanceof StarlarkObject)
    return order("==", x, y, depth) === 0;
  if (typeof x === "string") spend(x.length >> 6);
  return x === y;
}

/** The sign of `x - y` for the operator. */
function order(operator: ComparisonOperator, x: Value, y: Value, depth: number): number {
  if (depth < 1) fail("comparison exceeded maximum recursion depth");
  spend(1);
  if (isNumber(x) && isNumber(y)) return orderNumbers(x, y);
  if (typeof x === "string" && typeof y === "string") return orderTexts(x, y);
  if (typeof x === "boolean" && typeof y === "boolean") return Number(x) - Number(y);
  if (x instanceof StarlarkBytes && y instanceof StarlarkBytes) return orderTexts(x.data, y.data);
  if (x instanceof StarlarkSet && y instanceof StarlarkSet) return orderSets(x, y);
  if (x instanceof ElementSequence && y instanceof ElementSequence && x.type === y.type)
    return orderSequences(operator, x.elements, y.elements, depth - 1);
  if (operator !== "==" && operator !== "!=")
    fail(`${typeName(x)} ${operator} ${typeName(y)} not implemented`);
  let isEqual = x === y;
  if (x instanceof StarlarkDict && y instanceof StarlarkDict) isEqual = equalDicts(x, y, depth - 1);
  if (x instanceof StarlarkRange && y instanceof StarlarkRange) isEqual = x.equals(y);
  return isEqual ? 0 : Number.NaN;
}

/** NaN is the greatest number, and equal to itself. JavaScript compares ints and floats of any size exactly. */
function orderNumbers(x: Int | StarlarkFloat, y: Int | StarlarkFloat): number {
  const left = x instanceof StarlarkFloat ? x.value : x;
  const right = y instanceof StarlarkFloat ? y.value : y;
  if (left < right) return -1;
  if (left > right) return 1;
  // oxlint-disable-next-line eqeqeq
  if (left == right) return 0;
  return Number(Number.isNaN(left)) - Number(Number.isNaN(right));
}

/** The order of bytes. */
export function orderTexts(x: string, y: string): number {
  spend(Math.min(x.length, y.length) >> 6);
  return x < y ? -1 : x > y ? 1 : 0;
}

/** A subset is less than the set. */
function orderSets(x: StarlarkSet, y: StarlarkSet): number {
  const isOrdered = x.length <= y.length ? x.isSubset(y) : y.isSubset(x);
  return isOrdered ? x.length - y.length : Number.NaN;
}

/** The order of the first elements that differ. Elements that only differ need no order to be unequal. */
function orderSequences(
  operator: ComparisonOperator,
  x: readonly Value[],
  y: readonly Value[],
  depth: number,
): number {
  const isEquality = operator === "==" || operator === "!=";
  if (isEquality && x.length !== y.length) return Number.NaN;
  const length = Math.min(x.length, y.length);
  spend(length >> 3);
  for (let index = 0; index < length; index++) {
    const left = x[index] as Value;
    const right = y[index] as Value;
    if (equalDeep(left, right, depth)) continue;
    return isEquality ? Number.NaN : order(operator, left, right, depth);
  }
  return x.length - y.length;
}

function equalDicts(x: StarlarkDict, y: StarlarkDict, depth: number): boolean {
  if (x.length !== y.length) return false;
  return x.entries().every(([key, value]) => {
    const other = y.get(key);
    return other !== undefined && equalDeep(value, other, depth);
  });
}
