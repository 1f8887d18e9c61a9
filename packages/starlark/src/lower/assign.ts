import { getAttribute, setAttribute } from "../lib/attributes.ts";
import { machine } from "../run/machine.ts";
import { type Expression, type Statement, withoutParentheses } from "../syntax/ast.ts";
import { addInPlace, getItem, setItem, toOperator, unionInPlace } from "../values/operators.ts";
import { toItems, toLength, typeName, type Value } from "../values/value.ts";
import { lowerBinary, lowerRemainder } from "./arithmetic.ts";
import { type Evaluate, failAt, readSlot, type Store } from "./assembler.ts";
import { type FunctionContext, localSlot } from "./context.ts";

/** A name, `x[y]` or `x.name`, as it is read and assigned. With `isTwice`, the values of `x` and `y` are stored, so that they are computed once. */
export function lowerReference(
  context: FunctionContext,
  target: Expression,
  isTwice = false,
): { readonly read: Evaluate; readonly write: Store } {
  if (target.kind === "name") return { read: context.read(target), write: context.write(target) };
  if (target.kind !== "index" && target.kind !== "dot")
    throw new TypeError(`a ${target.kind} cannot be assigned`);
  const { at, start } = target;
  const isIndex = target.kind === "index";
  const parts = [target.object, isIndex ? target.index : undefined];
  const [object, key] = context.operands(parts).map((operand, index) => {
    const part = parts[index];
    // An expression cannot assign a local variable.
    const isStored = isTwice && part !== undefined && localSlot(part) === undefined;
    return isStored ? context.store(operand, start) : operand;
  }) as [Evaluate, Evaluate];
  const get = isIndex ? getItem : (from: Value): Value => getAttribute(from, target.name);
  const set = isIndex
    ? setItem
    : (to: Value, _: Value, value: Value): void => setAttribute(to, target.name, value);
  return {
    read: (slots) => {
      const container = object(slots);
      const index = key(slots);
      machine.site = at;
      return get(container, index);
    },
    write: (slots, value) => {
      const container = object(slots);
      const index = key(slots);
      machine.site = at;
      set(container, index, value);
    },
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
  const target = withoutParentheses(expression);
  const variable = localSlot(target);
  if (variable !== undefined) {
    const remainder = source && lowerRemainder(variable, source, value);
    if (remainder === undefined) context.storeInto(variable, value, site);
    else context.effect(site, remainder);
  } else if (target.kind === "tuple" || target.kind === "list") {
    const slots = target.items.map(() => context.temporary());
    context.effect(site, (frame) => {
      const items = unpack(value(frame), slots.length, site);
      for (const [index, slot] of slots.entries()) frame[slot] = items[index];
    });
    for (const [index, item] of target.items.entries())
      lowerAssignment(context, item, readSlot(slots[index] as number), site);
  } else {
    const reference = context.capture(() => lowerReference(context, target));
    const [assigned, { write }] = context.appendAfter(value, reference, site);
    context.effect(site, (slots) => write(slots, assigned(slots)));
  }
}

/** The items of a sequence that is assigned to several targets. */
function unpack(value: Value, want: number, site: number): readonly Value[] {
  machine.site = site;
  const items = toItems(value) ?? failAt(site, `got ${typeName(value)} in sequence assignment`);
  if (items.length === want) return items;
  const isLonger = items.length > want;
  const got = isLonger ? (toLength(value) ?? items.length) : items.length;
  return failAt(
    site,
    `too ${isLonger ? "many" : "few"} values to unpack (got ${got}, want ${want})`,
  );
}

/** Operators whose assignment changes lists and dicts in place. */
const inPlace: Readonly<Record<string, (x: Value, y: Value) => Value>> = {
  "+": addInPlace,
  "|": unionInPlace,
};

/** Adds the operations of `target operator= value`. The target is computed once; lists and dicts change in place. */
export function lowerAugmentedAssignment(
  context: FunctionContext,
  statement: Statement<"assign">,
): void {
  const operator = statement.operator.slice(0, -1);
  const { at, start } = statement;
  const { read, write } = lowerReference(context, withoutParentheses(statement.target), true);
  const value = context.capture(() => context.lower(statement.value));
  const [current, operand] = context.appendAfter(read, value, start);
  const apply = inPlace[operator] ?? toOperator(operator);
  const combined = lowerBinary(operator, current, operand, at, apply);
  context.effect(start, (slots) => write(slots, combined(slots)));
}
