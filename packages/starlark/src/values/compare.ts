import { fail } from "./error.ts";
import { spend } from "./budget.ts";
import { StarlarkBytes } from "./bytes.ts";
import { StarlarkDict, StarlarkSet } from "./dict.ts";
import { StarlarkFloat } from "./float.ts";
import { isInt } from "./int.ts";
import type { Int } from "./int.ts";
import { StarlarkList } from "./list.ts";
import { StarlarkRange } from "./range.ts";
import { StarlarkTuple } from "./tuple.ts";
import { typeName } from "./value.ts";
import type { Value } from "./value.ts";

export type ComparisonOperator = "==" | "!=" | "<" | "<=" | ">" | ">=";

/** How deep nested values are compared, as in starlark-go. */
const maxDepth = 10;

/** The result of a comparison. Fails for types that have no order. */
export function compareValues(operator: ComparisonOperator, x: Value, y: Value): boolean {
  return compareDeep(operator, x, y, maxDepth);
}

/** Whether two values are equal. */
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

function fromOrder(operator: ComparisonOperator, sign: number): boolean {
  switch (operator) {
    case "==":
      return sign === 0;
    case "!=":
      return sign !== 0;
    case "<":
      return sign < 0;
    case "<=":
      return sign <= 0;
    case ">":
      return sign > 0;
    default:
      return sign >= 0;
  }
}

function compareDeep(operator: ComparisonOperator, x: Value, y: Value, depth: number): boolean {
  if (depth < 1) fail("comparison exceeded maximum recursion depth");
  spend(1);
  if (isNumber(x) && isNumber(y)) return fromOrder(operator, order(x, y));
  if (typeof x === "string" && typeof y === "string")
    return fromOrder(operator, x < y ? -1 : x > y ? 1 : 0);
  if (typeof x === "boolean" && typeof y === "boolean")
    return fromOrder(operator, Number(x) - Number(y));
  if (typeof x === "object" && typeof y === "object" && x !== null && y !== null) {
    const result = compareObjects(operator, x, y, depth);
    if (result !== undefined) return result;
  }
  if (operator === "==") return x === y;
  if (operator === "!=") return x !== y;
  return fail(`${typeName(x)} ${operator} ${typeName(y)} not implemented`);
}

function isNumber(value: Value): value is Int | StarlarkFloat {
  return isInt(value) || value instanceof StarlarkFloat;
}

function compareObjects(
  operator: ComparisonOperator,
  x: object,
  y: object,
  depth: number,
): boolean | undefined {
  if (x instanceof StarlarkList && y instanceof StarlarkList) {
    return compareSequences(operator, x.elements, y.elements, depth);
  }
  if (x instanceof StarlarkTuple && y instanceof StarlarkTuple) {
    return compareSequences(operator, x.elements, y.elements, depth);
  }
  if (x instanceof StarlarkBytes && y instanceof StarlarkBytes) {
    return fromOrder(operator, x.data < y.data ? -1 : x.data > y.data ? 1 : 0);
  }
  if (x instanceof StarlarkSet && y instanceof StarlarkSet) return compareSets(operator, x, y);
  if (operator !== "==" && operator !== "!=") return undefined;
  if (x instanceof StarlarkDict && y instanceof StarlarkDict)
    return equalDicts(x, y, depth) === (operator === "==");
  if (x instanceof StarlarkRange && y instanceof StarlarkRange)
    return x.equals(y) === (operator === "==");
  return undefined;
}

function compareSequences(
  operator: ComparisonOperator,
  x: readonly Value[],
  y: readonly Value[],
  depth: number,
): boolean {
  const equality = operator === "==" || operator === "!=";
  if (equality && x.length !== y.length) return operator === "!=";
  const shared = Math.min(x.length, y.length);
  for (let index = 0; index < shared; index++) {
    const left = x[index] as Value;
    const right = y[index] as Value;
    if (!equalDeep(left, right, depth - 1)) {
      if (equality) return operator === "!=";
      return compareDeep(operator, left, right, depth - 1);
    }
  }
  return fromOrder(operator, x.length - y.length);
}

function equalDicts(x: StarlarkDict, y: StarlarkDict, depth: number): boolean {
  if (x.length !== y.length) return false;
  for (const [key, value] of x.hashedEntries()) {
    const other = y.getHashed(key);
    if (other === undefined || !equalDeep(value, other, depth - 1)) return false;
  }
  return true;
}

function compareSets(operator: ComparisonOperator, x: StarlarkSet, y: StarlarkSet): boolean {
  switch (operator) {
    case "==":
      return x.length === y.length && x.isSubset(y);
    case "!=":
      return x.length !== y.length || !x.isSubset(y);
    case "<":
      return x.length < y.length && x.isSubset(y);
    case "<=":
      return x.isSubset(y);
    case ">":
      return y.length < x.length && y.isSubset(x);
    default:
      return y.isSubset(x);
  }
}
