import { addInts } from "../values/int.ts";
import { StarlarkList } from "../values/list.ts";
import { StarlarkDict } from "../values/dict.ts";
import type { Slot } from "../values/function.ts";
import { applyBinary } from "../values/operators.ts";
import type { Value } from "../values/value.ts";
import { binaryAt, getItemAt } from "./evaluate.ts";
import type { Evaluate } from "./evaluate.ts";

const max = Number.MAX_SAFE_INTEGER;

/** An operand: how it is computed, and its slot or its constant if it is that simple. */
export interface Operand {
  readonly evaluate: Evaluate;
  /** The slot of a variable that always has a value or is checked by `evaluate`. */
  readonly slot?: number;
  /** A constant int. */
  readonly constant?: number;
}

type Builder = (x: Operand, y: Operand, site: number) => Evaluate;

/** The closure of a binary operator, special for small ints in variables and constants. */
export function lowerBinary(operator: string, x: Operand, y: Operand, site: number): Evaluate {
  const folded = foldConstants(operator, x, y);
  if (folded !== undefined) return () => folded;
  const build = builders[operator];
  if (build !== undefined) return build(x, y, site);
  const { evaluate: left } = x;
  const { evaluate: right } = y;
  return (slots) => binaryAt(operator, left(slots), right(slots), site);
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

/**
 * Each builder has three forms: any operands, a variable and a constant, two variables. The operands of a special form have
 * no effects, so that the slow path computes them again.
 */
const builders: Readonly<Record<string, Builder>> = {
  "+": (x, y, site) => {
    const [left, right] = [x.evaluate, y.evaluate];
    const slow = (slots: Slot[]): Value => binaryAt("+", left(slots), right(slots), site);
    if (x.slot !== undefined && y.constant !== undefined) {
      const [slot, constant] = [x.slot, y.constant];
      return (slots) => {
        const a = slots[slot];
        if (typeof a === "number") {
          const sum = a + constant;
          if (sum <= max && sum >= -max) return sum;
        }
        return slow(slots);
      };
    }
    if (x.slot !== undefined && y.slot !== undefined) {
      const [first, second] = [x.slot, y.slot];
      return (slots) => {
        const a = slots[first];
        const b = slots[second];
        if (typeof a === "number" && typeof b === "number") {
          const sum = a + b;
          if (sum <= max && sum >= -max) return sum;
        }
        return slow(slots);
      };
    }
    return (slots) => {
      const a = left(slots);
      const b = right(slots);
      return typeof a === "number" && typeof b === "number"
        ? addInts(a, b)
        : binaryAt("+", a, b, site);
    };
  },
  "-": (x, y, site) => {
    const [left, right] = [x.evaluate, y.evaluate];
    return (slots) => {
      const a = left(slots);
      const b = right(slots);
      if (typeof a === "number" && typeof b === "number") {
        const difference = a - b;
        if (difference <= max && difference >= -max) return difference;
      }
      return binaryAt("-", a, b, site);
    };
  },
  "*": (x, y, site) => {
    const [left, right] = [x.evaluate, y.evaluate];
    return (slots) => {
      const a = left(slots);
      const b = right(slots);
      if (typeof a === "number" && typeof b === "number") {
        const product = a * b;
        if (product <= max && product >= -max) return product + 0;
      }
      return binaryAt("*", a, b, site);
    };
  },
  "//": (x, y, site) => {
    const [left, right] = [x.evaluate, y.evaluate];
    return (slots) => {
      const a = left(slots);
      const b = right(slots);
      if (typeof a === "number" && typeof b === "number" && b > 0 && a >= 0)
        return (a - (a % b)) / b;
      return binaryAt("//", a, b, site);
    };
  },
  "%": (x, y, site) => {
    const [left, right] = [x.evaluate, y.evaluate];
    if (y.constant !== undefined && y.constant > 0) {
      const { constant } = y;
      return (slots) => {
        const a = left(slots);
        return typeof a === "number" && a >= 0 ? a % constant : binaryAt("%", a, constant, site);
      };
    }
    return (slots) => {
      const a = left(slots);
      const b = right(slots);
      if (typeof a === "number" && typeof b === "number" && b > 0 && a >= 0) return a % b;
      return binaryAt("%", a, b, site);
    };
  },
  "<": (x, y, site) => {
    const [left, right] = [x.evaluate, y.evaluate];
    if (x.slot !== undefined && y.slot !== undefined) {
      const [first, second] = [x.slot, y.slot];
      return (slots) => {
        const a = slots[first];
        const b = slots[second];
        if (typeof a === "number" && typeof b === "number") return a < b;
        return binaryAt("<", left(slots), right(slots), site);
      };
    }
    return (slots) => {
      const a = left(slots);
      const b = right(slots);
      return typeof a === "number" && typeof b === "number" ? a < b : binaryAt("<", a, b, site);
    };
  },
  "<=": (x, y, site) => {
    const [left, right] = [x.evaluate, y.evaluate];
    return (slots) => {
      const a = left(slots);
      const b = right(slots);
      return typeof a === "number" && typeof b === "number" ? a <= b : binaryAt("<=", a, b, site);
    };
  },
  ">": (x, y, site) => {
    const [left, right] = [x.evaluate, y.evaluate];
    return (slots) => {
      const a = left(slots);
      const b = right(slots);
      return typeof a === "number" && typeof b === "number" ? a > b : binaryAt(">", a, b, site);
    };
  },
  ">=": (x, y, site) => {
    const [left, right] = [x.evaluate, y.evaluate];
    return (slots) => {
      const a = left(slots);
      const b = right(slots);
      return typeof a === "number" && typeof b === "number" ? a >= b : binaryAt(">=", a, b, site);
    };
  },
  "==": (x, y, site) => {
    const [left, right] = [x.evaluate, y.evaluate];
    return (slots) => {
      const a = left(slots);
      const b = right(slots);
      return isPlain(a) && isPlain(b) ? a === b : binaryAt("==", a, b, site);
    };
  },
  "!=": (x, y, site) => {
    const [left, right] = [x.evaluate, y.evaluate];
    return (slots) => {
      const a = left(slots);
      const b = right(slots);
      return isPlain(a) && isPlain(b) ? a !== b : binaryAt("!=", a, b, site);
    };
  },
};

function isPlain(value: Value): boolean {
  return typeof value === "number" || typeof value === "string";
}

/** The closure of `x[y]`. */
export function lowerIndex(x: Operand, y: Operand, site: number): Evaluate {
  const [object, index] = [x.evaluate, y.evaluate];
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
    return getItemAt(target, key, site);
  };
}
