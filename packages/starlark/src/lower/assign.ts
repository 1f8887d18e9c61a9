import { getAttribute, setAttribute } from "../lib/attributes.ts";
import { machine } from "../run/machine.ts";
import { type Expression, type Statement, withoutParentheses } from "../syntax/ast.ts";
import type { Slot } from "../values/function.ts";
import { addInts } from "../values/int.ts";
import { addInPlace, setItem, unionInPlace } from "../values/operators.ts";
import { toItems, toLength, typeName, type Value } from "../values/value.ts";
import { lowerBinary, lowerIndex, lowerRemainder } from "./arithmetic.ts";
import { type Evaluate, failAt, readSlot, type Run, type Store } from "./assembler.ts";
import { type FunctionContext, localSlot } from "./context.ts";

/** A variable, an element or a field, as it is read and assigned. */
interface Reference {
  readonly read: Evaluate;
  readonly write: Store;
}

/** The target of an assignment. With `isTwice`, the parts that it is computed from are stored, so that they are computed once. */
function lowerReference(
  context: FunctionContext,
  expression: Expression,
  isTwice = false,
): Reference {
  // An expression cannot assign a local variable.
  const hold = (part: Evaluate, source: Expression): Evaluate =>
    isTwice && localSlot(source) === undefined ? context.store(part, expression.start) : part;
  const target = withoutParentheses(expression);
  switch (target.kind) {
    case "name":
      return { read: context.read(target), write: context.write(target) };
    case "index": {
      const parts = [target.object, target.index] as const;
      const operands = context.operands(parts) as [Evaluate, Evaluate];
      const [object, key] = [hold(operands[0], parts[0]), hold(operands[1], parts[1])];
      const { at } = target;
      return {
        read: lowerIndex(object, key, at),
        write: (slots, value) => {
          const container = object(slots);
          const index = key(slots);
          machine.site = at;
          setItem(container, index, value);
        },
      };
    }
    case "dot": {
      const object = hold(context.lower(target.object), target.object);
      const { name, at } = target;
      return {
        read: lowerAttribute(object, name, at),
        write: (slots, value) => {
          const container = object(slots);
          machine.site = at;
          setAttribute(container, name, value);
        },
      };
    }
    default:
      throw new TypeError(`a ${target.kind} cannot be assigned`);
  }
}

/** The closure of `object.name`. */
export function lowerAttribute(object: Evaluate, name: string, site: number): Evaluate {
  return (slots) => {
    const value = object(slots);
    machine.site = site;
    return getAttribute(value, name);
  };
}

/**
 * Adds the operations that assign a value to a target. `site` is the place of the assignment, `source` the expression of
 * the value, if it has one.
 */
export function lowerAssignment(
  context: FunctionContext,
  expression: Expression,
  value: Evaluate,
  site: number,
  source?: Expression,
): void {
  const { assembler } = context;
  const target = withoutParentheses(expression);
  const variable = localSlot(target);
  if (variable !== undefined) assembler.effect(site, lowerVariable(variable, value, source));
  else if (target.kind === "tuple" || target.kind === "list") {
    const variables = target.items.flatMap((item) => localSlot(item) ?? []);
    // The other targets may depend on the variables before them: they are assigned one after the other.
    const isSimple = variables.length === target.items.length;
    const slots = isSimple ? variables : target.items.map(() => context.temporary());
    assembler.effect(site, (frame) => unpack(value(frame), frame, slots, site));
    if (isSimple) return;
    for (const [index, item] of target.items.entries())
      lowerAssignment(context, item, readSlot(slots[index] as number), site);
  } else {
    const { result, items } = assembler.capture(() => lowerReference(context, target));
    const assigned = items.length > 0 ? context.store(value, site) : value;
    assembler.append(items);
    const { write } = result;
    assembler.effect(site, (slots) => void write(slots, assigned(slots)));
  }
}

/** The effect that assigns a local variable. `value` reports that another variable has no value. */
function lowerVariable(variable: number, value: Evaluate, source?: Expression): Run {
  const copied = source && localSlot(source);
  if (copied !== undefined) {
    return (slots) => {
      const current = slots[copied];
      slots[variable] = current === undefined ? value(slots) : current;
    };
  }
  const remainder = source && lowerRemainder(variable, source, value);
  if (remainder !== undefined) return remainder;
  return (slots) => {
    slots[variable] = value(slots);
  };
}

/** Stores the items of a sequence that is assigned to several targets. */
function unpack(value: Value, frame: Slot[], slots: readonly number[], site: number): undefined {
  machine.site = site;
  const items = toItems(value) ?? failAt(site, `got ${typeName(value)} in sequence assignment`);
  const want = slots.length;
  if (items.length > want) {
    const got = toLength(value) ?? items.length;
    failAt(site, `too many values to unpack (got ${got}, want ${want})`);
  }
  if (items.length < want)
    failAt(site, `too few values to unpack (got ${items.length}, want ${want})`);
  for (let index = 0; index < want; index++) frame[slots[index] as number] = items[index];
}

/** Adds the operations of `target operator= value`. The target is computed once; lists and dicts change in place. */
export function lowerAugmentedAssignment(
  context: FunctionContext,
  statement: Statement<"assign">,
): void {
  const operator = statement.operator.slice(0, -1);
  const { at, value, start } = statement;
  const { assembler } = context;
  const target = withoutParentheses(statement.target);
  const { read, write } = lowerReference(context, target, true);
  const { result: operand, items } = context.capture(value);
  const current = items.length > 0 ? context.store(read, start) : read;
  assembler.append(items);
  const combined =
    operator === "+" || operator === "|"
      ? combineInPlace(operator, current, operand, at)
      : lowerBinary(operator, current, operand, at);
  const variable = localSlot(target);
  if (variable !== undefined) context.storeInto(variable, combined, start);
  else assembler.effect(start, (slots) => void write(slots, combined(slots)));
}

function combineInPlace(
  operator: "+" | "|",
  current: Evaluate,
  operand: Evaluate,
  site: number,
): Evaluate {
  const apply = operator === "+" ? addInPlace : unionInPlace;
  return (slots) => {
    const x = current(slots);
    const y = operand(slots);
    if (operator === "+" && typeof x === "number" && typeof y === "number") return addInts(x, y);
    machine.site = site;
    return apply(x, y);
  };
}
