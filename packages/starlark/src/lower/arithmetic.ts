import { machine } from "../run/machine.ts";
import { type Expression, withoutParentheses } from "../syntax/ast.ts";
import type { Value } from "../values/value.ts";
import type { Evaluate, Run } from "./assembler.ts";
import { localSlot } from "./context.ts";

/** The closure of a binary operator, special for small ints. */
export function lowerBinary(
  operator: string,
  left: Evaluate,
  right: Evaluate,
  site: number,
  apply: (x: Value, y: Value) => Value,
): Evaluate {
  const onSmall = smallOperators[operator];
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
    if (onSmall !== undefined && typeof a === "number" && typeof b === "number") {
      const result = onSmall(a, b);
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
): Run | undefined {
  if (expression.kind !== "binary" || expression.operator !== "%") return undefined;
  const sum = withoutParentheses(expression.left);
  const { right } = expression;
  if (sum.kind !== "binary" || sum.operator !== "+" || right.kind !== "literal") return undefined;
  const [first, second] = [localSlot(sum.left), localSlot(sum.right)];
  const constant = right.value;
  if (first === undefined || second === undefined || typeof constant !== "number" || !constant)
    return undefined;
  return (slots) => {
    const a = slots[first];
    const b = slots[second];
    const dividend = typeof a === "number" && typeof b === "number" ? a + b : -1;
    slots[variable] =
      dividend >= 0 && dividend <= Number.MAX_SAFE_INTEGER ? dividend % constant : value(slots);
  };
}

/** The results for two small ints; `undefined` if they need more care. */
const smallOperators: Readonly<Record<string, (a: number, b: number) => Value | undefined>> = {
  "+": (a, b) => toSmall(a + b),
  "-": (a, b) => toSmall(a - b),
  "*": (a, b) => toSmall(a * b + 0),
  "%": (a, b) => (b > 0 && a >= 0 ? a % b : undefined),
  "//": (a, b) => (b > 0 && a >= 0 ? (a - (a % b)) / b : undefined),
  "<": (a, b) => a < b,
  "<=": (a, b) => a <= b,
  ">": (a, b) => a > b,
  ">=": (a, b) => a >= b,
  "==": (a, b) => a === b,
  "!=": (a, b) => a !== b,
};

function toSmall(result: number): number | undefined {
  return result <= Number.MAX_SAFE_INTEGER && result >= -Number.MAX_SAFE_INTEGER
    ? result
    : undefined;
}
