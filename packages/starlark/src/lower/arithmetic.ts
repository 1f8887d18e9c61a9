import { machine } from "../run/machine.ts";
import { type Expression, withoutParentheses } from "../syntax/ast.ts";
import type { Slot } from "../values/function.ts";
import { toOperator } from "../values/operators.ts";
import { getItem } from "../values/subscript.ts";
import type { Value } from "../values/value.ts";
import { localSlot, toConstant } from "./context.ts";
import type { Evaluate } from "./evaluate.ts";

/** The closure of a binary operator, special for small ints. */
export function lowerBinary(
  operator: string,
  left: Evaluate,
  right: Evaluate,
  site: number,
): Evaluate {
  const apply = toOperator(operator);
  if (operator === "+") {
    // The most frequent operator has a closure of its own, which V8 makes special for it.
    return (slots) => {
      const a = left(slots);
      const b = right(slots);
      const sum = typeof a === "number" && typeof b === "number" ? toSmall(a + b) : undefined;
      if (sum !== undefined) return sum;
      machine.site = site;
      return apply(a, b);
    };
  }
  return (slots) => {
    const a = left(slots);
    const b = right(slots);
    if (typeof a === "number" && typeof b === "number") {
      const result = applySmall(operator, a, b);
      if (result !== undefined) return result;
    }
    machine.site = site;
    return apply(a, b);
  };
}

/** The statement `variable = (first + second) % constant` as one closure; `value` computes other remainders. */
export function lowerRemainder(
  variable: number,
  expression: Expression,
  value: Evaluate,
): ((slots: Slot[]) => undefined) | undefined {
  if (expression.kind !== "binary" || expression.operator !== "%") return undefined;
  const sum = withoutParentheses(expression.left);
  if (sum.kind !== "binary" || sum.operator !== "+") return undefined;
  const [first, second] = [localSlot(sum.left), localSlot(sum.right)];
  const constant = toConstant(expression.right);
  if (first === undefined || second === undefined || !constant) return undefined;
  return (slots) => {
    const a = slots[first];
    const b = slots[second];
    const dividend = typeof a === "number" && typeof b === "number" ? a + b : -1;
    slots[variable] =
      dividend >= 0 && dividend <= Number.MAX_SAFE_INTEGER ? dividend % constant : value(slots);
  };
}

/** The result for two small ints; `undefined` if it needs more care. */
function applySmall(operator: string, a: number, b: number): Value | undefined {
  switch (operator) {
    case "-":
      return toSmall(a - b);
    case "*":
      return toSmall(a * b + 0);
    case "%":
      return b > 0 && a >= 0 ? a % b : undefined;
    case "//":
      return b > 0 && a >= 0 ? (a - (a % b)) / b : undefined;
    case "<":
      return a < b;
    case "<=":
      return a <= b;
    case ">":
      return a > b;
    case ">=":
      return a >= b;
    case "==":
      return a === b;
    case "!=":
      return a !== b;
    default:
      return undefined;
  }
}

function toSmall(result: number): number | undefined {
  return result <= Number.MAX_SAFE_INTEGER && result >= -Number.MAX_SAFE_INTEGER
    ? result
    : undefined;
}

/** The closure of `x[y]`. */
export function lowerIndex(object: Evaluate, index: Evaluate, site: number): Evaluate {
  return (slots) => {
    const target = object(slots);
    const key = index(slots);
    machine.site = site;
    return getItem(target, key);
  };
}
