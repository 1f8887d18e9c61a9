import { StarlarkDict } from "../values/dict.ts";
import type { Slot } from "../values/function.ts";
import { StarlarkList } from "../values/list.ts";
import { applyBinary } from "../values/operators.ts";
import { getItem } from "../values/subscript.ts";
import type { Value } from "../values/value.ts";
import { machine } from "../run/machine.ts";
import type { Operand } from "./context.ts";
import { binaryAt } from "./evaluate.ts";
import type { Evaluate } from "./evaluate.ts";

const max = Number.MAX_SAFE_INTEGER;

/** The closure of a binary operator, special for small ints. */
export function lowerBinary(operator: string, x: Operand, y: Operand, site: number): Evaluate {
  const folded = foldConstants(operator, x, y);
  if (folded !== undefined) return () => folded;
  const { evaluate: left } = x;
  const { evaluate: right } = y;
  switch (operator) {
    case "+":
      return lowerSum(x, y, site);
    case "-":
      return (slots) => {
        const a = left(slots);
        const b = right(slots);
        if (typeof a === "number" && typeof b === "number") {
          const difference = a - b;
          if (difference <= max && difference >= -max) return difference;
        }
        return binaryAt("-", a, b, site);
      };
    case "*":
      return (slots) => {
        const a = left(slots);
        const b = right(slots);
        if (typeof a === "number" && typeof b === "number") {
          const product = a * b;
          if (product <= max && product >= -max) return product + 0;
        }
        return binaryAt("*", a, b, site);
      };
    case "%":
      return (slots) => {
        const a = left(slots);
        const b = right(slots);
        if (typeof a === "number" && typeof b === "number" && b > 0 && a >= 0) return a % b;
        return binaryAt("%", a, b, site);
      };
    case "<":
    case "<=":
    case ">":
    case ">=":
      return (slots) => {
        const a = left(slots);
        const b = right(slots);
        return typeof a === "number" && typeof b === "number"
          ? isOrdered(operator, a, b)
          : binaryAt(operator, a, b, site);
      };
    case "==":
    case "!=":
      return (slots) => {
        const a = left(slots);
        const b = right(slots);
        return isPlain(a) && isPlain(b)
          ? (a === b) === (operator === "==")
          : binaryAt(operator, a, b, site);
      };
    default:
      return (slots) => binaryAt(operator, left(slots), right(slots), site);
  }
}

/** The result for two constant ints. An operation that fails is left to the time when it runs. */
function foldConstants(operator: string, x: Operand, y: Operand): Value | undefined {
  if (x.constant === undefined || y.constant === undefined) return undefined;
  try {
    return applyBinary(operator, x.constant, y.constant);
  } catch {
    return undefined;
  }
}

function lowerSum(x: Operand, y: Operand, site: number): Evaluate {
  const { evaluate: left, slot } = x;
  const { evaluate: right, constant } = y;
  if (slot !== undefined && constant !== undefined) {
    return (slots) => {
      const a = slots[slot];
      if (typeof a === "number") {
        const sum = a + constant;
        if (sum <= max && sum >= -max) return sum;
      }
      return binaryAt("+", left(slots), constant, site);
    };
  }
  return (slots) => {
    const a = left(slots);
    const b = right(slots);
    if (typeof a === "number" && typeof b === "number") {
      const sum = a + b;
      if (sum <= max && sum >= -max) return sum;
    }
    return binaryAt("+", a, b, site);
  };
}

function isOrdered(operator: "<" | "<=" | ">" | ">=", a: number, b: number): boolean {
  switch (operator) {
    case "<":
      return a < b;
    case "<=":
      return a <= b;
    case ">":
      return a > b;
    case ">=":
      return a >= b;
  }
}

function isPlain(value: Value): boolean {
  return typeof value === "number" || typeof value === "string";
}

/** The closure of `x[y]`. */
export function lowerIndex(object: Evaluate, index: Evaluate, site: number): Evaluate {
  return (slots) => {
    const target = object(slots);
    const key = index(slots);
    if (target instanceof StarlarkList && typeof key === "number") {
      const element = target.elements[key];
      if (element !== undefined) return element;
    } else if (target instanceof StarlarkDict && typeof key === "string") {
      const value = target.get(key);
      if (value !== undefined) return value;
    }
    machine.site = site;
    return getItem(target, key);
  };
}
