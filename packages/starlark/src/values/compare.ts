import { fail } from "./error.ts";
import { spend } from "./budget.ts";
import { StarlarkBytes } from "./bytes.ts";
import { StarlarkDict, StarlarkSet } from "./dict.ts";
import { isNumber, StarlarkFloat } from "./float.ts";
import { type Int, isInt } from "./int.ts";
import { StarlarkList, StarlarkRange, StarlarkTuple } from "./sequence.ts";
import { typeName, type Value } from "./value.ts";

export type ComparisonOperator = "==" | "!=" | "<" | "<=" | ">" | ">=";

/** How deep nested values are compared, as in starlark-go. */
const maxDepth = 10;

/** The result of a comparison. Fails for types that have no order. */
export function compareValues(operator: ComparisonOperator, x: Value, y: Value): boolean {
  return compareDeep(operator, x, y, maxDepth);
}

export function areEqual(x: Value, y: Value): boolean {
  return equalDeep(x, y, maxDepth);
}

function equalDeep(x: Value, y: Value, depth: number): boolean {
  if (typeof x !== "object" || typeof y !== "object" || x === null || y === null) {
    if (x === y) return true;
    if (x instanceof StarlarkFloat) return isInt(y) && order(x, y) === 0;
    return y instanceof StarlarkFloat && isInt(x) && order(x, y) === 0;
  }
  return compareDeep("==", x, y, depth);
}

/** The sign of `x - y` for two numbers, of which NaN is the greatest. Exact for ints and floats of any size. */
function order(x: Int | StarlarkFloat, y: Int | StarlarkFloat): number {
  const left = x instanceof StarlarkFloat ? x.value : x;
  const right = y instanceof StarlarkFloat ? y.value : y;
  if (left < right) return -1;
  if (left > right) return 1;
  // JavaScript compares numbers and bigints exactly; == holds for mixed types.
  // oxlint-disable-next-line eqeqeq
  if (left == right) return 0;
  return Number.isNaN(left) ? (Number.isNaN(right) ? 0 : 1) : -1;
}

/** The operators as tests of the sign of `x - y`, which is NaN for values that have no order. */
const tests: Readonly<Record<ComparisonOperator, (sign: number) => boolean>> = {
  "==": (sign) => sign === 0,
  "!=": (sign) => sign !== 0,
  "<": (sign) => sign < 0,
  "<=": (sign) => sign <= 0,
  ">": (sign) => sign > 0,
  ">=": (sign) => sign >= 0,
};

function compareDeep(operator: ComparisonOperator, x: Value, y: Value, depth: number): boolean {
  if (depth < 1) fail("comparison exceeded maximum recursion depth");
  spend(1);
  const test = tests[operator];
  if (isNumber(x) && isNumber(y)) return test(order(x, y));
  if (typeof x === "string" && typeof y === "string") return test(orderTexts(x, y));
  if (typeof x === "boolean" && typeof y === "boolean") return test(Number(x) - Number(y));
  if (x instanceof StarlarkBytes && y instanceof StarlarkBytes)
    return test(orderTexts(x.data, y.data));
  if (x instanceof StarlarkSet && y instanceof StarlarkSet) return test(orderSets(x, y));
  if (
    (x instanceof StarlarkList && y instanceof StarlarkList) ||
    (x instanceof StarlarkTuple && y instanceof StarlarkTuple)
  )
    return compareSequences(operator, x.elements, y.elements, depth);
  if (operator !== "==" && operator !== "!=")
    return fail(`${typeName(x)} ${operator} ${typeName(y)} not implemented`);
  const equal =
    x instanceof StarlarkDict && y instanceof StarlarkDict
      ? equalDicts(x, y, depth)
      : x instanceof StarlarkRange && y instanceof StarlarkRange
        ? x.equals(y)
        : x === y;
  return equal === (operator === "==");
}

/** The sign of `x - y` for the order of bytes. */
export function orderTexts(x: string, y: string): number {
  return x < y ? -1 : x > y ? 1 : 0;
}

/** A subset is less than the set. */
function orderSets(x: StarlarkSet, y: StarlarkSet): number {
  const isOrdered = x.length <= y.length ? x.isSubset(y) : y.isSubset(x);
  return isOrdered ? x.length - y.length : Number.NaN;
}

function compareSequences(
  operator: ComparisonOperator,
  x: readonly Value[],
  y: readonly Value[],
  depth: number,
): boolean {
  const isEquality = operator === "==" || operator === "!=";
  if (isEquality && x.length !== y.length) return operator === "!=";
  const shared = Math.min(x.length, y.length);
  for (let index = 0; index < shared; index++) {
    const left = x[index] as Value;
    const right = y[index] as Value;
    if (equalDeep(left, right, depth - 1)) continue;
    return isEquality ? operator === "!=" : compareDeep(operator, left, right, depth - 1);
  }
  return tests[operator](x.length - y.length);
}

function equalDicts(x: StarlarkDict, y: StarlarkDict, depth: number): boolean {
  if (x.length !== y.length) return false;
  return x.entries().every(([key, value]) => {
    const other = y.get(key);
    return other !== undefined && equalDeep(value, other, depth - 1);
  });
}
