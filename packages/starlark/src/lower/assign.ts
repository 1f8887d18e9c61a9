import type { AssignStatement, Expression } from "../syntax/ast.ts";
import { withoutParentheses } from "../syntax/ast.ts";
import type { Slot } from "../values/function.ts";
import { addInPlace, unionInPlace } from "../values/operators.ts";
import type { Value } from "../values/value.ts";
import { lowerBinary } from "./arithmetic.ts";
import type { FunctionContext } from "./context.ts";
import {
  binaryAt,
  getAttributeAt,
  getItemAt,
  setAttributeAt,
  setItemAt,
  unpackAt,
  withSite,
} from "./evaluate.ts";
import type { Evaluate } from "./evaluate.ts";
import { canSuspend } from "./suspension.ts";

/** Assigns a value to a target. */
export type Store = (slots: Slot[], value: Value) => void;

/** How a target is assigned; `undefined` if that can be suspended. `site` is the place of the assignment. */
export function lowerStore(
  context: FunctionContext,
  expression: Expression,
  site: number,
): Store | undefined {
  const target = withoutParentheses(expression);
  switch (target.kind) {
    case "name":
      return context.write(target);
    case "tuple":
    case "list": {
      const stores = target.items.map((item) => lowerStore(context, item, site));
      if (stores.includes(undefined)) return undefined;
      const all = stores as Store[];
      return (slots, value) => {
        const items = unpackAt(value, all.length, site);
        for (let index = 0; index < all.length; index++)
          (all[index] as Store)(slots, items[index] as Value);
      };
    }
    case "index": {
      if (canSuspend(target)) return undefined;
      const [object, key] = [context.lower(target.object), context.lower(target.index)];
      const { at } = target;
      return (slots, value) => setItemAt(object(slots), key(slots), value, at);
    }
    case "dot": {
      if (canSuspend(target)) return undefined;
      const object = context.lower(target.object);
      const { name, at } = target;
      return (slots, value) => setAttributeAt(object(slots), name, value, at);
    }
    default:
      throw new TypeError(`a ${target.kind} cannot be assigned`);
  }
}

/** Adds the operations that assign a value to a target. `source` is the slot of the value, if it is a variable. */
export function lowerAssignment(
  context: FunctionContext,
  target: Expression,
  value: Evaluate,
  site: number,
  source?: number,
): void {
  const inner = withoutParentheses(target);
  if (inner.kind === "name" && inner.binding?.scope === "local") {
    const slot = inner.binding.index;
    if (source !== undefined) {
      // A copy of a variable: `value` reports that it has no value.
      context.assembler.effect(site, (slots) => {
        const copied = slots[source];
        slots[slot] = copied === undefined ? value(slots) : copied;
      });
      return;
    }
    context.assembler.effect(site, (slots) => {
      slots[slot] = value(slots);
    });
    return;
  }
  const store = lowerStore(context, target, site);
  if (store !== undefined) {
    context.assembler.effect(site, (slots) => store(slots, value(slots)));
    return;
  }
  const stored = context.store(value, site);
  if (inner.kind === "tuple" || inner.kind === "list") {
    const slots = inner.items.map(() => context.temporary());
    context.assembler.effect(site, (frame) => {
      const items = unpackAt(stored(frame), slots.length, site);
      for (const [index, slot] of slots.entries()) frame[slot] = items[index];
    });
    for (const [index, item] of inner.items.entries()) {
      const slot = slots[index] as number;
      lowerAssignment(context, item, (frame) => frame[slot] as Value, site);
    }
  } else if (inner.kind === "index") {
    const [object, key] = context.operands([inner.object, inner.index]) as [Evaluate, Evaluate];
    context.assembler.effect(inner.at, (slots) =>
      setItemAt(object(slots), key(slots), stored(slots), inner.at),
    );
  } else if (inner.kind === "dot") {
    const object = context.lower(inner.object);
    context.assembler.effect(inner.at, (slots) =>
      setAttributeAt(object(slots), inner.name, stored(slots), inner.at),
    );
  }
}

/** The operator of an augmented assignment: lists and dicts change in place. */
function augmentAt(operator: string, site: number): (x: Value, y: Value) => Value {
  if (operator !== "+" && operator !== "|") return (x, y) => binaryAt(operator, x, y, site);
  const apply = operator === "+" ? addInPlace : unionInPlace;
  return (x, y) => {
    try {
      return apply(x, y);
    } catch (error) {
      throw withSite(error, site);
    }
  };
}

/** Adds the operations of `target operator= value`. The target is computed once. */
export function lowerAugmentedAssignment(
  context: FunctionContext,
  statement: AssignStatement,
): void {
  const operator = statement.operator.slice(0, -1);
  const { at, value, start } = statement;
  const target = withoutParentheses(statement.target);
  const combine = augmentAt(operator, at);
  const { assembler } = context;
  if (target.kind === "name") {
    const store = context.write(target);
    const [current, operand] = context.operands([target, value]) as [Evaluate, Evaluate];
    const compute =
      operator === "+" || operator === "|"
        ? undefined
        : lowerBinary(operator, { evaluate: current }, context.operand(value, operand), at);
    if (compute !== undefined) assembler.effect(start, (slots) => store(slots, compute(slots)));
    else if (operator === "+")
      assembler.effect(start, addTo(context, target, { current, operand, store, combine }));
    else assembler.effect(start, (slots) => store(slots, combine(current(slots), operand(slots))));
    return;
  }
  if (target.kind === "index") {
    const [object, key] = context
      .operands([target.object, target.index])
      .map((evaluate) => context.store(evaluate, start)) as [Evaluate, Evaluate];
    const read: Evaluate = (slots) => getItemAt(object(slots), key(slots), target.at);
    const current = canSuspend(value) ? context.store(read, target.at) : read;
    const operand = context.lower(value);
    assembler.effect(start, (slots) => {
      const result = combine(current(slots), operand(slots));
      setItemAt(object(slots), key(slots), result, target.at);
    });
  } else if (target.kind === "dot") {
    const object = context.store(context.lower(target.object), start);
    const read: Evaluate = (slots) => getAttributeAt(object(slots), target.name, target.at);
    const current = canSuspend(value) ? context.store(read, target.at) : read;
    const operand = context.lower(value);
    assembler.effect(start, (slots) => {
      const result = combine(current(slots), operand(slots));
      setAttributeAt(object(slots), target.name, result, target.at);
    });
  }
}

const max = Number.MAX_SAFE_INTEGER;

/** `name += value`, fast for small ints. */
function addTo(
  context: FunctionContext,
  target: Expression,
  parts: {
    readonly current: Evaluate;
    readonly operand: Evaluate;
    readonly store: Store;
    readonly combine: (x: Value, y: Value) => Value;
  },
): (slots: Slot[]) => void {
  const { current, operand, store, combine } = parts;
  const { slot } = context.operand(target, current);
  return (slots) => {
    const x = current(slots);
    const y = operand(slots);
    if (typeof x === "number" && typeof y === "number") {
      const sum = x + y;
      if (sum <= max && sum >= -max) {
        if (slot === undefined) store(slots, sum);
        else slots[slot] = sum;
        return;
      }
    }
    store(slots, combine(x, y));
  };
}
